// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An index of 55 values has few divisors, one of 56 has many, and its perfect factors are a chain
// of 55 whose outermost loop has a partial last pass. What a search of such sizes finds is a good
// begin for one among all chains.
#include "backends/loopnest/search/ChainSearch.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Sizes to pad to, at most: those with the most divisors for what they add.
static constexpr unsigned mostSizes = 2;

static std::vector<int64_t> paddedSizes(int64_t size) {
  auto merit = [&](int64_t number) {
    double growth = double(number) / double(size);
    return double(divisors(number).size()) / (growth * growth);
  };
  std::vector<int64_t> sizes;
  int64_t most = size + std::min<int64_t>(64, std::max<int64_t>(1, size / 4));
  for (int64_t number = size + 1; size > 2 && number <= most; ++number)
    if (merit(number) > merit(size))
      sizes.push_back(number);
  llvm::stable_sort(sizes, [&](int64_t a, int64_t b) { return merit(a) > merit(b); });
  if (sizes.size() > mostSizes)
    sizes.resize(mostSizes);
  return sizes;
}

std::vector<Mapping> loopnest::paddedMappings(const MapSpace &space, const CostWeights &weights,
                                              const SlotRules &rules, const SearchGoal &goal,
                                              const SearchOptions &options) {
  // All indices padded to their best sizes, and each alone.
  std::vector<std::vector<int64_t>> vectors;
  std::vector<int64_t> plain, all;
  for (const Dim &dim : space.nest.dims)
    plain.push_back(dim.size);
  all = plain;
  for (unsigned d = 0; d < space.dims(); ++d)
    for (int64_t size : paddedSizes(plain[d])) {
      std::vector<int64_t> alone = plain;
      alone[d] = size;
      vectors.push_back(alone);
      all[d] = all[d] == plain[d] ? size : all[d];
    }
  if (!vectors.empty())
    vectors.insert(vectors.begin(), all);
  std::vector<Mapping> mappings;
  for (const std::vector<int64_t> &sizes : vectors) {
    Nest nest = space.nest;
    for (unsigned d = 0; d < space.dims(); ++d)
      nest.dims[d].size = sizes[d];
    std::string reason;
    llvm::Optional<MapSpace> padded = makeMapSpace(nest, reason);
    if (!padded)
      continue;
    SearchOptions own = options;
    own.known.clear();
    own.descentsOnly = true;
    for (const Candidate &candidate : search(*padded, weights, rules, goal, own).front) {
      Mapping mapping = candidate.mapping;
      completeChains(space, true, mapping);
      mappings.push_back(mapping);
    }
  }
  return mappings;
}
