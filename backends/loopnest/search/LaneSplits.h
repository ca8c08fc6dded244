// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the lanes of an array are dealt to its axes. With the same lanes all tiles are the same; what
// differs is which lanes lie along axes where one message serves all of them. Where links cost
// nothing, one way is no worse than another in energy and in latency if for every tensor
//   - at least as many lanes of dimensions that it lacks share its messages, and
//   - of each dimension of its windows a multiple of the lanes does: what these need together is
//     then at most the sum of what its parts need.
// Only ways that no other is as good as are listed. A way and its mirror image (Symmetry.h) are
// listed together, so that of each mapping and its image the one that is looked at is not lost.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_LANESPLITS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_LANESPLITS_H

#include "backends/loopnest/search/Symmetry.h"
#include "llvm/ADT/StringSet.h"
#include <map>

namespace perfc {
namespace loopnest {

struct LaneSplit {
  llvm::SmallVector<TileGrid::Point, 2> factors; ///< by axis
  TileGrid::Point lanes;                         ///< together
};

class LaneSplits {
public:
  /// Those of the array at slots from `begin` up to `end`; one without factors when there are none.
  /// All of them unless `onlyBest`, which is for arrays where more sharing costs no more; with more
  /// than two axes lanes that share need not be parts of those that share more.
  LaneSplits(const MapSpace &space, const SlotRules &rules, const TileGrid &grid,
             const Symmetry &symmetry, unsigned begin, unsigned end, bool onlyBest);

  /// False when there are more than could be listed.
  bool isComplete() const { return complete; }
  const std::vector<LaneSplit> &all() const { return splits; }
  /// Whether the factors that `mapping` has on the array's axes are listed; true for all when not
  /// all could be.
  bool contains(const Mapping &mapping) const;
  unsigned endSlot() const { return end; }

private:
  /// What one tensor shares along the axes where its messages serve all lanes.
  struct Shared {
    int64_t lanes = 1;        ///< of dimensions that the tensor lacks
    TileGrid::Point window{}; ///< by dimension of its windows: lanes
  };
  struct Listed {
    LaneSplit split;
    llvm::SmallVector<Shared, 3> shared; ///< by tensor that can tell splits apart
  };
  using ByLanes = std::map<size_t, std::vector<Listed>>; ///< by point of the lanes
  void extend(const SlotRules &rules, LaneSplit &split, unsigned slot, unsigned dim,
              int64_t product, ByLanes &byLanes);
  void insert(const LaneSplit &split, std::vector<Listed> &list) const;
  void add(const LaneSplit &split);
  Shared sharedOf(const LaneSplit &split, unsigned tensor) const;
  bool covers(const Listed &a, const Listed &b) const;
  /// Below 0 when the split comes before its image, slot by slot.
  int compare(const LaneSplit &split) const;
  LaneSplit imageOf(const LaneSplit &split) const;
  bool shares(unsigned tensor, unsigned slot) const;
  static std::string keyOf(llvm::ArrayRef<TileGrid::Point> factors);

  const MapSpace &space;
  const TileGrid &grid;
  const Symmetry &symmetry;
  unsigned begin, end;
  bool complete = true;
  size_t visited = 0;
  llvm::SmallVector<unsigned, 3> telling; ///< tensors that share along some axes alone
  bool onlyBest;
  std::vector<LaneSplit> splits;
  llvm::StringSet<> keys;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_LANESPLITS_H
