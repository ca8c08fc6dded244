// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the capacities of memories further in cost at least, whatever the mapping. All that enters
// the levels behind one boundary is settled by the tile A there and by the order in which loops
// over the indices begin outside of it. When the innermost loop over an index of tensor T stands
// there, and only loops over the indices Z stand inside of it, then at least
//     |T| * prod over indices d that T lacks, Z left out, of ceil(N_d / A_d)
// words enter (docs/mapper.md). The floor is the least cost over all orders and all tiles that the
// memory behind the boundary has room for: best-first over boxes of tiles, each bounded by its
// largest tile and admitted by its smallest one. Boundaries are looked at alone and together: tiles
// further in are not larger, and loops between two boundaries have one order for all further in.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TILEFLOORS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TILEFLOORS_H

#include "backends/loopnest/search/ChainTiles.h"
#include "backends/loopnest/search/CostWeights.h"

namespace perfc {
namespace loopnest {

/// What is known of each tensor before any mapping.
struct TensorFacts {
  std::vector<int64_t> elements; ///< that the op touches
  std::vector<double> accesses;  ///< points that are not padding
  std::vector<DimMask> padded;   ///< dimensions of ranks with padding
};

class TileFloors {
public:
  /// `imperfect`: factors may leave a rest. At most `mostBoxes` boxes are looked at per floor; what
  /// is left then bounds it.
  TileFloors(const MapSpace &space, const CostWeights &weights, const TensorFacts &facts,
             const ChainTiles &tiles, bool imperfect, unsigned mostBoxes);

  /// J of all that enters the levels whose boundary is `stop` slots further in than the outside.
  double energy(unsigned stop) const { return energies[stop]; }
  /// The same for all boundaries together.
  double energy() const { return together; }
  /// Bits that these flows bring to a memory and take from it together.
  double bits(unsigned stop, unsigned memory) const { return moved[stop][memory]; }

  /// The slots whose loops settle what enters the level of a crossing: those outside of it, and
  /// outside of all arrays.
  static unsigned stopOf(const MapSpace &space, const Crossing &crossing);
  /// True when the slot is an axis along which messages of the tensor serve several lanes.
  static bool sharesAlong(const MapSpace &space, unsigned slot, unsigned tensor);
  /// J that a delivery to a lane takes at least, whether it comes with a word of its own or by one
  /// more link of another's: the tree to s lanes has at least s - 1 links. Words cost so much less,
  /// then. 0 for what is not on its way to lanes, across one array with at most two axes.
  static double perDelivery(const MapSpace &space, const CostWeights &weights,
                            const Crossing &crossing);

private:
  using Tile = ChainTiles::Tile;
  /// One crossing with what its words cost.
  struct Flow {
    unsigned tensor;
    double perWord = 0;
    double perAgain = 0; ///< for those beyond one per element
    double least = 0;    ///< words, whatever the tiles are
    double costOf(double words, double elements) const {
      words = std::max(words, least);
      return words * perWord + std::max(0.0, words - elements) * perAgain;
    }
  };
  using Flows = llvm::SmallVector<Flow, 4>;
  /// The levels behind one boundary.
  struct Group {
    unsigned stop;
    bool hasLanes;
    int memory = -1;   ///< that the tile must fit; -1 for none
    double lanes = 1;  ///< between the boundary and the memory
    bool full = false; ///< nothing but lanes is inside
  };
  /// Tiles between two, as numbers of ranges of values.
  struct Range {
    std::array<uint32_t, maxDims> low{}, high{};
    double bound = 0; ///< of the flows behind this boundary
  };
  /// By boundary, from the outside in.
  struct Box {
    llvm::SmallVector<Range, 2> ranges;
    double bound = 0;
  };
  /// The same as values.
  struct Tiles {
    Tile low, high;
  };
  /// Boundaries with what moves there.
  struct Problem {
    llvm::SmallVector<Group, 2> groups;
    llvm::SmallVector<Flows, 2> flows;
  };
  /// Loops that surely stand between two boundaries.
  struct PlaceLoops {
    unsigned slots; ///< whose loops they are
    llvm::SmallVector<unsigned, maxDims> loops;
    const Tiles *inside;
    const Tiles *outside; ///< null without loops further out
  };
  struct Settling;

  Group groupOf(unsigned stop) const;
  Flow flowOf(const Crossing &crossing) const;
  void addValues(unsigned dim);
  double leastOf(const Problem &problem) const;
  bool weigh(const Problem &problem, Box &box, size_t first) const;
  std::pair<size_t, unsigned> widest(const Box &box) const;
  Tiles tilesOf(const Range &range) const;
  Settling settlingOf(const Group &group, const Flow &flow, const Tiles &tiles,
                      const PlaceLoops &place) const;
  double leastOfOrders(unsigned count, llvm::ArrayRef<Settling> list) const;
  double bound(const Group &group, const Flows &flows, const Tiles &between) const;
  double bound(const Problem &problem, const Box &box) const;
  bool hasRoom(const Group &group, const Tile &tile) const;
  bool lanesFit(const Group &group, const Tile &tile, Tile &inside, size_t number, double lanes,
                unsigned &tries) const;
  double windowShare(const Group &group, unsigned tensor, unsigned dim, const Tiles &inside) const;
  double keptShare(const Group &group, unsigned tensor, unsigned dim, const Tile &low,
                   const Tile &high) const;

  const MapSpace &space;
  const CostWeights &weights;
  const TensorFacts &facts;
  const ChainTiles &tiles;
  bool imperfect;
  unsigned mostBoxes;
  llvm::SmallVector<unsigned, maxDims> dims; ///< with more than one value
  /// What a tile may have of an index: ranges of values, most of them of one, by growing values.
  std::array<std::vector<int64_t>, maxDims> least, most;
  std::array<double, maxSlots + 1> energies{}; ///< by stop
  double together = 0;
  std::array<std::vector<double>, maxSlots + 1> moved; ///< by stop and memory
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TILEFLOORS_H
