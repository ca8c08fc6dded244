// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Subscripts that share indices, in simpler terms. Which points touch one element depends only on
// the row space of a tensor's subscripts (x and y do when M x = M y), so M may be replaced by its
// reduced row echelon form: `A[i + j, j]` counts as `A[i, j]`, `A[i + j, i + j + k]` as `A[i + j,
// k]` and `A[i, i]` as `A[i]`. Rows that still share indices do so in any form, since the
// components of a matroid are those of each of its representations in echelon form (Oxley, "Matroid
// Theory", ch. 4).
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_DECOUPLE_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_DECOUPLE_H

#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

/// The nest with subscripts reduced that share indices; those that padding cuts stay as they are,
/// with all that they share indices with. Nothing when no tensor changes.
llvm::Optional<Nest> decoupled(const Nest &nest);

/// Groups of ranks that share dimensions, in order of their first one.
std::vector<std::vector<unsigned>>
coupledRanks(llvm::ArrayRef<llvm::SmallVector<unsigned, 4>> dimsOfRank);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_DECOUPLE_H
