// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which words of the output are finished. A word is finished when every point of its element has
// been added to it, and a partial sum before. A sum goes up and comes back as a whole, so it is
// complete in a memory unless other instances hold parts of it at the end: the lanes of a reduction
// that are still at work on the last tile of the element, or that fell idle before (a ragged loop)
// and keep what they have until the memory outside gives the element up. Once complete it only goes
// up: a memory finishes at most one word per element, of which one update and one writeback.
//
// Lanes of a reduction between two memories that keep the output: if one is active when the first
// is for the last time, no element is complete inside; if all fell idle when a loop in time
// advanced, they keep the elements of which all loops inside that one are at their last index, and
// by which no memory further out has passed since. These are conditions on digits, dimension by
// dimension, so the elements are counted as sums of products.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_FINISHED_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_FINISHED_H

#include "backends/loopnest/analysis/Flow.h"

namespace perfc {
namespace loopnest {

/// Elements of the output whose sum is complete at a level, by level; 0 where it is not kept.
/// `levels` are all levels of a nest with a closed form and `factors` those of its output. Nothing
/// where that takes too long (ragged lanes and padding in one dimension), or does not fit 64 bits.
llvm::Optional<std::vector<int64_t>> finishedByLevel(llvm::ArrayRef<LevelDigits> levels,
                                                     const Factors &factors, SetWork &work);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_FINISHED_H
