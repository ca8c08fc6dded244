// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes of one dimension that are all alike: a block of settings of its parallel digits in which
// every lane has as many tiles, of the same lengths, as any other. Later lanes never have more than
// earlier ones, so a block is uniform as soon as its first and its last lane agree; a ragged
// dimension makes a few blocks, not one per lane.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_LANEBLOCKS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_LANEBLOCKS_H

#include "backends/loopnest/analysis/Digits.h"

namespace perfc {
namespace loopnest {

/// Settings of one digit, first <= digit < end.
struct DigitRange {
  unsigned position;
  int64_t first;
  int64_t end;
};

struct LaneBlock {
  llvm::SmallVector<DigitRange, 4> digits; ///< one per position, in order
  int64_t tiles;                           ///< of each lane, over all epochs
};

/// The blocks that have tiles, for the parallel digits at `positions`, outermost first; tiles are
/// compared by their part inside `range`, too.
std::vector<LaneBlock> laneBlocks(const Digits &digits, llvm::ArrayRef<unsigned> positions,
                                  IndexRange range);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_LANEBLOCKS_H
