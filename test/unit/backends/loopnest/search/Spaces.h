// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random mapspaces, mappings and chips for the tests of the search, and the cost of counts by the
// formulas of docs/cost-model.md, written down a second time.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_SPACES_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_SPACES_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include "test/unit/backends/loopnest/analysis/Nests.h"
#include <random>

namespace perfc {
namespace loopnest {

/// Convolutions, products and others with padding, strides, bypass and arrays. With `roomyAxes`
/// axes are long enough for several loops.
llvm::Optional<MapSpace> randomSpace(std::mt19937 &random, bool roomyAxes = true);
/// Convolutions of square images with square filters.
llvm::Optional<MapSpace> symmetricSpace(std::mt19937 &random);
/// Any mapping with perfect factors, whether it fits or not.
Mapping randomMapping(const MapSpace &space, std::mt19937 &random);
CostWeights randomWeights(const MapSpace &space, std::mt19937 &random);
/// Partial sums have a size of their own in each memory, not always a larger one than results.
void tellPartial(MapSpace &space, std::mt19937 &random);
/// The weights of `space` when those of its memories are for words of the size of results, of which
/// there are `elements`.
CostWeights withPartial(const MapSpace &space, const CostWeights &weights, int64_t elements);
/// Random ones for a search of the space.
inline CostWeights weightsOf(const MapSpace &space, std::mt19937 &random) {
  return withPartial(space, randomWeights(space, random), space.tensors[space.output].plainSize);
}
/// Links and copies cost nothing then: how lanes lie on axes matters only by what they share.
inline void freeLinks(CostWeights &weights) {
  for (ArrayWeights &array : weights.arrays) {
    std::fill(array.hop.begin(), array.hop.end(), 0);
    std::fill(array.copy.begin(), array.copy.end(), 0);
  }
}
/// Energy and latency of `counts`; weights are for words of the size of results.
Score scoreOf(const CostWeights &weights, const Nest &nest, const Counts &counts);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_SPACES_H
