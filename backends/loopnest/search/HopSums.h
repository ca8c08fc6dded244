// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links that the words of a tensor with sliding windows take in one array, for perfect factors,
// where one message serves all lanes of both axes (Hops.cpp has the general sums). A word goes to
// the lanes whose tiles have it and that did not hold it; a tree takes
//     the farthest column + over its columns the span in y from the middle.
// Per window each element has a footprint: which columns need it and which of them lack it. There
// are few different ones; the footprints of two windows add up position by position, lanes of
// dimensions that the tensor lacks lengthen every span, and those of its plain ranks shift the
// tree. Footprints depend on the loops of their window alone and are remembered.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_HOPSUMS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_HOPSUMS_H

#include "backends/loopnest/search/WindowSums.h"
#include "backends/loopnest/search/WordMemo.h"
#include <memory>

namespace perfc {
namespace loopnest {

class HopSums {
public:
  /// What begins an epoch, for one window (see WindowQuery).
  struct Part {
    std::array<uint8_t, 2> prefix; ///< slots whose loops are free, by dimension
    Carry carry = Carry::None;
    bool holds = false; ///< lanes hold the tile of the epoch before
  };
  explicit HopSums(const MapSpace &space);

  /// Whether it knows the sums of a crossing: one array, axes that all share, one or two windows
  /// and no padding elsewhere.
  bool covers(const Crossing &crossing) const;
  /// Links of all that moves, once for each setting of the loops in time over dimensions without
  /// windows; `parts` by window.
  int64_t links(const Mapping &mapping, const Crossing &crossing, llvm::ArrayRef<Part> parts);

private:
  /// Lanes with one x that need an element: their span in y, and that of those that lack it.
  struct Column {
    int32_t x, low, high, lackLow, lackHigh;
    bool lacks;
    bool operator==(const Column &other) const {
      return x == other.x && low == other.low && high == other.high && lacks == other.lacks &&
             lackLow == other.lackLow && lackHigh == other.lackHigh;
    }
  };
  /// Columns of `columns` and how many elements have them.
  struct Footprint {
    unsigned first, end;
    int64_t count;
  };
  struct Footprints {
    std::vector<Footprint> list;
    std::vector<Column> columns;
  };
  struct Lane {
    int64_t offset; ///< of its tile, in values of the subscript
    int32_t x, y;
  };
  struct Loops;
  /// What lanes of dimensions without windows do to a tree.
  struct Frame {
    int64_t settings = 1, settingsReach = 0; ///< of plain ranks: how many, and their x in all
    int64_t reach = 0, columns = 1;          ///< of dimensions that the tensor lacks
    std::vector<int64_t> above, below;       ///< by y: links beyond the middle, over all settings
  };
  const Footprints &footprintsOf(const Mapping &mapping, const Crossing &crossing, unsigned window,
                                 const Part &part);
  void collectLoops(const Mapping &mapping, const Crossing &crossing, const Window &window,
                    const Part &part, Loops &loops) const;
  void findLanes(const Loops &loops);
  void findOffsets(const Loops &loops);
  Footprints compute(const Window &window, const Loops &loops);
  void addElement(Footprints &result, int64_t element, int64_t count, const Loops &loops);
  void setFrame(const Mapping &mapping, const Crossing &crossing);
  int64_t linksOf(const Footprints &a) const;
  int64_t linksOf(const Footprints &a, const Footprints &b) const;
  std::pair<unsigned, unsigned> axesOf(const Crossing &crossing) const;

  const MapSpace &space;
  WordMemo known; ///< numbers in `all`
  std::vector<std::unique_ptr<Footprints>> all;
  Frame frame;
  // Of the window at hand:
  std::vector<Lane> lanes;      ///< by x
  std::vector<int64_t> offsets; ///< of all positions, sorted
  std::vector<char> tile;       ///< by value from the least one on
  std::vector<uint64_t> key;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_HOPSUMS_H
