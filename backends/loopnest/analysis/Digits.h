// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of one dimension outside a level are the digits of a mixed-radix number: the start of
// the tile. Giving each digit a range leaves a set of starts whose members below a limit are
// counted digit by digit, from the outside in: a prefix is either equal to the limit's or already
// smaller, and then the digits that follow are free.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_DIGITS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_DIGITS_H

#include "backends/loopnest/analysis/FlatNest.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc {
namespace loopnest {

/// What a digit may be: first <= digit < end.
struct Choice {
  int64_t first;
  int64_t end;
  static Choice only(int64_t digit) { return {digit, digit + 1}; }
  static Choice any(int64_t factor) { return {0, factor}; }
};

struct Digit {
  bool parallel;
  unsigned loop; ///< index among the parallel loops or the loops in time
  int64_t factor;
  int64_t step;
};

/// Indices of a dimension, low <= index < high; empty unless low < high.
struct IndexRange {
  int64_t low;
  int64_t high;
};

/// A digit that is held to one value.
struct FixedDigit {
  unsigned position; ///< among the digits of its dimension
  int64_t value;
};

/// The digits of one dimension outside one level, outermost first. The nest has plain loops.
class Digits {
public:
  Digits(const FlatNest &flat, unsigned dim, unsigned level);

  llvm::ArrayRef<Digit> list() const { return digits; }
  int64_t size() const { return extent; } ///< of the dimension
  int64_t tile() const { return width; }  ///< length of a full tile
  using Choices = llvm::SmallVector<Choice, 8>;

  /// Starts below `limit` (at most size()) that `choices`, one per digit, admit.
  int64_t countBelow(int64_t limit, const Choices &choices) const;
  /// Sum of |tile & [low, high)| over the admitted starts below `limit`.
  int64_t covered(int64_t low, int64_t high, int64_t limit, const Choices &choices) const;

private:
  int64_t coveredBelow(int64_t high, int64_t limit, const Choices &choices) const;

  llvm::SmallVector<Digit, 8> digits;
  int64_t extent;
  int64_t width = 1;
};

/// Calls visit(setting) for all settings of the digits at `positions`, in ascending order.
void forSettings(const Digits &digits, llvm::ArrayRef<unsigned> positions,
                 llvm::function_ref<void(llvm::ArrayRef<FixedDigit>)> visit);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_DIGITS_H
