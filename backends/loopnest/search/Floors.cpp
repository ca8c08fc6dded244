// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Floors.h"

#include "backends/loopnest/search/Search.h"
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

/// Most classes of lanes, and most values in a table.
static constexpr size_t bucketLimit = 12;
static constexpr size_t tableLimit = 24000000;
/// Longest window that sums are made for.
static constexpr int64_t windowLimit = 1024;
/// Most steps to find out how a window's loops can start again.
static constexpr double windowWork = 2e9;

Floors::Floors(const MapSpace &ofSpace, const CostWeights &ofSearch, const SlotRules &ofSlots,
               llvm::function_ref<bool()> isOver)
    : space(ofSpace), weights(ofSearch), rules(ofSlots), grid(space), symmetry(space, rules),
      floors(space, grid), costs(space, weights, rules, grid, symmetry, floors),
      innerFloors(space, weights, rules, grid, floors, costs, symmetry, isOver) {
  for (size_t x = 0; x < grid.size(); ++x)
    images.push_back(static_cast<uint32_t>(symmetry.image(grid, x)));
  for (unsigned s = 0, end = 0; s < costs.arrayBegin(); s = std::max(s + 1, end)) {
    for (end = s; space.slots[end].isAxis && space.slots[end].number == space.slots[s].number;)
      ++end;
    if (end > s)
      outerSplits.emplace_back(space, rules, grid, symmetry, s, end, costs.sharingPays());
  }
  onceFloors.assign(space.crossings.size(), 0);
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end > costs.arrayBegin())
      continue;
    const CrossingCost &cost = costs.of(k);
    // All lanes on the way may take a word that is moved once.
    double perWord =
        cost.declared + cost.shared + std::min(cost.separate, cost.separate * lanesOn(crossing));
    size_t at = perWord > 0 ? 0 : grid.last();
    onceFloors[k] =
        perWord * floors.missing(crossing.tensor, at) * floors.whole(crossing.tensor, at);
    outerFloor += crossing.end > 0 ? onceFloors[k] : 0;
  }
}

/// Whether the sums of a window are worth their time.
static bool isShort(const MapSpace &space, const Window &window) {
  int64_t first = space.nest.dims[window.first].size, second = space.nest.dims[window.second].size;
  auto n = static_cast<double>(divisors(first).size());
  auto m = static_cast<double>(divisors(second).size());
  return std::abs(window.a) * first + std::abs(window.b) * second <= windowLimit &&
         n * m * (n + m) * std::pow(n * m, 3) <= windowWork;
}

std::unique_ptr<Floors> Floors::make(const MapSpace &space, const CostWeights &weights,
                                     const SlotRules &rules, llvm::function_ref<bool()> isOver) {
  if (TileGrid(space).size() == 0)
    return nullptr;
  for (const FlatTensor &tensor : space.tensors)
    for (const Window &window : tensor.windows)
      if (!isShort(space, window))
        return nullptr;
  std::unique_ptr<Floors> result(new Floors(space, weights, rules, isOver));
  bool good = result->innerFloors.isValid() && result->arrayEnd() - result->arrayBegin() <= maxAxes;
  return good ? std::move(result) : nullptr;
}

//===-- Classes of lanes
//-----------------------------------------------------------------------===//

/// Where classes of ascending times begin, at most `limit` of them: each time of its own if that is
/// enough, else stretches of the same ratio.
static std::vector<double> beginsOf(llvm::ArrayRef<double> times, size_t limit) {
  if (limit == 1)
    return {times.front()};
  for (double ratio = 1;; ratio += 0.001 + (ratio - 1) / 4) {
    std::vector<double> begins;
    for (double time : times)
      if (begins.empty() || time > begins.back() * ratio)
        begins.push_back(time);
    if (begins.size() <= limit)
      return begins;
  }
}

/// What so many lanes take for the points alone. What zeros may spare can be more than that.
double Floors::timeOf(double lanes) const {
  for (unsigned s = 0; s < arrayBegin(); ++s)
    if (space.slots[s].isAxis)
      lanes *= static_cast<double>(space.slots[s].size);
  if (!weights.compute.given)
    return std::max(0.0, weights.launch);
  double steps = std::ceil(static_cast<double>(space.points) / lanes);
  if (!weights.compute.isExact() || weights.clock <= 0)
    return std::max(0.0, steps / weights.compute.perSecond + weights.launch);
  double cycles = steps * static_cast<double>(weights.compute.denominator) /
                  static_cast<double>(weights.compute.numerator);
  return std::max(0.0, std::ceil(cycles - 1e-9) / weights.clock + weights.launch);
}

double Floors::leastLatency() const {
  double most = 1;
  for (const LaneChoice &choice : costs.choices())
    most = std::max(most, choice.count);
  return timeOf(most);
}

/// Lane counts differ as far as they take longer than anything does; those that take so long that
/// nothing improves on what is known are one class, the last.
void Floors::makeBuckets(const Incumbents &known) {
  Score least = leastScore(space, weights);
  std::vector<double> useful, useless;
  for (const LaneChoice &choice : costs.choices()) {
    double time = std::max(least.latency, timeOf(choice.count));
    (known.excludes({least.energy, time}) ? useless : useful).push_back(time);
  }
  llvm::sort(useful);
  size_t limit =
      std::max<size_t>(1, std::min(bucketLimit, tableLimit / grid.size() / (space.dims() + 1)));
  if (known.countsEnergyOnly() && weights.leak == 0)
    limit = 1;
  std::vector<double> begins;
  if (!useful.empty())
    begins = beginsOf(useful, limit);
  if (!useless.empty())
    begins.push_back(*std::min_element(useless.begin(), useless.end()));
  for (double time : begins)
    classes.push_back({time, infinite});
  for (const LaneChoice &choice : costs.choices()) {
    double time = std::max(least.latency, timeOf(choice.count));
    size_t bucket = 0;
    while (bucket + 1 < begins.size() && time >= begins[bucket + 1])
      ++bucket;
    bucketsOfChoices.push_back(static_cast<uint8_t>(bucket));
  }
}

//===-- Tables
//---------------------------------------------------------------------------------===//

Floors::Priced Floors::priced(const LaneChoice &choice, const TileGrid::Point &outside) const {
  Priced result{&choice, &outside, choice.offset};
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (costs.of(k).atLanes)
      result.rest +=
          costs.cost(choice.prices[k], k, outside, grid.point(grid.last()), choice.together[k],
                     everything(space.crossings[k].tensor, grid.last()));
  return result;
}

/// All words of all tiles, once for each setting of the other dimensions.
FlowFloors::Brought Floors::everything(unsigned tensor, size_t outside) const {
  double times = floors.missing(tensor, outside);
  return {times * floors.whole(tensor, outside), times * floors.padding(tensor, outside)};
}

/// The least of all entries; `openFlows` are those of what is not settled, in tiles of the size at
/// `held`.
double Floors::cheapest(llvm::ArrayRef<InnerFloors::Entry> entries, const Priced &priced,
                        unsigned from, size_t held, llvm::ArrayRef<double> openFlows) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  double best = infinite;
  std::array<double, InnerFloors::maxFlows> prices, openCosts;
  std::array<bool, InnerFloors::maxFlows> varies;
  auto cost = [&](unsigned v, size_t at, const FlowFloors::Brought &flow) {
    return costs.cost(priced.choice->prices[flows[v]], flows[v], *priced.outside, grid.point(at),
                      priced.choice->lanes, flow);
  };
  for (unsigned v = 0; v < flows.size(); ++v) {
    unsigned t = space.crossings[flows[v]].tensor;
    bool counts = space.crossings[flows[v]].end >= from;
    varies[v] = counts && priced.choice->prices[flows[v]].windowed;
    prices[v] = counts && !varies[v] ? cost(v, held, {1, 0}) : 0;
    openCosts[v] =
        counts ? cost(v, held, {openFlows[v], floors.missing(t, held) * floors.padding(t, held)})
               : 0;
  }
  for (const InnerFloors::Entry &entry : entries) {
    double sum = 0;
    for (unsigned v = 0; v < flows.size(); ++v) {
      if (entry.words[v] == InnerFloors::open)
        sum += openCosts[v];
      else
        sum += varies[v] ? cost(v, entry.held[v], {entry.words[v], entry.padding[v]})
                         : entry.words[v] * prices[v];
    }
    best = std::min(best, sum);
  }
  return best + priced.rest;
}

double Floors::inside(unsigned boundary, unsigned from, size_t outside, const Trails &trails,
                      const Priced &priced) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  double openFlows[InnerFloors::maxFlows];
  for (unsigned v = 0; v < flows.size(); ++v)
    openFlows[v] = floors.flow(space.crossings[flows[v]].tensor, outside, trails);
  return cheapest(innerFloors.at(boundary, outside), priced, from, outside,
                  {openFlows, flows.size()});
}

double Floors::insideAtBest(unsigned boundary, size_t outside, const TileGrid::Point &factor,
                            const Trails &before, const Priced &priced) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  double openFlows[InnerFloors::maxFlows];
  for (unsigned v = 0; v < flows.size(); ++v)
    openFlows[v] = floors.flowAtBest(space.crossings[flows[v]].tensor, outside, factor, before);
  return cheapest(innerFloors.at(boundary, outside), priced, boundary, outside,
                  {openFlows, flows.size()});
}
