// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What enters the instances of a level from its parent, for one tensor: new elements over all
// epochs and instances, counted once per group of instances that a message serves together.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLOW_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLOW_H

#include "backends/loopnest/analysis/Counts.h"
#include "backends/loopnest/analysis/JointRank.h"

namespace perfc {
namespace loopnest {

/// A tensor as a product: ranks with dimensions of their own, groups of ranks that share some, and
/// the dimensions that none of them uses.
struct Factors {
  std::vector<Rank> ranks;
  std::vector<RankGroup> groups;
  llvm::SmallVector<unsigned, 8> unused;
};
Factors factorsOf(const Nest &nest, unsigned tensor);

/// The three ways to make messages between two levels.
struct Networks {
  JointLoops shared;
  JointLoops separate;
  JointLoops declared;
};
Networks networksBetween(const FlatNest &flat, unsigned above, unsigned below, unsigned tensor);

/// Per network: sum of elements that newly enter a group; with `separate` that is what enters all
/// instances. For the output, an idle instance loses what its parent gives up.
struct Flow {
  Checked shared;
  Checked separate;
  Checked declared;
};
/// Elements that the whole nest touches.
Checked touchedElements(const LevelDigits &outermost, const Factors &factors, SetWork &work);
Flow entering(const LevelDigits &digits, const Factors &factors, unsigned tensor, SetWork &work);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_FLOW_H
