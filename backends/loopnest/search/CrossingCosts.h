// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy of a mapping as a sum over crossings: each word that enters a level costs so much when
// lanes are told apart, so much when those that share it count once. What starts from zero is
// accounted for where it arises: it is not read again further in. With that, lower bounds of flows
// are lower bounds of energies. Where partial sums have a size of their own, all words of the
// result are partial sums here, and what finished ones spare is part of what does not depend on the
// mapping, or on more of it than the lanes.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H

#include "backends/loopnest/search/FlowFloors.h"
#include "backends/loopnest/search/LaneSplits.h"
#include "backends/loopnest/search/MappingEvaluator.h"

namespace perfc {
namespace loopnest {

/// Factors on the axes of the last array, whatever their order, with what one word costs there.
struct LaneChoice : LaneSplit {
  double count = 1;
  struct Price {
    double fixed = 0;   ///< J per word, lanes told apart
    double shared = 0;  ///< J per word, to be divided by the lanes that share a window's word
    double hops = 0;    ///< J per word that links take, at least; to be divided as well
    double farther = 0; ///< J that a word of padding would have taken more than that, at most
    bool windowed = false;
    /// J of words that enter a level, lanes told apart. Without its padding, what lanes need
    /// together is less by no more than that.
    double cost(const FlowFloors::Brought &flow, const Sharing &sharing) const {
      if (!windowed)
        return (fixed + shared + hops) * flow.words;
      double together = (flow.words + flow.padding) / sharing.mean - flow.padding;
      double words = std::max(flow.words / sharing.most, together);
      double links = std::max({0.0, (hops * flow.words - farther * flow.padding) / sharing.most,
                               hops * together - farther * flow.padding});
      return fixed * flow.words + shared * words + links;
    }
  };
  llvm::SmallVector<Price, 8> prices; ///< by crossing
  /// By crossing: lanes of which those along a window may share words.
  llvm::SmallVector<TileGrid::Point, 8> together;
  double offset = 0; ///< J besides, at most 0
};

class CrossingCosts {
public:
  CrossingCosts(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                const TileGrid &grid, const Symmetry &symmetry, const FlowFloors &floors);

  const CrossingCost &of(unsigned crossing) const { return costs[crossing]; }
  /// What does not depend on the mapping.
  double constant() const { return fixed; }
  const std::vector<LaneChoice> &choices() const { return laneChoices; }
  /// The choice with the loops on each axis in the order that `mapping` gives them: what links
  /// take is that of these orders, not that of the best ones.
  LaneChoice ordered(const LaneChoice &choice, const Mapping &mapping) const;
  /// False when there are more choices than tables are worth.
  bool isValid() const { return !laneChoices.empty(); }
  /// Whether links cost nothing and no word that is sent costs less than one that is shared: more
  /// sharing then costs no more.
  bool sharingPays() const;
  /// Slots of the last array; both one when there is none.
  unsigned arrayBegin() const { return begin; }
  unsigned arrayEnd() const { return end; }
  /// J of words that enter a level, lanes told apart, with at most so much padding left out; lanes
  /// lie as the tiles at `outside`, and hold tiles of the size at `held`.
  double cost(const LaneChoice::Price &price, unsigned crossing, const TileGrid::Point &outside,
              const TileGrid::Point &held, const TileGrid::Point &lanes,
              const FlowFloors::Brought &flow) const {
    if (!price.windowed)
      return price.cost(flow, Sharing());
    return price.cost(flow, floors.sharing(space.crossings[crossing].tensor, outside, held, lanes));
  }

private:
  void addCosts(const CostWeights &weights);
  void addSpared();
  bool finishes(unsigned crossing, const LaneChoice &choice) const;
  void addPrices(LaneChoice &choice, const Mapping *orders) const;
  LaneChoice::Price priceOf(LaneChoice &choice, unsigned crossing, const Mapping *orders) const;
  TileGrid::Point togetherOf(const LaneChoice &choice, unsigned crossing) const;
  void addHops(LaneChoice::Price &price, LaneChoice &choice, unsigned k,
               const Mapping *orders) const;

  const MapSpace &space;
  const CostWeights &weights;
  const TileGrid &grid;
  const FlowFloors &floors;
  std::vector<CrossingCost> costs;
  std::vector<double> wider;  ///< by crossing: how much more bits a partial sum has, as sent
  std::vector<double> spared; ///< by crossing: J where sums are complete in the level
  std::vector<LaneChoice> laneChoices;
  double fixed = 0;
  unsigned begin = 1, end = 1, array = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CROSSINGCOSTS_H
