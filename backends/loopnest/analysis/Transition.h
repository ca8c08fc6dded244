// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the epochs of a level follow one another, one loop in time advances and those inside it
// start again: the sum over all epochs is a sum over the loop that advances. Within one dimension
// the digits outside that loop are free, its own is not zero, those inside are zero; and the tile
// held before had the largest digits that are inside the iteration space. Both are known dimension
// by dimension, also where tiles are ragged and instances fall idle.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSITION_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSITION_H

#include "backends/loopnest/analysis/Digits.h"

namespace perfc {
namespace loopnest {

/// All epochs of one level that begin in the same way.
struct Transition {
  enum Kind {
    First,   ///< the first epoch: nothing is held
    Advance, ///< loop `carry` advances
    Every    ///< any step of a lane, which holds nothing
  };
  Kind kind;
  unsigned level;     ///< whose epochs they are
  unsigned outside;   ///< loops in time outside that level; those further in are free
  unsigned carry = 0; ///< index among the loops in time

  bool hasPrevious() const { return kind == Advance; }
  /// What a digit of a loop in time may be when such an epoch begins.
  Choice choice(unsigned loop, int64_t factor) const {
    if (loop >= outside || kind == Every || (kind == Advance && loop < carry))
      return Choice::any(factor);
    return kind == Advance && loop == carry ? Choice{1, factor} : Choice::only(0);
  }
  bool advances(unsigned loop) const { return kind == Advance && loop == carry; }
  bool restarts(unsigned loop) const { return kind == Advance && loop > carry && loop < outside; }
};

/// Parallel loops whose settings one message serves together; by index among the parallel loops.
using JointLoops = llvm::SmallVector<bool, 8>;

/// The epochs of a level; for the lanes, the steps.
inline std::vector<Transition> transitionsOf(const FlatNest &flat, unsigned level) {
  unsigned outside = flat.levels[level].temporal;
  if (level == flat.lanes())
    return {{Transition::Every, level, outside}};
  std::vector<Transition> result = {{Transition::First, level, outside}};
  for (unsigned loop = 0; loop < outside; ++loop)
    result.push_back({Transition::Advance, level, outside, loop});
  return result;
}

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSITION_H
