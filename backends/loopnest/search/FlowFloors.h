// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of what enters a level, from what the loops outside it take of each dimension and
// from the innermost of them. With whole(T) the words of all tiles of T, padding left out:
//     a loop of a rank of T is innermost:    whole(T) * product of the other dimensions
//     a loop of another dimension:           less by what that and its neighbours repeat
//     a loop that slides a window:           whole(T) less what a tile can share with any other
// Exact but for windows, where a tile shares at most what it shares with its nearest neighbour.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_FLOWFLOORS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_FLOWFLOORS_H

#include "backends/loopnest/search/TileGrid.h"
#include <algorithm>

namespace perfc {
namespace loopnest {

/// The sums of one window over all positions of its tiles.
class WindowFloor {
public:
  WindowFloor(const MapSpace &space, const TileGrid &grid, const Window &window);

  /// Words of all tiles, at what is outside.
  double whole(const TileGrid::Point &outside) const { return tile(outside).newAt.back(); }
  /// Words that no tile shares with another place of the window, at least one step of all `lanes`
  /// of the first or second dimension away.
  double fresh(const TileGrid::Point &outside, bool first, int64_t lanes) const {
    const Tile &at = tile(outside);
    return at.newFrom[std::min<int64_t>(at.step[first ? 0 : 1] * lanes, at.width)];
  }
  /// The same, with and without padding.
  struct Sum {
    double words, full;
  };
  /// At the closest a step of the first or second dimension brings a tile.
  Sum advance(const TileGrid::Point &outside, bool first) const {
    const Tile &at = tile(outside);
    int64_t shift = std::min(at.step[first ? 0 : 1], at.width);
    return {at.newFrom[shift], at.fullFrom[shift]};
  }
  /// When all of these loops that stand further in than one that advances start again: words that a
  /// tile does not share with one at this distance.
  Sum at(const TileGrid::Point &outside, int64_t distance) const {
    const Tile &tileAt = tile(outside);
    int64_t shift = std::min(std::abs(distance), tileAt.width);
    return {tileAt.newAt[shift], tileAt.fullAt[shift]};
  }
  /// The least when the innermost loop, with the number of its factor, is inside all lanes and
  /// starts again together with any other loops of the window.
  Sum turn(const TileGrid::Point &outside, bool first, uint8_t factor) const {
    return tile(outside).turns[first ? 0 : 1][factor];
  }
  /// Elements from a tile to the next one along a dimension.
  int64_t step(const TileGrid::Point &outside, bool first) const {
    const Tile &at = tile(outside);
    return (first ? window.a : window.b) < 0 ? -at.step[first ? 0 : 1] : at.step[first ? 0 : 1];
  }
  /// Least share of the words that padding leaves, in any of these sums.
  double insideShare() const { return share; }
  /// Most lanes that need an element at once: lanes lie as the tiles at `outside`, and hold tiles
  /// of the size at `held`.
  double sharing(const TileGrid::Point &outside, const TileGrid::Point &held, int64_t firstLanes,
                 int64_t secondLanes) const {
    const Tile &at = tile(outside);
    int64_t reach = tile(held).width - 1;
    int64_t firsts = std::min(firstLanes, reach / at.step[0] + 1);
    int64_t seconds = std::min(secondLanes, reach / at.step[1] + 1);
    return static_cast<double>(std::min(secondLanes * firsts, firstLanes * seconds));
  }
  const Window window;

private:
  struct Tile {
    int64_t width = 1;           ///< from the first to the last element
    int64_t step[2];             ///< from a tile to the next one
    std::vector<double> newAt;   ///< words not shared with a tile that far away; all at the end
    std::vector<double> newFrom; ///< the least of these from a distance on
    std::vector<double> fullAt, fullFrom; ///< the same without padding
    std::vector<Sum> turns[2];
  };
  const Tile &tile(const TileGrid::Point &outside) const {
    return tiles[outside[window.first] * seconds + outside[window.second]];
  }
  Tile makeTile(const MapSpace &space, const TileGrid &grid, uint8_t i, uint8_t k);
  static Sum leastOnReturn(const Tile &tile, llvm::ArrayRef<int64_t> own,
                           llvm::ArrayRef<int64_t> other, int64_t factor, int64_t ownStep,
                           int64_t otherStep);

  size_t seconds;
  std::vector<Tile> tiles;
  double share = 1;
};

/// What the loops in time outside a place do, for one tensor.
struct Trail {
  enum Next : uint8_t {
    Nothing, ///< nothing of the tensor moves
    Plain,   ///< a loop of a rank moves: all is new
    Slide    ///< a window slides
  };
  double repeats = 1; ///< product of loops inside of which nothing of the tensor moves
  Next next = Nothing;
  uint8_t dim = 0;    ///< Slide: of the loop
  int64_t factor = 2; ///< Slide: at least
  int64_t lanes = 1;  ///< Slide: lanes of that dimension further in
};

/// Those of all tensors, with what loops in time take of each dimension.
struct Trails {
  llvm::SmallVector<Trail, 4> of;
  DimMask moving = 0; ///< dimensions that have loops in time
};

/// What the loops of the first `end` slots do.
Trails trailsOf(const MapSpace &space, const Mapping &mapping, unsigned end);

class FlowFloors {
public:
  FlowFloors(const MapSpace &space, const TileGrid &grid);

  /// Product of what is outside in dimensions that the tensor lacks.
  double missing(unsigned tensor, size_t outside) const { return tensors[tensor].missing[outside]; }
  /// Words of all its tiles.
  double whole(unsigned tensor, size_t outside) const { return tensors[tensor].whole[outside]; }
  /// The same when a window slides along `dim`, and the loop is outside all `lanes` of that
  /// dimension; `partner` when loops in time of the window's other one may stand outside.
  double sliding(unsigned tensor, size_t outside, unsigned dim, int64_t factor, int64_t lanes,
                 bool partner) const;
  /// A loop of a slot: its dimension and the number of its factor.
  using SlotLoop = std::pair<unsigned, uint8_t>;
  /// Words of all tiles when these loops stand innermost, the innermost one first, inside all
  /// lanes; nothing of the tensor moves further in, and the first of them slides a window.
  double slidingInside(unsigned tensor, size_t outside, llvm::ArrayRef<SlotLoop> loops) const;
  /// The least of these over all loops that may stand outside: dimensions of `time` above one.
  double slidingAtBest(unsigned tensor, size_t outside, const TileGrid::Point &time,
                       const TileGrid::Point &lanes) const;
  /// What enters a level, lanes told apart: all that is outside is at `outside`.
  double flow(unsigned tensor, size_t outside, const Trails &trails) const;
  /// Least share of the words that padding leaves.
  double insideShare(unsigned tensor) const;
  unsigned partnerOf(unsigned tensor, unsigned dim) const;
  /// Most lanes that need one word at once, by the dimensions of windows.
  double sharing(unsigned tensor, const TileGrid::Point &outside, const TileGrid::Point &held,
                 const TileGrid::Point &lanes) const;

private:
  struct PerTensor {
    std::vector<double> missing, whole;
    std::vector<WindowFloor> windows;
  };
  const WindowFloor &windowOf(unsigned tensor, unsigned dim) const {
    return tensors[tensor].windows[space.tensors[tensor].windowOf[dim]];
  }

  const MapSpace &space;
  const TileGrid &grid;
  std::vector<PerTensor> tensors;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_FLOWFLOORS_H
