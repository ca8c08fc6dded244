// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank whose subscript uses several dimensions, as a sliding window does: tiles of neighbours and
// of successive epochs overlap in part. The sums of RankSums are formed over the classes of the
// rank's dimensions; within one combination of classes the elements are stretches of neighbours.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_WINDOWRANK_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_WINDOWRANK_H

#include "backends/loopnest/analysis/RankSums.h"
#include "backends/loopnest/analysis/TileClasses.h"
#include "backends/loopnest/analysis/ValueSet.h"

namespace perfc {
namespace loopnest {

/// One combination of lanes of a rank's dimensions, in values of the subscript.
struct WindowLane {
  const ValueSet *needed;
  int64_t start;        ///< of `needed`
  const ValueSet *held; ///< null without
  int64_t heldStart;
  llvm::SmallVector<const LaneTile *, 2> tiles; ///< by term
};

/// Lanes that one message may serve, and how often the same picture occurs.
struct WindowGroup {
  std::vector<WindowLane> lanes;
  int64_t low; ///< values outside [low, high) are padding
  int64_t high;
  Checked count;
};

class WindowRank {
public:
  /// Groups take from `work`; below 0 the rest is left out.
  WindowRank(const LevelDigits &digits, const Rank &rank, SetWork &work)
      : digits(digits), rank(rank), sets(rank.terms), work(work) {}

  RankSums sums(const Transition &transition, const JointLoops &joint);
  /// Calls `visit` for each kind of group; settings of the parallel loops from `from` on are part
  /// of the kind.
  void forGroups(const Transition &transition, const JointLoops &joint, unsigned from,
                 llvm::function_ref<void(const WindowGroup &)> visit);

private:
  using Classes = std::vector<std::vector<TileClass>>; ///< by term
  Classes classes(const Transition &transition, const JointLoops &joint, unsigned from) const;
  WindowGroup group(llvm::ArrayRef<const TileClass *> chosen);
  void addLane(llvm::ArrayRef<const LaneTile *> tiles, WindowGroup &result);

  const LevelDigits &digits;
  const Rank &rank;
  ValueSets sets;
  SetWork &work;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_WINDOWRANK_H
