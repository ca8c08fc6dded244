// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sliding window a*p + b*r, summed over all positions of its tiles. What the loops outside a
// place take of p and r fixes the size of a tile and its positions; which positions an event
// concerns depends on the innermost loops there alone: those that start again are at their start in
// it. So the sums are kept by the factors of these loops, and by the distance that the tile has
// moved:
//     all  = words of the tiles in these positions, padding left out
//     kept = those that lie in the tile that far back, too
// Both are exact. Where it is not known how far loops further out take the tile, the most that any
// of them can keep is a bound.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWFLOOR_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWFLOOR_H

#include "backends/loopnest/search/TileGrid.h"

namespace perfc {
namespace loopnest {

/// Lanes that need one element at once.
struct Sharing {
  double most = 1;
  /// Over all elements that n lanes need, at most. What is new in a tile without holes is a stretch
  /// of at most its width W, and together they need the least of W and the way to the next tile
  /// more for each other lane; with holes, where each needs m elements that are multiples of a step
  /// apart, they need m + n - 1 along one dimension. Along two, m of D different tiles bring at
  /// least D + m - 1, as sums of two sets of numbers do.
  double mean = 1;
};

/// The values a * i + b * k of one tile.
class TileMarks {
public:
  TileMarks(const Window &window, int64_t firstSize, int64_t secondSize);
  int64_t count() const { return before.back(); }
  /// From the first to the last value.
  int64_t width() const { return static_cast<int64_t>(marks.size()); }
  /// The tile's values that the tile `distance` further back has, too.
  TileMarks sharedWith(int64_t distance) const;
  /// Values in [from, to).
  int64_t within(int64_t from, int64_t to) const;

private:
  TileMarks() = default;
  void sum();

  int64_t first = 0;
  std::vector<char> marks;
  std::vector<int64_t> before;
};

class WindowFloor {
public:
  WindowFloor(const MapSpace &space, const TileGrid &grid, const Window &window);

  /// Words without padding, and with it.
  struct Sum {
    double words = 0, full = 0;
    Sum operator-(const Sum &other) const { return {words - other.words, full - other.full}; }
  };
  /// The numbers of the factors of loops that are at their start, of both dimensions.
  using Starts = std::array<uint8_t, 2>;

  /// Words of all tiles, at what is outside.
  double whole(const TileGrid::Point &outside) const { return tile(outside).newAt.back(); }
  Sum all(const TileGrid::Point &outside, Starts starts) const {
    return tile(outside).all[at(starts)];
  }
  /// What is in the tile `distance` further back, too.
  Sum kept(const TileGrid::Point &outside, Starts starts, int64_t distance) const {
    const Tile &of = tile(outside);
    return std::abs(distance) >= of.width
               ? Sum()
               : of.kept[at(starts) * (2 * of.width - 1) + distance + of.width - 1];
  }
  /// The most that can be kept when all loops of these factors, which stand inside all lanes, start
  /// again together with any others of the window further out.
  Sum keptOnTurn(const TileGrid::Point &outside, Starts starts) const {
    return tile(outside).turns[at(starts)];
  }
  /// Words that no tile shares with another place of the window, at least one step of all `lanes`
  /// of the first or second dimension away.
  double fresh(const TileGrid::Point &outside, bool first, int64_t lanes) const {
    const Tile &of = tile(outside);
    return of.newFrom[std::min<int64_t>(std::abs(of.step[first ? 0 : 1]) * lanes, of.width)];
  }
  /// The same without positions where a loop of at least `factor` along that dimension is at its
  /// start.
  double freshInside(const TileGrid::Point &outside, bool first, int64_t lanes,
                     int64_t factor) const;
  /// Elements from a tile to the next one along a dimension.
  int64_t step(const TileGrid::Point &outside, bool first) const {
    return tile(outside).step[first ? 0 : 1];
  }
  /// Lanes lie as the tiles at `outside`, and hold tiles of the size at `held`, a multiple of it;
  /// `lanes`, which divide it, are their numbers.
  Sharing sharing(const TileGrid::Point &outside, const TileGrid::Point &held,
                  const TileGrid::Point &lanes) const {
    size_t all = tiles.size(), at = (numberOf(outside) * all + numberOf(lanes)) * all;
    return shared.empty() ? sharingOf(tile(outside), tile(held), lanes)
                          : shared[at + numberOf(held)];
  }
  /// Whether at least as many lanes can need an element of the tiles at `a` as of those at `b`,
  /// where lanes lie as the tiles at `steps` (anywhere without).
  bool reachesAsFar(const TileGrid::Point &a, const TileGrid::Point &b,
                    const TileGrid::Point *steps) const;
  const Window window;

private:
  struct Tile {
    int64_t width = 1;           ///< from the first to the last element
    int64_t count = 1;           ///< elements
    bool hasHoles = false;       ///< not all between them are needed
    int64_t step[2];             ///< from a tile to the next one
    std::vector<double> newAt;   ///< words not shared with a tile that far away; all at the end
    std::vector<double> newFrom; ///< the least of these from a distance on
    /// By factor of a loop: the least of these from a distance on, less the most that the tiles
    /// where it is at its start have of them, padding or not.
    std::vector<std::pair<int64_t, std::vector<double>>> newInside;
    std::vector<Sum> all, kept, turns; ///< by starts; `kept` by distance inside of that
  };
  size_t numberOf(const TileGrid::Point &point) const {
    return point[window.first] * seconds + point[window.second];
  }
  const Tile &tile(const TileGrid::Point &outside) const { return tiles[numberOf(outside)]; }
  size_t at(Starts starts) const { return starts[0] * seconds + starts[1]; }
  Tile makeTile(const MapSpace &space, uint8_t i, uint8_t k) const;
  void addFresh(Tile &tile, const TileMarks &marks, llvm::ArrayRef<int64_t> bases,
                llvm::ArrayRef<int64_t> factors) const;
  void addStarts(Tile &tile, const TileMarks &marks, llvm::ArrayRef<int64_t> bases, uint8_t i,
                 uint8_t k, bool severalArrays) const;
  Sharing sharingOf(const Tile &steps, const Tile &held, const TileGrid::Point &lanes) const;
  Sharing sharingOfBoth(const Tile &steps, const Tile &held, int64_t firsts, int64_t seconds) const;
  void addSharing();
  int64_t inside(const TileMarks &marks, int64_t base) const {
    return window.extent ? marks.within(-base, *window.extent - base) : marks.count();
  }

  const TileGrid &grid;
  size_t seconds;
  std::vector<Tile> tiles;
  std::vector<Sharing> shared; ///< by steps, lanes and held tiles; empty where they are many
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWFLOOR_H
