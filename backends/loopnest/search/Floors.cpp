// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Floors.h"

#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

static constexpr double infinite = HUGE_VAL;
/// Most classes of lanes, and most values in a table.
static constexpr size_t bucketLimit = 12;
static constexpr size_t tableLimit = 24000000;
/// Longest window that sums are made for.
static constexpr int64_t windowLimit = 1024;
/// Most steps to find out how a window's loops can start again.
static constexpr double windowWork = 2e9;

Floors::Floors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
               llvm::function_ref<bool()> isOver)
    : space(space), weights(weights), grid(space), floors(space, grid),
      costs(space, weights, rules, grid, floors),
      innerFloors(space, weights, rules, grid, floors, costs, isOver) {
  outerFloors.assign(space.slots.size() + 1, 0);
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end >= costs.arrayEnd())
      continue;
    const CrossingCost &cost = costs.of(k);
    double perWord = cost.declared + cost.separate + cost.shared;
    size_t at = perWord > 0 ? 0 : grid.last();
    double least =
        perWord * floors.missing(crossing.tensor, at) * floors.whole(crossing.tensor, at);
    for (unsigned b = 0; b < crossing.end; ++b)
      outerFloors[b] += least;
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

void Floors::makeBuckets() {
  double outerLanes = 1;
  for (unsigned s = 0; s < arrayBegin(); ++s)
    if (space.slots[s].isAxis)
      outerLanes *= static_cast<double>(space.slots[s].size);
  std::vector<double> counts;
  for (const LaneChoice &choice : costs.choices())
    counts.push_back(choice.count);
  std::sort(counts.rbegin(), counts.rend());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  size_t limit =
      std::max<size_t>(1, std::min(bucketLimit, tableLimit / grid.size() / (space.dims() + 1)));
  // The largest counts each, then ever wider classes.
  std::vector<double> most{counts.front()};
  for (double count : counts)
    if (count < most.back() && most.size() < limit &&
        (most.size() < limit / 2 || count <= 0.6 * most.back()))
      most.push_back(count);
  for (double lanes : most) {
    double steps = std::ceil(static_cast<double>(space.points) / (lanes * outerLanes));
    bool cycles = weights.compute.isExact() && weights.clock > 0;
    double time = cycles ? std::ceil(steps * static_cast<double>(weights.compute.denominator) /
                                         static_cast<double>(weights.compute.numerator) -
                                     1e-9) /
                               weights.clock
                         : steps / weights.compute.perSecond;
    classes.push_back({weights.compute.given ? time + weights.launch : weights.launch, infinite});
  }
  for (const LaneChoice &choice : costs.choices()) {
    size_t bucket = 0;
    while (bucket + 1 < most.size() && choice.count <= most[bucket + 1])
      ++bucket;
    bucketsOfChoices.push_back(static_cast<uint8_t>(bucket));
  }
}

/// The least energy that `known` excludes at a latency; infinite when it excludes none.
static double leastExcluded(const Incumbents &known, double latency) {
  if (known.front().empty())
    return infinite;
  if (known.excludes({-1, latency}))
    return -1;
  double low = 0, high = known.front().back().score.energy;
  for (unsigned i = 0; !known.excludes({high, latency}); ++i, high *= 4)
    if (i == 60)
      return infinite;
  for (unsigned i = 0; i < 70; ++i) {
    double middle = (low + high) / 2;
    (known.excludes({middle, latency}) ? high : low) = middle;
  }
  return high;
}

//===-- Tables
//---------------------------------------------------------------------------------===//

Floors::Priced Floors::priced(const LaneChoice &choice, const TileGrid::Point &outside) const {
  Priced result{&choice, &outside, choice.offset};
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (costs.of(k).atLanes)
      result.rest += costs.price(choice, k, outside, grid.point(grid.last())) *
                     floors.missing(space.crossings[k].tensor, grid.last()) *
                     floors.whole(space.crossings[k].tensor, grid.last());
  return result;
}

/// The least of all entries; `openFlows` are those of what is not settled, in tiles of the size at
/// `held`.
double Floors::cheapest(llvm::ArrayRef<InnerFloors::Entry> entries, const Priced &priced,
                        unsigned from, const TileGrid::Point &held,
                        llvm::ArrayRef<double> openFlows) const {
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  double best = infinite;
  std::array<double, InnerFloors::maxFlows> prices, openCosts;
  std::array<bool, InnerFloors::maxFlows> varies;
  for (unsigned v = 0; v < flows.size(); ++v) {
    bool counts = space.crossings[flows[v]].end >= from;
    prices[v] = counts ? costs.price(*priced.choice, flows[v], *priced.outside, held) : 0;
    varies[v] = counts && priced.choice->prices[flows[v]].windowed;
    openCosts[v] = prices[v] * openFlows[v];
  }
  for (const InnerFloors::Entry &entry : entries) {
    double sum = 0;
    for (unsigned v = 0; v < flows.size(); ++v) {
      if (entry.words[v] == InnerFloors::open)
        sum += openCosts[v];
      else
        sum += entry.words[v] * (varies[v] ? costs.price(*priced.choice, flows[v], *priced.outside,
                                                         grid.point(entry.held[v]))
                                           : prices[v]);
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
  return cheapest(innerFloors.at(boundary, outside), priced, from, grid.point(outside),
                  {openFlows, flows.size()});
}

/// What enters a level from outside the array, at the best when the innermost loop in time there is
/// one of `innermost`.
double Floors::bestFlow(unsigned t, size_t outside, const TileGrid::Point &time,
                        const LaneChoice &choice, unsigned innermost) const {
  const FlatTensor &tensor = space.tensors[t];
  double all = floors.missing(t, outside), lanes = floors.missing(t, grid.index(choice.lanes));
  if (innermost == space.dims() || tensor.plain >> innermost & 1)
    return all * floors.whole(t, outside);
  if (tensor.windowed >> innermost & 1)
    return all * floors.sliding(t, outside, innermost, 2,
                                grid.value(innermost, choice.lanes[innermost]),
                                time[floors.partnerOf(t, innermost)] > 0);
  return lanes * floors.slidingAtBest(t, outside, time, choice.lanes);
}

/// Puts what one choice of lanes leads to into the table at the point outside the array.
void Floors::addChoice(size_t outside, size_t number, llvm::ArrayRef<double> least) {
  const LaneChoice &choice = costs.choices()[number];
  TileGrid::Point before;
  if (!grid.between(choice.lanes, grid.point(outside), before))
    return;
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  llvm::ArrayRef<InnerFloors::Entry> entries = innerFloors.at(arrayEnd(), outside);
  unsigned bucket = bucketOf(number);
  Priced prices = priced(choice, grid.point(outside));
  double openFlows[InnerFloors::maxFlows];
  size_t lanes = grid.index(choice.lanes);
  for (unsigned v = 0; v < flows.size(); ++v)
    openFlows[v] = least[v] * floors.missing(space.crossings[flows[v]].tensor, lanes);
  double limit = classes[bucket].most;
  if (cheapest(entries, prices, 0, grid.point(outside), {openFlows, flows.size()}) >= limit)
    return;
  size_t at = grid.index(before);
  bool outerArrays = llvm::any_of(llvm::ArrayRef<Slot>(space.slots).take_front(arrayBegin()),
                                  [](const Slot &slot) { return slot.isAxis; });
  for (unsigned d = 0; d <= space.dims(); ++d) {
    if (d < space.dims() ? before[d] == 0 : at != 0 && !outerArrays)
      continue;
    for (unsigned v = 0; v < flows.size(); ++v)
      openFlows[v] = bestFlow(space.crossings[flows[v]].tensor, outside, before, choice, d);
    double energy = cheapest(entries, prices, 0, grid.point(outside), {openFlows, flows.size()});
    double &known = table[(at * (space.dims() + 1) + d) * classes.size() + bucket];
    if (energy < limit)
      known = std::min(known, energy);
  }
}

void Floors::makeGroups() {
  std::map<size_t, size_t> known; // by lanes
  TileGrid::Point none{};
  bool fixedRest = true;
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    fixedRest &= !costs.of(k).atLanes || space.tensors[space.crossings[k].tensor].windows.empty() ||
                 !costs.crosses(k);
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  for (unsigned c = 0; c < costs.choices().size(); ++c) {
    const LaneChoice &choice = costs.choices()[c];
    double rest = fixedRest ? priced(choice, none).rest : -infinite;
    auto [at, isNew] = known.insert({grid.index(choice.lanes), groups.size()});
    if (isNew) {
      groups.emplace_back().rest = rest;
      for (unsigned k : flows)
        groups.back().prices.push_back(choice.prices[k]);
      for (unsigned d = 0; d < space.dims(); ++d)
        if (choice.lanes[d] > 0)
          groups.back().dims.push_back(d);
    }
    Group &group = groups[at->second];
    group.choices.push_back(c);
    group.rest = std::min(group.rest, rest);
    for (unsigned v = 0; v < flows.size(); ++v) {
      LaneChoice::Price &price = group.prices[v];
      price.fixed = std::min(price.fixed, choice.prices[flows[v]].fixed);
      price.shared = std::min(price.shared, choice.prices[flows[v]].shared);
    }
  }
}

/// Whether any choice of the group may be worth a look at the point, by its least prices.
bool Floors::canImprove(const Group &group, size_t outside, llvm::ArrayRef<double> least) const {
  const TileGrid::Point &point = grid.point(outside);
  const LaneChoice &choice = costs.choices()[group.choices.front()];
  for (unsigned d : group.dims)
    if (grid.quotient(d, point[d], choice.lanes[d]) == TileGrid::none)
      return false;
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  std::array<double, InnerFloors::maxFlows> prices, openCosts;
  size_t lanes = grid.index(choice.lanes);
  for (unsigned v = 0; v < flows.size(); ++v) {
    unsigned t = space.crossings[flows[v]].tensor;
    const LaneChoice::Price &price = group.prices[v];
    prices[v] =
        price.fixed + (price.windowed ? price.shared / floors.sharing(t, point, point, choice.lanes)
                                      : price.shared);
    openCosts[v] = prices[v] * least[v] * floors.missing(t, lanes);
  }
  double best = infinite;
  for (const InnerFloors::Entry &entry : innerFloors.at(arrayEnd(), outside)) {
    double sum = group.rest;
    for (unsigned v = 0; v < flows.size(); ++v)
      sum += entry.words[v] == InnerFloors::open ? openCosts[v] : prices[v] * entry.words[v];
    best = std::min(best, sum);
  }
  return best < mostOfAll;
}

bool Floors::fill(const Incumbents &known, llvm::function_ref<bool()> isOver) {
  makeBuckets();
  makeGroups();
  for (Bucket &bucket : classes)
    bucket.most = leastExcluded(known, bucket.latency) - costs.constant() - outerFloors[0] -
                  weights.leak * bucket.latency;
  mostOfAll = -infinite;
  for (const Bucket &bucket : classes)
    mostOfAll = std::max(mostOfAll, bucket.most);
  table.assign(grid.size() * (space.dims() + 1) * classes.size(), infinite);
  llvm::ArrayRef<unsigned> flows = innerFloors.flows();
  std::vector<double> least(flows.size());
  for (uint32_t outside : innerFloors.points(arrayEnd())) {
    if (isOver())
      return false;
    for (unsigned v = 0; v < flows.size(); ++v)
      least[v] = floors.slidingAtBest(space.crossings[flows[v]].tensor, outside,
                                      grid.point(outside), TileGrid::Point{});
    for (const Group &group : groups)
      if (canImprove(group, outside, least))
        for (unsigned choice : group.choices)
          addChoice(outside, choice, least);
  }
  makeSuffixes();
  return true;
}

/// The least of each point's multiples, dimension by dimension.
void Floors::makeSuffixes() {
  size_t buckets = classes.size();
  std::vector<double> best(grid.size() * buckets, infinite);
  for (size_t x = 0; x < grid.size(); ++x)
    for (unsigned d = 0; d <= space.dims(); ++d)
      for (size_t b = 0; b < buckets; ++b)
        best[x * buckets + b] =
            std::min(best[x * buckets + b], table[(x * (space.dims() + 1) + d) * buckets + b]);
  suffix.assign(arrayBegin() + 1, best);
  for (unsigned d = 0; d < space.dims(); ++d)
    for (size_t x = 0; x < grid.size(); ++x) {
      uint8_t own = grid.point(x)[d];
      for (unsigned i = own + 1; i < grid.divisorCount(d); ++i) {
        if (grid.quotient(d, static_cast<uint8_t>(i), own) == TileGrid::none)
          continue;
        size_t other = x + (i - own) * grid.stride(d);
        for (size_t b = 0; b < buckets; ++b)
          best[x * buckets + b] = std::min(best[x * buckets + b], best[other * buckets + b]);
      }
    }
  for (unsigned s = 0; s < arrayBegin(); ++s)
    suffix[s] = best;
  lists.assign(arrayBegin() + 1, {});
  for (unsigned s = 0; s <= arrayBegin(); ++s) {
    std::vector<char> room(grid.size(), 1);
    if (s < space.slots.size() && !space.slots[s].isAxis)
      room = roomAt(space, weights, grid, s);
    for (size_t x = 0; x < grid.size(); ++x)
      if (room[x] && llvm::any_of(at(s, x), [](double energy) { return energy < infinite; }))
        lists[s].push_back(static_cast<uint32_t>(x));
  }
}
