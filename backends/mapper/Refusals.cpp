// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/NestSpace.h"
#include <random>

using namespace perfc;
using namespace perfc::mapper;
using namespace perfc::loopnest;

namespace {

/// Random perfect mappings, whatever the constraints are.
class Sample {
public:
  explicit Sample(const NestSpace &nest)
      : nest(nest), evaluator(nest.space, nest.weights), random(1) {}
  Mapping next();
  /// The constraints that `mapping` violates, and by how much together.
  std::vector<std::string> violated(const Mapping &mapping, double &excess);

private:
  const NestSpace &nest;
  MappingEvaluator evaluator;
  std::mt19937_64 random;
};

} // namespace

Mapping Sample::next() {
  const MapSpace &space = nest.space;
  Mapping mapping = space.emptyMapping();
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t rest = space.nest.dims[d].size;
    mapping.factor[0][d] = 1;
    for (int64_t prime = 2; rest > 1; ++prime) {
      if (prime > rest / prime)
        prime = rest;
      for (; rest % prime == 0; rest /= prime)
        mapping.factor[random() % space.slots.size()][d] *= prime;
    }
  }
  return mapping;
}

std::vector<std::string> Sample::violated(const Mapping &mapping, double &excess) {
  std::vector<std::string> names;
  excess = 0;
  const MapSpace &space = nest.space;
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t lanes = 1;
    bool ruled = true;
    for (unsigned d = 0; d < space.dims(); ++d) {
      lanes *= mapping.factor[s][d];
      ruled &= nest.rules[s].allows(d, mapping.factor[s][d]);
    }
    if (!ruled)
      names.push_back("the loops that the mapspace allows at " + nest.rules[s].name);
    if (space.slots[s].isAxis && lanes > space.slots[s].size) {
      names.push_back(fmt::format("the {} lanes of {}", space.slots[s].size, nest.rules[s].name));
      excess += double(lanes) / double(space.slots[s].size);
    } else if (!space.slots[s].isAxis) {
      const auto &capacity = nest.weights.memories[space.slots[s].number].capacityBits;
      int64_t bits = evaluator.tileBits(mapping, space.slots[s].number);
      if (!capacity || bits <= *capacity)
        continue;
      names.push_back("the capacity of " + nest.rules[s].name);
      excess += double(bits) / double(std::max<int64_t>(*capacity, 1));
    }
  }
  return names;
}

Refusals mapper::explainRefusals(const NestSpace &nest) {
  Sample sample(nest);
  Refusals result;
  double best = 0;
  for (result.sampled = 0; result.sampled < 20000; ++result.sampled) {
    Mapping mapping = sample.next();
    double excess;
    std::vector<std::string> names = sample.violated(mapping, excess);
    for (const std::string &name : names) {
      auto known =
          llvm::find_if(result.constraints, [&](const auto &c) { return c.first == name; });
      if (known == result.constraints.end())
        known = result.constraints.insert(known, {name, 0});
      ++known->second;
    }
    double distance = double(names.size()) + excess / 1e6;
    if (result.sampled > 0 && distance >= best)
      continue;
    best = distance;
    result.nearest = mappingLines(nest, mapping, "  ");
    result.nearestLacks = fmt::format("{}", fmt::join(names, ", "));
  }
  llvm::stable_sort(result.constraints,
                    [](const auto &a, const auto &b) { return a.second > b.second; });
  return result;
}
