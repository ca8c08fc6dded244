// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/CrossingCosts.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

CrossingCosts::CrossingCosts(const MapSpace &space, const CostWeights &weights,
                             const SlotRules &rules, const TileGrid &grid, const Symmetry &symmetry,
                             const FlowFloors &floors)
    : space(space), weights(weights), grid(grid), floors(floors) {
  for (unsigned s = 0; s < space.slots.size(); ++s)
    if (space.slots[s].isAxis) {
      if (space.slots[s].axis == 0)
        begin = s;
      end = s + 1;
      array = space.slots[s].number;
    }
  addCosts(weights);
  addSpared();
  LaneSplits splits(space, rules, grid, symmetry, begin, end, sharingPays());
  if (!splits.isComplete())
    return;
  for (const LaneSplit &split : splits.all()) {
    LaneChoice &added = laneChoices.emplace_back(LaneChoice{split});
    for (unsigned d = 0; d < space.dims(); ++d)
      added.count *= static_cast<double>(grid.value(d, added.lanes[d]));
    addPrices(added, nullptr);
  }
}

bool CrossingCosts::sharingPays() const {
  return llvm::none_of(weights.arrays, [](const ArrayWeights &on) { return on.hasHops(); }) &&
         llvm::all_of(costs, [](const CrossingCost &cost) { return cost.declared >= cost.copy; });
}

/// Energies as in MappingEvaluator::evaluate, by crossing.
void CrossingCosts::addCosts(const CostWeights &weights) {
  fixed = weights.constantEnergy;
  costs.resize(space.crossings.size());
  for (const Crossing &crossing : space.crossings)
    wider.push_back(static_cast<double>(movedBits(space.nest, memoryOf(space.nest, crossing.parent),
                                                  crossing.tensor)) /
                    static_cast<double>(space.tensors[crossing.tensor].bits));
  double further = 0; // J per word that starts from zero, further in
  bool arrays = false;
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (const Crossing &crossing = space.crossings[k]; crossing.tensor == space.output) {
      costs[k].readsBack = crossing.level < space.lanes() && !arrays;
      arrays |= !crossing.arrays.empty();
    }
  for (size_t k = space.crossings.size(); k-- > 0;) {
    const Crossing &crossing = space.crossings[k];
    CrossingCost &cost = costs[k];
    unsigned t = crossing.tensor;
    bool output = space.tensors[t].isOutput;
    cost.atLanes = crossing.level == space.lanes();
    if (cost.atLanes)
      further = 0;
    double words = 0;
    for (unsigned a : crossing.arrays) {
      words += weights.arrays[a].word[t] * wider[k];
      cost.copy += weights.arrays[a].copy[t] * wider[k];
    }
    const MemoryWeights &parent = weights.memories[crossing.parent];
    const MemoryWeights *level = cost.atLanes ? nullptr : &weights.memories[crossing.level];
    cost.declared = parent.read[t] + words + (output ? parent.update[t] + words : 0);
    if (!output) {
      cost.separate = level ? level->write[t] : 0;
      continue;
    }
    cost.separate = level ? level->read[t] - further : 0;
    cost.shared = level ? level->write[t] + further : 0;
    double fromZero = parent.read[t] + words + (level ? level->write[t] : 0);
    fixed -= static_cast<double>(space.tensors[t].plainSize) * fromZero;
    further += fromZero;
  }
}

/// One word of each element arrives finished at each memory, leaves it, and takes the way up from
/// there, unless lanes outside of it add to the same element. What that spares on links is known
/// with the lanes.
void CrossingCosts::addSpared() {
  auto elements = static_cast<double>(space.tensors[space.output].plainSize);
  fixed -= elements * weights.memories[0].sparedUpdate;
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    double each = 0;
    for (unsigned a : crossing.arrays)
      each += weights.arrays[a].word[crossing.tensor] * (wider[k] - 1);
    if (crossing.tensor == space.output && crossing.level < space.lanes())
      each += weights.memories[crossing.level].sparedRead +
              weights.memories[crossing.level].sparedUpdate;
    spared.push_back(elements * each);
    costs[k].linksAsPartial = crossing.end > begin && crossing.arrays.size() == 1;
    if (crossing.tensor == space.output && crossing.end <= begin)
      fixed -= spared[k];
  }
}

/// Whether sums of the result are complete in a level inside the last array; lanes of other arrays
/// are left aside.
bool CrossingCosts::finishes(unsigned k, const LaneChoice &choice) const {
  const Crossing &crossing = space.crossings[k];
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  bool all = crossing.level < space.lanes() || space.points == tensor.plainSize;
  for (unsigned d = 0; d < space.dims(); ++d)
    all &= choice.lanes[d] == 0 || tensor.plain >> d & 1;
  return all && tensor.isOutput && crossing.end > begin;
}

//===-- Lanes
//----------------------------------------------------------------------------------===//

/// For the best orders of loops on the axes, or for those of a mapping.
void CrossingCosts::addPrices(LaneChoice &choice, const Mapping *orders) const {
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    choice.prices.push_back(priceOf(choice, k, orders));
    choice.together.push_back(togetherOf(choice, k));
    choice.offset -= finishes(k, choice) ? spared[k] : 0;
  }
}

LaneChoice CrossingCosts::ordered(const LaneChoice &choice, const Mapping &mapping) const {
  LaneChoice result{LaneSplit(choice)};
  result.count = choice.count;
  addPrices(result, &mapping);
  return result;
}

namespace {

/// Links along one axis, per setting of the lanes that messages tell apart, over all orders of the
/// loops: the least, and the most where the lanes of windows are the worst ones.
struct AxisLinks {
  double least = HUGE_VAL, worst = 0;
  double alone = HUGE_VAL; ///< the least to the first of the lanes that share a word
  double settings = 1;     ///< of lanes that messages tell apart
  double together = 1;     ///< lanes that one message serves
};

class AxisOrders {
public:
  AxisOrders(const MapSpace &space, const TileGrid &grid, const TileGrid::Point &factors,
             const FlatTensor &tensor, bool shares)
      : space(space), grid(grid), factors(factors), used(tensor.plain | tensor.windowed),
        windowed(tensor.windowed), shares(shares) {
    for (unsigned d = 0; d < space.dims(); ++d)
      if (factors[d] > 0)
        dims.push_back(d);
  }
  /// Links of a message to lanes from `low` to `high`, by `links`; of one order, outermost first,
  /// if it is given.
  AxisLinks measure(llvm::function_ref<int64_t(int64_t low, int64_t high)> links,
                    const std::array<uint8_t, maxDims> *order) {
    AxisLinks result;
    if (order) {
      dims.clear();
      for (unsigned i = space.dims(); i-- > 0;)
        if (factors[(*order)[i]] > 0)
          dims.push_back((*order)[i]);
      measureOrder(result, links);
      return result;
    }
    do
      measureOrder(result, links);
    while (std::next_permutation(dims.begin(), dims.end()));
    return result;
  }

private:
  void measureOrder(AxisLinks &result,
                    llvm::function_ref<int64_t(int64_t low, int64_t high)> links) const;

  const MapSpace &space;
  const TileGrid &grid;
  const TileGrid::Point &factors;
  DimMask used, windowed;
  bool shares;
  llvm::SmallVector<unsigned, maxDims> dims;
};

} // namespace

/// The loops from the inside out; lanes of windows make the classes that padding may empty.
void AxisOrders::measureOrder(AxisLinks &result,
                              llvm::function_ref<int64_t(int64_t, int64_t)> links) const {
  struct Settings {
    int64_t low;
    unsigned kind;
    bool first; ///< of the lanes that share a word
  };
  std::vector<Settings> settings = {{0, 0, true}};
  int64_t reach = 0, stride = 1, together = 1;
  unsigned kinds = 1;
  for (unsigned d : dims) {
    int64_t factor = grid.value(d, factors[d]);
    if (shares && !(used >> d & 1)) {
      reach += (factor - 1) * stride;
      together *= factor;
    } else {
      bool tells = windowed >> d & 1;
      size_t before = settings.size();
      for (int64_t i = 1; i < factor; ++i)
        for (size_t k = 0; k < before; ++k)
          settings.push_back({settings[k].low + i * stride,
                              settings[k].kind + (tells ? unsigned(i) * kinds : 0),
                              settings[k].first && used >> d & 1});
      kinds *= tells ? static_cast<unsigned>(factor) : 1;
    }
    stride *= factor;
  }
  std::vector<double> sums(kinds, 0);
  double alone = 0, firsts = 0;
  for (const Settings &setting : settings) {
    sums[setting.kind] += static_cast<double>(links(setting.low, setting.low + reach));
    alone += setting.first ? static_cast<double>(links(setting.low, setting.low)) : 0;
    firsts += setting.first ? 1 : 0;
  }
  double total = 0, most = 0;
  for (double sum : sums) {
    total += sum;
    most = std::max(most, sum);
  }
  result.settings = static_cast<double>(settings.size());
  result.together = static_cast<double>(together);
  result.alone = std::min(result.alone, alone / firsts);
  result.least = std::min(result.least, total / result.settings);
  result.worst = std::max(result.worst, most * kinds / result.settings);
}

/// Links per word that lanes with the same setting share, at the best order of the loops; and what
/// the lanes of windows that are the farthest take more, at the worst order.
void CrossingCosts::addHops(LaneChoice::Price &price, LaneChoice &choice, unsigned k,
                            const Mapping *orders) const {
  const Crossing &crossing = space.crossings[k];
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  auto on = [&](unsigned s) {
    return AxisOrders(space, grid, choice.factors[s - begin], tensor,
                      tensor.isOutput ? space.slots[s].reduce : space.slots[s].multicast);
  };
  auto orderOf = [&](unsigned s) { return orders ? &orders->order[s] : nullptr; };
  AxisLinks x = on(begin).measure([](int64_t, int64_t high) { return high; }, orderOf(begin));
  AxisLinks y{0, 0, 0};
  if (end - begin > 1) {
    int64_t middle = (space.slots[begin + 1].size - 1) / 2;
    y = on(begin + 1).measure(
        [&](int64_t low, int64_t high) {
          return std::max<int64_t>(0, high - middle) + std::max<int64_t>(0, middle - low);
        },
        orderOf(begin + 1));
  }
  DimMask used = tensor.plain | tensor.windowed;
  double relevant = 1, lanes = 1; // lanes of this array that share a word
  for (unsigned d = 0; d < space.dims(); ++d)
    if (used >> d & 1)
      for (unsigned a = 0; a < std::min<size_t>(2, choice.factors.size()); ++a)
        relevant *= static_cast<double>(grid.value(d, choice.factors[a][d]));
    else
      lanes *= static_cast<double>(grid.value(d, choice.lanes[d]));
  double word = weights.arrays[array].hop[crossing.tensor];
  double hop = word * (costs[k].linksAsPartial ? wider[k] : 1);
  double perLink = hop / lanes * x.settings * y.settings / relevant;
  price.hops = perLink * (x.least + x.together * y.least);
  price.farther = perLink * (x.worst + x.together * y.worst) - price.hops;
  // Partial sums that are read back go to one of the lanes that add to them. With lanes of another
  // array on the way it is not known here how many do; then at least nothing is read back.
  if (costs[k].readsBack && !price.windowed && crossing.arrays.size() == 1) {
    price.hops += hop / lanes * (x.alone + y.alone);
    choice.offset -= hop * (x.alone + y.alone) * static_cast<double>(tensor.plainSize);
  }
  if (costs[k].linksAsPartial && finishes(k, choice)) // no other lane adds to these words
    choice.offset -= (hop - word) * (x.least + y.least) * static_cast<double>(tensor.plainSize);
}

/// Those on axes where one message serves all; all of them where links are counted with them, and
/// where a dimension of a window has lanes elsewhere, too: between these the tiles lie apart.
TileGrid::Point CrossingCosts::togetherOf(const LaneChoice &choice, unsigned k) const {
  const FlatTensor &tensor = space.tensors[space.crossings[k].tensor];
  TileGrid::Point result{};
  bool all = choice.prices[k].hops != 0 || costs[k].shared != 0;
  for (unsigned d = 0; d < space.dims(); ++d) {
    for (unsigned s = begin; s < end; ++s)
      if (tensor.isOutput ? space.slots[s].reduce : space.slots[s].multicast)
        result[d] = grid.times(d, result[d], choice.factors[s - begin][d]);
    all |= tensor.windowed >> d & 1 && result[d] > 0 && result[d] != choice.lanes[d];
  }
  return all ? choice.lanes : result;
}

LaneChoice::Price CrossingCosts::priceOf(LaneChoice &choice, unsigned k,
                                         const Mapping *orders) const {
  const Crossing &crossing = space.crossings[k];
  const CrossingCost &cost = costs[k];
  LaneChoice::Price price;
  if (crossing.end <= begin)
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
    price.shared = cost.shared != 0 ? (cost.shared + sent) / idle : sent / declaredIdle;
  if (spread && !(spread & tensor.cut) && weights.arrays[array].hop[crossing.tensor] != 0)
    addHops(price, choice, k, orders);
  // What costs less than nothing is at most what the lanes take.
  if (double total = price.fixed + price.shared + (price.windowed ? 0 : price.hops); total < 0) {
    choice.offset += total * floors.missing(crossing.tensor, grid.last()) *
                     floors.whole(crossing.tensor, grid.last());
    price = LaneChoice::Price();
  }
  return price;
}
