// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An output that is written through windows by several memories at once, counted on shorter loops.
// What happens to an element depends only on the iterations that touch it, and on whether there are
// others before, between and after. So where all lanes work together, each count is affine in the
// factor n of a loop in time from some n0 on,
//     f(n) = f(n0) + (n - n0) (f(n0 + 1) - f(n0)),
// and two short nests, which are executed, give the count of a long one. With K iterations of the
// loop that may touch one element, n0 is K + 2 for a loop of a window: the elements at its ends are
// no longer the same, those between are all alike. It is 2 for a dimension that the output does not
// use, whose iterations from the second on find what the one before left. For a dimension of its
// own, whose iterations touch different elements, counts are proportional from n0 = 2 on, so that a
// tile is left in between, and from 1 on where nothing comes back to it.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_STRETCH_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_STRETCH_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

/// Whether the counts of the output are affine in its loops: no lane outside the innermost memory
/// that keeps it falls idle while others work.
bool canStretch(const FlatNest &flat);

/// Counts of the output by memory, without maxResident, and finishedPoints; needs canStretch.
/// Nothing where the short nests take more than `work` (points times levels), or on overflow.
struct OutputCounts {
  std::vector<llvm::Optional<TensorCounts>> memories; ///< none where it is not kept
  int64_t finishedPoints = 0;
};
llvm::Optional<OutputCounts> stretchedOutput(const FlatNest &flat, int64_t work);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_STRETCH_H
