// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact counts by execution: every step of every lane is visited, what is touched is collected in
// sets, what moves is counted. It serves any affine subscripts and any loops, and is the yardstick
// of the closed form. Its work grows with the number of points.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_ENUMERATION_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_ENUMERATION_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

/// Points times levels that `enumerate` would visit; -1 if that does not fit in 64 bits.
int64_t enumerationWork(const FlatNest &flat);

/// Nothing on overflow of element numbers, which goes to `errors`.
llvm::Optional<Counts> enumerate(const FlatNest &flat, bool hops, bool transfers,
                                 std::vector<AnalysisError> &errors);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_ENUMERATION_H
