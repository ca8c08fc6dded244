// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy of a mapping as a sum over crossings: each word that enters a level costs so much when
// lanes are told apart, so much when those that share it count once. What starts from zero is
// accounted for where it arises: it is not read again further in. With that, lower bounds of flows
// are lower bounds of energies.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H

#include "backends/loopnest/search/FlowFloors.h"
#include "backends/loopnest/search/MappingEvaluator.h"

namespace perfc {
namespace loopnest {

/// Factors on the axes of the last array, whatever their order, with what one word costs there.
struct LaneChoice {
  std::vector<TileGrid::Point> factors; ///< by axis
  TileGrid::Point lanes;                ///< together
  double count = 1;
  struct Price {
    double fixed = 0;  ///< J per word, lanes told apart
    double shared = 0; ///< J per word, to be divided by the lanes that share a window's word
    double hops = 0;   ///< the part of `shared` that links take, at least
    bool windowed = false;
  };
  llvm::SmallVector<Price, 8> prices; ///< by crossing
  double offset = 0;                  ///< J besides, at most 0
};

class CrossingCosts {
public:
  CrossingCosts(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                const TileGrid &grid, const FlowFloors &floors);

  const CrossingCost &of(unsigned crossing) const { return costs[crossing]; }
  /// What does not depend on the mapping.
  double constant() const { return fixed; }
  const std::vector<LaneChoice> &choices() const { return laneChoices; }
  /// False when there are more choices than tables are worth.
  bool isValid() const { return !laneChoices.empty() && laneChoices.size() < choiceLimit; }
  /// Slots of the last array; both one when there is none.
  unsigned arrayBegin() const { return begin; }
  unsigned arrayEnd() const { return end; }
  bool crosses(unsigned crossing) const {
    return space.crossings[crossing].end >= end && space.crossings[crossing].parentEnd < begin;
  }
  /// J per word where lanes lie as the tiles at `outside`, and hold tiles of the size at `held`.
  double price(const LaneChoice &choice, unsigned crossing, const TileGrid::Point &outside,
               const TileGrid::Point &held) const {
    const LaneChoice::Price &price = choice.prices[crossing];
    if (!price.windowed)
      return price.fixed + price.shared;
    return price.fixed + price.shared / floors.sharing(space.crossings[crossing].tensor, outside,
                                                       held, choice.lanes);
  }

private:
  static constexpr size_t choiceLimit = 50000;
  void addCosts(const CostWeights &weights);
  void addChoices(const SlotRules &rules, LaneChoice &choice, unsigned slot, unsigned dim,
                  int64_t product);
  LaneChoice::Price priceOf(LaneChoice &choice, unsigned crossing) const;
  double hopsPerMessage(const LaneChoice &choice, const Crossing &crossing, bool windowed) const;

  const MapSpace &space;
  const CostWeights &weights;
  const TileGrid &grid;
  const FlowFloors &floors;
  std::vector<CrossingCost> costs;
  std::vector<LaneChoice> laneChoices;
  double fixed = 0;
  unsigned begin = 1, end = 1, array = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H
