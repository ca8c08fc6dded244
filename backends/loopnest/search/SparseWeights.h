// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of what mappings cost when tensors have zeros (../sparse): the dense counts of a
// mapping, weighed with the least share of them that zeros can leave. Of a transfer that is left
// out when C is zero at least the share of nonzero elements of C happens, and a word takes at least
// what a single element does in its format. With s the share of executed points, q that of a
// result's own transfers, U updates of sums by lanes, F first ones, W words sent on (W >= F,
// docs/mapper.md):
//     reads of sums + writebacks >= max(0, s U - F) + q W >= s q (dense reads + writebacks)
//     reads of sums + updates    >= max(s U, 2 s U - F)   >= s / (2 - s) (dense reads + updates)
// Expectations are rounded to whole words, which the weights take off once for each count.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SPARSEWEIGHTS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SPARSEWEIGHTS_H

#include "backends/loopnest/search/CostWeights.h"
#include "backends/loopnest/search/MapSpace.h"
#include "backends/loopnest/sparse/Sparsity.h"

namespace perfc {
namespace loopnest {

/// No mapping of `nest` costs less with `zeros` by `dense` than its dense counts do by the result,
/// which may be less than nothing where counts are a few words. What is at a memory depends on what
/// the memories keep. First and last tiles of buffered memories are left out.
CostWeights withZeros(const CostWeights &dense, const Nest &nest, const Sparsity &zeros);

/// By memory and tensor: the least share of a tile's bits that is held (MapSpace::held).
std::vector<llvm::SmallVector<double, 4>> leastHeld(const Nest &nest, const Sparsity &zeros);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SPARSEWEIGHTS_H
