// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of integers as disjoint intervals, ascending: the elements of a tile, numbered so that those
// of the last rank follow one another. Their size is that of the set's rows, not of the set.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_INTERVALS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_INTERVALS_H

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <vector>

namespace perfc {
namespace loopnest {

/// low <= value < high.
struct Interval {
  int64_t low;
  int64_t high;
  bool operator<(const Interval &other) const {
    return low < other.low || (low == other.low && high < other.high);
  }
  bool operator==(const Interval &other) const { return low == other.low && high == other.high; }
};
using Intervals = std::vector<Interval>;

/// Puts intervals in any order into the form of a set.
void normalise(Intervals &intervals);

/// {sum c_k * i_k : 0 <= i_k < n_k}; empty when it would need more than `most` intervals on the
/// way.
Intervals imageOf(llvm::ArrayRef<int64_t> coefficients, llvm::ArrayRef<int64_t> lengths,
                  size_t most);

int64_t sizeOf(const Intervals &set);
bool contains(const Intervals &set, int64_t value);
/// Appends set + shift, less the elements of held + heldShift.
void appendDifference(Intervals &result, const Intervals &set, int64_t shift, const Intervals &held,
                      int64_t heldShift);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_INTERVALS_H
