// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks that attention relates to themselves: a statement runs over two indices that stand for one
// rank of the graph (RankClasses) and sums over one of them for each value of the other, as
//   o[t, e] += p[t, j] * v[j, e]
// does where queries t and keys j are the same positions. Samples never meet each other so.
// Features do in `x * transpose(x)`: what a product with a weight has, or a lookup in a table
// yields, is one.
#ifndef PERFC_PASSES_TRAINING_ATTENDEDRANKS_H
#define PERFC_PASSES_TRAINING_ATTENDEDRANKS_H

#include "passes/training/RankClasses.h"
#include <set>

namespace perfc {
namespace passes {

/// Their classes in `ranks`; `kernels` are those of the graph's kernels.
std::set<unsigned> attendedRanks(const ir::Operation &graph, KnownClasses &kernels,
                                 RankClasses &ranks);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_ATTENDEDRANKS_H
