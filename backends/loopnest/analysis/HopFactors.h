// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The footprints of a tensor's factors in one array between a level and its parent, each with the
// number of elements, epochs and groups that have it. Elements of a plain rank have one reader per
// setting of its loops; a dimension that the tensor does not use makes all active lanes readers.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPFACTORS_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPFACTORS_H

#include "backends/loopnest/analysis/Footprint.h"
#include "backends/loopnest/analysis/JointRank.h"
#include "backends/loopnest/analysis/LaneBlocks.h"
#include "backends/loopnest/analysis/WindowRank.h"

namespace perfc {
namespace loopnest {

class HopFactors {
public:
  /// Positions in array `array` of instances of the level of `digits` below level `above`.
  HopFactors(const LevelDigits &digits, unsigned above, unsigned array);

  FootprintSum unusedDim(unsigned dim, const Transition &transition, const JointLoops &joint) const;
  /// `transition` may be of a level further out than that of the digits.
  FootprintSum plainRank(const Rank &rank, const Transition &transition,
                         llvm::ArrayRef<unsigned> outer) const;

  FootprintSum windowRank(WindowRank &rank, llvm::ArrayRef<Term> terms,
                          const Transition &transition, const JointLoops &joint) const;
  FootprintSum jointRank(JointRank &rank, llvm::ArrayRef<unsigned> dims,
                         const Transition &transition, const JointLoops &joint) const;
  /// A factor that no loop of the array is along.
  FootprintSum inPlace(const RankSums &sums, const Transition &transition) const;
  /// Whether all writers of a sum that enter together also leave together, whatever is ragged: no
  /// parallel loop of `dim`, which the output does not use, stands inside loops in time of the
  /// same dimension that some lanes run through less often than others.
  bool leaveTogether(unsigned dim) const;

private:
  /// Positions among the digits of `dim` of its loops between the levels.
  llvm::SmallVector<unsigned, 4> between(unsigned dim) const;
  Spot spotOf(llvm::ArrayRef<unsigned> dims, llvm::ArrayRef<const LaneTile *> tiles) const;
  Spot spot(unsigned dim, llvm::ArrayRef<FixedDigit> setting) const;
  Footprints raggedGroups(unsigned dim, const Transition &transition,
                          const JointLoops &joint) const;
  Footprints digitReaders(unsigned dim, const DigitRange &range, bool together) const;

  const LevelDigits &digits;
  unsigned begin;         ///< first parallel loop inside the level above
  std::vector<Spot> unit; ///< by parallel loop: what one step of it adds
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_HOPFACTORS_H
