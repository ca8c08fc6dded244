// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed form: where each dimension has loops of its own and no tensor uses a dimension in two
// ranks, and each rank of the output uses one dimension at most, all counts are sums over loops of
// products over ranks. What it costs does not grow with the number of points.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

/// Whether `closedForm` is exact for this nest.
bool hasClosedForm(const FlatNest &flat);

/// Needs hasClosedForm. Nothing on overflow, which goes to `errors`, and where finished words are
/// asked for and have no closed form (see Finished.h).
llvm::Optional<Counts> closedForm(const FlatNest &flat, bool hops,
                                  std::vector<AnalysisError> &errors);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H
