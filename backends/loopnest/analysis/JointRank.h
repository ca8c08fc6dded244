// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranks of a tensor that share dimensions, as one factor of the sums of RankSums.h: a tile is the
// image of a box under all of them, a set of rows in their last rank. Tiles in time and in lanes
// are shifts of a few shapes, so each combination of classes of the dimensions (TileClasses.h) is
// looked at once. Where padding cuts, positions whose tiles it cuts alike are put together: those
// that it leaves whole, or takes entirely, are found by halving the ranges of positions.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_JOINTRANK_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_JOINTRANK_H

#include "backends/loopnest/analysis/Intervals.h"
#include "backends/loopnest/analysis/RankSums.h"
#include "backends/loopnest/analysis/TileClasses.h"
#include <map>

namespace perfc {
namespace loopnest {

/// Ranks that share dimensions, directly or through others.
struct RankGroup {
  std::vector<Rank> ranks;
  llvm::SmallVector<unsigned, 4> dims;
};

/// Elements of a group as numbers, relative to any point: the last rank counts most finely.
class ElementNumbers {
public:
  ElementNumbers(const Nest &nest, const RankGroup &group);
  bool overflowed() const { return tooWide; }
  llvm::ArrayRef<int64_t> coefficients() const { return perDim; } ///< by dimension of the group
  /// Those of `set` whose ranks lie in `windows`, low and high relative to the same point.
  Intervals clipped(const Intervals &set, llvm::ArrayRef<Interval> windows) const;

private:
  struct Scale {
    int64_t stride;
    int64_t reach; ///< relative values are within it on both sides
  };
  std::vector<Scale> scales; ///< by rank
  llvm::SmallVector<int64_t, 4> perDim;
  int64_t zero = 0; ///< what makes numbers positive
  bool tooWide = false;
};

/// One lane's tile, and the one that it holds; numbers relative to the first lane.
struct JointLane {
  const Intervals *needed;
  int64_t start;
  const Intervals *held; ///< null without
  int64_t heldStart;
  llvm::SmallVector<const LaneTile *, 4> tiles; ///< by dimension of the group
};

/// Lanes that one message may serve, in all places where they see the same picture.
struct JointGroup {
  std::vector<JointLane> lanes;
  /// What padding leaves, by rank, and at how many positions; without padding one entry, without
  /// windows.
  std::map<std::vector<Interval>, Checked> cuts;
};

class JointRank {
public:
  JointRank(const LevelDigits &digits, const RankGroup &group, SetWork &work);

  RankSums sums(const Transition &transition, const JointLoops &joint);
  /// Calls `visit` with the sums over the lanes of a group that `joint` makes, and how often they
  /// occur. Of these lanes, those that differ in a loop of `apart` take no word together.
  void forSums(const Transition &transition, const JointLoops &joint, const JointLoops &apart,
               llvm::function_ref<void(RankSums sums, Checked number)> visit);
  /// Calls `visit` for each kind of group; settings of the parallel loops from `from` on are part
  /// of the kind. Stops where the work is too much.
  void forGroups(const Transition &transition, const JointLoops &joint, unsigned from,
                 llvm::function_ref<void(const JointGroup &)> visit);
  /// Calls `visit` for each element that the lane needs and padding leaves.
  void forElements(const JointLane &lane, llvm::ArrayRef<Interval> windows,
                   llvm::function_ref<void(int64_t element)> visit);
  /// Elements of the tile with these lengths of the group's dimensions; with `starts`, those that
  /// padding leaves.
  int64_t tileSize(llvm::ArrayRef<int64_t> lengths, llvm::ArrayRef<int64_t> starts = {});

private:
  /// Lanes of one dimension, with the starts of the first one where padding matters.
  struct Pattern {
    std::vector<LaneTile> lanes;
    int64_t count = 0;
    std::vector<int64_t> starts;
    int64_t low, high; ///< of the indices in new tiles
  };
  using Patterns = std::vector<Pattern>;
  Patterns patterns(unsigned dim, const Transition &transition, const JointLoops &joint,
                    unsigned from);
  void addLane(llvm::ArrayRef<const LaneTile *> tiles, JointGroup &result);
  void addCuts(llvm::ArrayRef<const Pattern *> chosen, JointGroup &result);
  const Intervals &tile(llvm::ArrayRef<int64_t> lengths);
  llvm::SmallVector<int64_t, 4> settingOf(const JointLane &lane, const JointLoops &apart,
                                          unsigned from) const;
  bool spend(int64_t steps) { return (work -= steps) >= 0; }

  const LevelDigits &digits;
  const RankGroup &group;
  SetWork &work;
  ElementNumbers numbers;
  bool isCut;
  std::map<std::vector<int64_t>, Intervals> tiles; ///< by lengths
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_JOINTRANK_H
