// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/CrossingCosts.h"

#include "backends/loopnest/search/AxisPositions.h"

using namespace perfc;
using namespace perfc::loopnest;

CrossingCosts::CrossingCosts(const MapSpace &space, const CostWeights &weights,
                             const SlotRules &rules, const TileGrid &grid, const FlowFloors &floors)
    : space(space), weights(weights), grid(grid), floors(floors) {
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (space.slots[s].isAxis) {
      if (space.slots[s].axis == 0)
        begin = s;
      end = s + 1;
      array = space.slots[s].number;
    }
  addCosts(weights);
  LaneChoice choice;
  choice.factors.assign(end - begin, TileGrid::Point{});
  choice.lanes.fill(0);
  addChoices(rules, choice, begin, 0, 1);
}

/// Energies as in MappingEvaluator::evaluate, by crossing.
void CrossingCosts::addCosts(const CostWeights &weights) {
  fixed = weights.constantEnergy;
  costs.resize(space.crossings.size());
  double spared = 0; // J per word that starts from zero, further in
  for (size_t k = space.crossings.size(); k-- > 0;) {
    const Crossing &crossing = space.crossings[k];
    CrossingCost &cost = costs[k];
    unsigned t = crossing.tensor;
    bool output = space.tensors[t].isOutput;
    cost.atLanes = crossing.level == space.lanes();
    if (cost.atLanes)
      spared = 0;
    double words = 0;
    for (unsigned a : crossing.arrays) {
      words += weights.arrays[a].word[t];
      cost.copy += weights.arrays[a].copy[t];
    }
    const MemoryWeights &parent = weights.memories[crossing.parent];
    const MemoryWeights *level = cost.atLanes ? nullptr : &weights.memories[crossing.level];
    cost.declared = parent.read[t] + words + (output ? parent.update[t] + words : 0);
    if (!output) {
      cost.separate = level ? level->write[t] : 0;
      continue;
    }
    cost.separate = level ? level->read[t] - spared : 0;
    cost.shared = level ? level->write[t] + spared : 0;
    double fromZero = parent.read[t] + words + (level ? level->write[t] : 0);
    fixed -= static_cast<double>(space.tensors[t].plainSize) * fromZero;
    spared += fromZero;
  }
}

//===-- Lanes
//----------------------------------------------------------------------------------===//

/// All factors on all axes, dimension by dimension.
void CrossingCosts::addChoices(const SlotRules &rules, LaneChoice &choice, unsigned slot,
                               unsigned dim, int64_t product) {
  if (laneChoices.size() == choiceLimit)
    return;
  if (slot == end) {
    LaneChoice &added = laneChoices.emplace_back(choice);
    added.count = 1;
    for (unsigned d = 0; d < space.dims(); ++d)
      added.count *= static_cast<double>(grid.value(d, added.lanes[d]));
    for (unsigned k = 0; k < space.crossings.size(); ++k)
      added.prices.push_back(priceOf(added, k));
    return;
  }
  if (dim == space.dims())
    return addChoices(rules, choice, slot + 1, 0, 1);
  uint8_t before = choice.lanes[dim];
  for (unsigned i = 0; i < grid.divisorCount(dim); ++i) {
    auto number = static_cast<uint8_t>(i);
    int64_t factor = grid.value(dim, number);
    if (factor > space.slots[slot].size / product)
      break;
    uint8_t lanes = grid.times(dim, before, number);
    if (lanes == TileGrid::none || !rules[slot].allows(dim, factor))
      continue;
    choice.factors[slot - begin][dim] = number;
    choice.lanes[dim] = lanes;
    addChoices(rules, choice, slot, dim + 1, product * factor);
  }
  choice.factors[slot - begin][dim] = 0;
  choice.lanes[dim] = before;
}

/// Calls \p visit with the positions that each order of the loops gives.
static void forEachOrder(const MapSpace &space, const TileGrid &grid,
                         const TileGrid::Point &factors, DimMask used, bool shares,
                         llvm::function_ref<void(const AxisPositions &)> visit) {
  llvm::SmallVector<unsigned, maxDims> dims;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (factors[d] > 0)
      dims.push_back(d);
  do {
    AxisPositions positions;
    for (unsigned d : dims)
      positions.addLoop(grid.value(d, factors[d]), used >> d & 1, shares, false);
    visit(positions);
  } while (std::next_permutation(dims.begin(), dims.end()));
}

/// Links per word that lanes with the same setting share, at the best order of the loops.
double CrossingCosts::hopsPerMessage(const LaneChoice &choice, const Crossing &crossing,
                                     bool windowed) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask used = tensor.plain | tensor.windowed;
  auto shares = [&](unsigned s) {
    return tensor.isOutput ? space.slots[s].reduce : space.slots[s].multicast;
  };
  int64_t along = INT64_MAX, across = 0, middle = 0;
  AxisPositions x, y;
  forEachOrder(space, grid, choice.factors[0], used, shares(begin), [&](const AxisPositions &p) {
    along = std::min(along, p.sum() + p.settings * p.reach);
    x = p;
  });
  if (end - begin > 1) {
    across = INT64_MAX;
    middle = (space.slots[begin + 1].size - 1) / 2;
    forEachOrder(space, grid, choice.factors[1], used, shares(begin + 1),
                 [&](const AxisPositions &p) {
                   across = std::min(across, p.spans(middle));
                   y = p;
                 });
  }
  int64_t relevant = 1;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (used >> d & 1)
      for (unsigned a = 0; a < std::min<size_t>(2, choice.factors.size()); ++a)
        relevant *= grid.value(d, choice.factors[a][d]);
  auto perMessage = [&](int64_t links) {
    return static_cast<double>(links) / static_cast<double>(relevant);
  };
  double mean = perMessage(y.settings * along + x.settings * x.together * across);
  if (!windowed)
    return mean;
  // Padding takes words from the lanes that are farthest, at worst.
  double rest = floors.insideShare(crossing.tensor);
  double copies = perMessage(x.settings * y.settings);
  double farthest = copies * static_cast<double>(x.stride - 1 + x.together * (middle + y.stride));
  return rest > 0 ? std::max(0.0, (mean - farthest * (1 - rest)) / rest) : 0;
}

LaneChoice::Price CrossingCosts::priceOf(LaneChoice &choice, unsigned k) const {
  const Crossing &crossing = space.crossings[k];
  const CrossingCost &cost = costs[k];
  LaneChoice::Price price;
  if (crossing.end < end)
    return price; // decided before
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask used = tensor.plain | tensor.windowed;
  double idle = 1, declaredIdle = 1;
  bool exact = true;
  DimMask spread = 0;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s) {
    if (!space.slots[s].isAxis)
      continue;
    double lanes = 1;
    if (s < begin) {
      lanes = static_cast<double>(space.slots[s].size);
      exact = false;
    } else {
      for (unsigned d = 0; d < space.dims(); ++d) {
        spread |= DimMask(choice.factors[s - begin][d] > 0) << d;
        if (!(used >> d & 1))
          lanes *= static_cast<double>(grid.value(d, choice.factors[s - begin][d]));
      }
    }
    idle *= lanes;
    bool sends = tensor.isOutput ? space.slots[s].reduce : space.slots[s].multicast;
    declaredIdle *= sends ? lanes : 1;
  }
  price.windowed = spread & tensor.windowed;
  exact &= !price.windowed;
  double sent = cost.declared - cost.copy;
  price.fixed = cost.separate + cost.copy + (sent < 0 && !exact ? sent : 0);
  price.shared = cost.shared / idle + (sent >= 0 || exact ? sent / declaredIdle : 0);
  if (price.windowed && sent >= 0)
    price.shared = (cost.shared + sent) / idle;
  if (spread && !(spread & tensor.cut) && weights.arrays[array].hop[crossing.tensor] != 0) {
    double lanes = 1; // of this array that share a word
    for (unsigned d = 0; d < space.dims(); ++d)
      if (!(used >> d & 1))
        lanes *= static_cast<double>(grid.value(d, choice.lanes[d]));
    price.hops = weights.arrays[array].hop[crossing.tensor] / lanes *
                 hopsPerMessage(choice, crossing, price.windowed);
    price.shared += price.hops;
  }
  // What costs less than nothing is at most what the lanes take.
  if (double total = price.fixed + price.shared; total < 0) {
    choice.offset += total * floors.missing(crossing.tensor, grid.last()) *
                     floors.whole(crossing.tensor, grid.last());
    price = LaneChoice::Price();
  }
  return price;
}
