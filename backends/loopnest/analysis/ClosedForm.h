// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The closed form: where each dimension has loops of its own, all counts are sums over loops of
// products over the ranks of a tensor, those that share dimensions taken together. What it costs
// does not grow with the number of points, only with the rows of a tile of such ranks. An output
// that is written through windows (a rank with several dimensions) has it where the memories that
// hold an element give it up together.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/analysis/JointRank.h"
#include "backends/loopnest/analysis/Stretch.h"

namespace perfc {
namespace loopnest {

/// Whether `closedForm` is exact for this nest.
bool hasClosedForm(const FlatNest &flat);

/// Needs hasClosedForm, or `output`, counts of the output from elsewhere; then its hops stay unset.
/// Nothing on overflow, which goes to `errors`, where finished words are asked
/// for and have no closed form (see Finished.h), and where tiles of ranks that share dimensions
/// take more than `setWork` (see JointRank.h).
llvm::Optional<Counts> closedForm(const FlatNest &flat, const AnalysisOptions &options,
                                  std::vector<AnalysisError> &errors,
                                  const OutputCounts *output = nullptr);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_CLOSEDFORM_H
