// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The most that one instance holds at one time. A tile's sets grow with the lengths of its
// dimensions, so without padding a full tile holds most of every tensor at once; where padding cuts
// windows, the starts of the dimensions concerned compete, and only choices that no other beats in
// every length and window are combined.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_RESIDENT_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_RESIDENT_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/Flow.h"

namespace perfc {
namespace loopnest {

/// Sets maxResident of the memory and of its tensors, and maxResidentBits; false on overflow.
/// Needs `finished` where partial sums are told apart.
bool countResident(const LevelDigits &digits, llvm::ArrayRef<Factors> factors, MemoryCounts &memory,
                   SetWork &work);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_RESIDENT_H
