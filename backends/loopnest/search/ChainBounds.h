// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds for mappings whose factors may leave a rest. The loops of an index are a chain: with
// P the product of all but the outermost, that one runs ceil(N / P) times, and its last pass may be
// partial. A partial mapping has decided the outermost slots; for the rest each index has P values
// left. What enters a level is bounded by
//     |T| * prod over indices that T lacks of ceil(N / P)
// for the loops outside which surely bring everything anew (docs/mapper.md has the proof), lanes by
// the steps that they need, prod ceil(N / lanes of the index).
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINBOUNDS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINBOUNDS_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include "backends/loopnest/search/TileFloors.h"
#include <memory>

namespace perfc {
namespace loopnest {

/// A partial mapping with chains of any factors.
struct ChainNode {
  Mapping mapping;
  /// Values of each dimension that the slots from a number on cover; entry 0 are the sizes.
  std::array<std::array<int64_t, maxDims>, maxSlots + 1> inside;
};

class ChainBounds {
public:
  /// `elements`: of each tensor, how many the op touches.
  ChainBounds(const MapSpace &space, const CostWeights &weights, std::vector<int64_t> elements);

  /// Makes the bounds know the capacities of memories further in. `imperfect`: factors may leave a
  /// rest; the more boxes, the better the floors.
  void useFloors(bool imperfect, unsigned mostBoxes);
  /// No completion of the first `decided` slots costs less, by the full model or the closed form.
  /// Where conditions leave points out that tells nothing: words and steps are those of the box.
  Score bound(const ChainNode &node, unsigned decided) const;
  /// Bits that a memory needs at least, when what is outside of it is decided.
  double leastBits(const ChainNode &node, unsigned memory) const {
    return isCut() ? 0 : tiles.leastBits(memory, node.inside[space.memorySlot[memory]]);
  }
  /// How many elements of each tensor the op touches: what the outermost memory holds.
  static std::vector<int64_t> elementsOf(const MapSpace &space);
  /// The node that has decided nothing.
  static ChainNode rootOf(const MapSpace &space);

private:
  bool isCut() const { return !space.nest.conditions.empty(); }
  /// The loops outside that surely bring a tensor anew: what is known while they are walked from
  /// the inside.
  struct Walk;
  double words(const ChainNode &node, unsigned decided, unsigned tensor, unsigned end) const;
  double laneWords(const ChainNode &node, unsigned decided, const Crossing &crossing) const;
  double stepsAtLeast(const ChainNode &node, unsigned decided) const;
  /// What all crossings take at least, together.
  struct Flows;
  void addFlow(const ChainNode &node, unsigned decided, unsigned crossing, Flows &flows) const;
  double memoryTime(const ChainNode &node, unsigned decided, unsigned memory,
                    const Flows &flows) const;
  double edgeTime(const ChainNode &node, unsigned decided) const;
  bool windowsApart(const ChainNode &node, unsigned tensor, unsigned dim, unsigned end) const;
  double lanesBetween(const ChainNode &node, unsigned decided, unsigned from, unsigned to) const;

  const MapSpace &space;
  const CostWeights &weights;
  TensorFacts facts;
  ChainTiles tiles;
  unsigned firstAxis;
  llvm::SmallVector<unsigned, 16> stops; ///< by crossing: see TileFloors
  std::shared_ptr<const TileFloors> floors;
  /// By number of axis slots that are not decided: the fewest steps for all indices together.
  std::vector<double> leastSteps;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINBOUNDS_H
