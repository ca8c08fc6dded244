// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timeloop's nest analysis: what each memory sends inward, step by step. The loops are visited from
// the outermost inward; a visit of a memory's loops yields, per tensor, the difference between its
// tile and the one of the visit before (the delta). A temporal loop is run for its first iteration
// and once more on behalf of all others; of an array only the first child is run. A delta counts
// only as long as the tile keeps moving the same way: when the direction changes, everything is
// sent again.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_ANALYSIS_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_ANALYSIS_H

#include "backends/loopnest/timeloop/SpatialPattern.h"
#include <map>
#include <memory>

namespace perfc::timeloop {

/// Words sent, and the sum over them of the hops that they take.
struct Sent {
  double words = 0;
  double hops = 0;
};

/// By (multicast factor, number of groups that are sent different words).
using Histogram = std::map<std::pair<int64_t, int64_t>, Sent>;

/// What the analysis finds per memory and tensor.
struct Traffic {
  Histogram histogram;
  double tileSize = 0;   ///< largest tile that the memory holds
  double senderSize = 0; ///< largest tile that its array holds together
  double links = 0;      ///< words that children took from their neighbours
};

struct AnalysisResult {
  std::vector<std::vector<Traffic>> traffic; ///< [memory][space]
  double computes = 0;                       ///< mean over the lanes that were visited
};

/// Runs the analysis of a checked input. Nothing when it takes too many steps or counts leave the
/// exact range (reported). Unless it `remembers`, visits that find what one before has found are
/// made again (VisitMemo.h), which changes nothing but the time.
llvm::Optional<AnalysisResult> analyse(const Input &input, const LoopList &list,
                                       DiagnosticEngine &diagnostics, bool remembers = true);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_ANALYSIS_H
