// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each factor of a tensor gives to the transfers between two memories: its ranks the elements,
// dimensions that it does not use the messages and instances.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERFACTORS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERFACTORS_H

#include "backends/loopnest/analysis/Flow.h"

namespace perfc {
namespace loopnest {

/// Epochs by what a factor gives in them: (all, kept), see RankSums.h.
using Kinds = std::map<std::pair<int64_t, int64_t>, Checked>;

/// Of two factors together.
Kinds product(const Kinds &a, const Kinds &b);

/// Loops that reduce and are held at zero, by index: those in time and those in space.
struct Pins {
  IndexRange time{0, 0};
  IndexRange space{0, 0};
};

/// Instances whose transfers are told apart, and how the network serves those inside them.
struct Receivers {
  unsigned level;   ///< of the memory or the lanes inside
  JointLoops joint; ///< within one instance of the memory outside
  JointLoops apart; ///< of these, loops that no message spans
};

/// The factors of one tensor.
class TransferFactors {
public:
  TransferFactors(llvm::ArrayRef<LevelDigits> levels, const Factors &factors, SetWork &work)
      : levels(levels), factors(factors), work(work) {}

  /// Of the ranks together, one of which may be a constant.
  Kinds used(const Receivers &to, const Transition &transition) const;
  /// Of the dimensions that no rank uses.
  Kinds unused(const Receivers &to, const Transition &transition, const Pins &pins) const;
  /// Messages per element when the loops that reduce are in their last setting.
  int64_t lastParts(const Receivers &to) const;

private:
  Kinds partsOf(unsigned dim, const Receivers &to, const Transition &transition,
                const Pins &pins) const;

  llvm::ArrayRef<LevelDigits> levels;
  const Factors &factors;
  SetWork &work;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_TRANSFERFACTORS_H
