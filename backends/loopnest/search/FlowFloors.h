// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of what enters a level, from what the loops outside it take of each dimension and
// from the innermost of them. With whole(T) the words of all tiles of T, padding left out:
//     a loop of a rank of T is innermost:    whole(T) * product of the other dimensions
//     a loop of another dimension:           less by what that and its neighbours repeat
//     a loop that slides a window:           what its steps bring, by the loops of its slot
// Exact but for windows, where it is not known what the loops further out that start them again
// leave: there a tile shares at most what it shares with any that they can go on from.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_FLOWFLOORS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_FLOWFLOORS_H

#include "backends/loopnest/search/WindowFloor.h"

namespace perfc {
namespace loopnest {

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
  bool operator==(const Trail &other) const {
    return repeats == other.repeats && next == other.next && dim == other.dim &&
           factor == other.factor && lanes == other.lanes;
  }
};

/// Those of all tensors, with what loops in time take of each dimension.
struct Trails {
  llvm::SmallVector<Trail, 4> of;
  DimMask moving = 0; ///< dimensions that have loops in time
};

/// What the loops of the first `end` slots do.
Trails trailsOf(const MapSpace &space, const Mapping &mapping, unsigned end);
/// The same with those of one more slot, which is inside all lanes.
Trails extended(const MapSpace &space, const Trails &before, const Mapping &mapping, unsigned slot);

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
  /// What enters a level, lanes told apart, with its padding, which has to be left out of it.
  struct Brought {
    double words = 0;   ///< at least
    double padding = 0; ///< at most
  };
  /// What enters when these loops stand innermost, the innermost one first, inside all lanes;
  /// nothing of the tensor moves further in, and the first of them slides a window.
  Brought slidingInside(unsigned tensor, size_t outside, llvm::ArrayRef<SlotLoop> loops) const;
  /// Padding in all tiles, once for each setting of the dimensions that the tensor lacks.
  double padding(unsigned tensor, size_t outside) const {
    return tensors[tensor].padding.empty() ? 0 : tensors[tensor].padding[outside];
  }
  /// The least of these over all loops that may stand outside: dimensions of `time` above one.
  double slidingAtBest(unsigned tensor, size_t outside, const TileGrid::Point &time,
                       const TileGrid::Point &lanes) const;
  /// What enters a level, lanes told apart: all that is outside is at `outside`.
  double flow(unsigned tensor, size_t outside, const Trails &trails) const {
    return flow(tensor, outside, trails.of[tensor], trails.moving);
  }
  /// The least of these over the orders of a slot with the loops `factor`, inside `before` and all
  /// lanes.
  double flowAtBest(unsigned tensor, size_t outside, const TileGrid::Point &factor,
                    const Trails &before) const;
  unsigned partnerOf(unsigned tensor, unsigned dim) const;
  /// See WindowFloor: for all windows of the tensor.
  bool reachesAsFar(unsigned tensor, const TileGrid::Point &a, const TileGrid::Point &b,
                    const TileGrid::Point *steps) const {
    return llvm::all_of(tensors[tensor].windows, [&](const WindowFloor &window) {
      return window.reachesAsFar(a, b, steps);
    });
  }
  /// Lanes that need one word at once, by the dimensions of windows.
  Sharing sharing(unsigned tensor, const TileGrid::Point &outside, const TileGrid::Point &held,
                  const TileGrid::Point &lanes) const;

private:
  double flow(unsigned tensor, size_t outside, const Trail &trail, DimMask moving) const;
  struct PerTensor {
    std::vector<double> missing, whole, padding;
    std::vector<WindowFloor> windows;
  };
  class Epochs;
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
