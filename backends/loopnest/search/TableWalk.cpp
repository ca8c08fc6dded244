// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of TreeWalk that bounds with tables (see Floors.h).
#include "backends/loopnest/search/TreeWalk.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most choices of lanes that are remembered with their orders.
static constexpr unsigned orderedLimit = 20000;

TileGrid::Point TreeWalk::pointOf(const Mapping &mapping, unsigned slots) const {
  TileGrid::Point point{};
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t product = 1;
    for (unsigned s = 0; s < slots; ++s)
      product *= mapping.factor[s][d];
    point[d] = floors->tiles().number(d, product);
  }
  return point;
}

/// The orders that can differ, which depend on the dimensions that have loops alone.
const std::vector<std::array<uint8_t, maxDims>> &TreeWalk::ordersOf(const Mapping &mapping,
                                                                    unsigned slot) {
  uint64_t key = slot;
  for (unsigned d = 0; d < space.dims(); ++d)
    key = key << 1 | (mapping.factor[slot][d] > 1 ? 1 : 0);
  auto [known, isNew] = orders.try_emplace(key);
  if (isNew)
    known->second = choices.orders(mapping, slot);
  return known->second;
}

/// False when the rules of the slot or the size of its axis forbid the factors.
bool TreeWalk::setFactors(Mapping &mapping, unsigned slot, const TileGrid::Point &factor) const {
  int64_t product = 1;
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t value = floors->tiles().value(d, factor[d]);
    if (!rules[slot].allows(d, value))
      return false;
    mapping.factor[slot][d] = value;
    product *= value;
  }
  return !space.slots[slot].isAxis || product <= space.slots[slot].size;
}

/// J of all that ends outside of the first `slots`, given what the node knows.
double TreeWalk::decide(const Node &node, const Mapping &mapping, unsigned slots) {
  double energy = node.decided;
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end > node.slices.size() && crossing.end <= slots && crossing.end > 0 &&
        !floors->crossingCosts().of(k).atLanes)
      energy += evaluator.crossingEnergy(mapping, crossing, floors->crossingCosts().of(k), slots);
  }
  return energy;
}

double TreeWalk::almostDecide(const Mapping &mapping, unsigned slots, const LaneChoice &choice,
                              const TileGrid::Point &lanesAt, const TileGrid::Point &held) {
  double energy = 0;
  for (unsigned k = 0; k < space.crossings.size(); ++k) {
    const Crossing &crossing = space.crossings[k];
    if (crossing.end != slots || floors->crossingCosts().of(k).atLanes)
      continue;
    double separate;
    energy +=
        evaluator.energyWithoutHops(mapping, crossing, floors->crossingCosts().of(k), separate);
    LaneChoice::Price links = choice.prices[k];
    links.fixed = links.shared = 0;
    const FlowFloors &flows = floors->flows();
    size_t at = floors->tiles().index(held);
    energy += floors->crossingCosts().cost(
        links, k, lanesAt, held, choice.lanes,
        {separate, flows.missing(crossing.tensor, at) * flows.padding(crossing.tensor, at)});
  }
  return energy;
}

/// The least energy and latency that are not excluded, over all classes of lanes, and the least
/// key; false when all are. `own` holds for all of them.
bool TreeWalk::boundOf(const Score &own, double base, llvm::ArrayRef<double> left,
                       unsigned firstBucket, Score &bound, double &key) const {
  bound = {HUGE_VAL, HUGE_VAL};
  key = HUGE_VAL;
  for (unsigned b = 0; b < left.size(); ++b) {
    if (left[b] == HUGE_VAL)
      continue;
    double latency = std::max(own.latency, floors->buckets()[firstBucket + b].latency);
    double energy = std::max(own.energy, base + left[b] + weights.leak * latency);
    if (known.excludes({energy, latency}))
      continue;
    bound = {std::min(bound.energy, energy), std::min(bound.latency, latency)};
    key = std::min(key, keyOf({energy, latency}));
  }
  return key < HUGE_VAL;
}

/// Adds a child when some class of lanes may still improve on what is known. `left` is the energy
/// of what is not decided, by bucket from `firstBucket` on.
void TreeWalk::take(const Node &node, const Mapping &mapping, unsigned slots, double decided,
                    llvm::ArrayRef<double> left, unsigned firstBucket, std::vector<Node> &nodes) {
  double base = floors->crossingCosts().constant() + decided;
  auto possible = [&](double latency) {
    for (unsigned b = 0; b < left.size(); ++b)
      if (left[b] < HUGE_VAL &&
          !isExcluded(base + left[b],
                      std::max(latency, floors->buckets()[firstBucket + b].latency)))
        return true;
    return false;
  };
  if (!possible(node.latency))
    return;
  Score score = evaluator.evaluate(mapping, slots);
  if (known.excludes(score) || !possible(score.latency))
    return;
  Score bound;
  double key;
  if (!boundOf(score, base, left, firstBucket, bound, key))
    return;
  Node child = extended(node, mapping, slots, bound);
  child.key = key;
  child.decided = decided;
  child.latency = std::max(node.latency, score.latency);
  nodes.push_back(std::move(child));
}

/// The dimension of the innermost loop in time; the number of dimensions for none.
static unsigned innermostInTime(const MapSpace &space, const Mapping &mapping, unsigned slots) {
  for (unsigned s = slots; s-- > 0;)
    for (unsigned i = space.dims(); !space.slots[s].isAxis && i-- > 0;)
      if (mapping.factor[s][mapping.order[s][i]] > 1)
        return mapping.order[s][i];
  return space.dims();
}

/// Whether some class of lanes may improve on what is known, with `left` by bucket.
bool TreeWalk::isPossible(const Node &node, double base, llvm::ArrayRef<double> left) const {
  for (unsigned b = 0; b < left.size(); ++b)
    if (left[b] < HUGE_VAL && !isExcluded(base + left[b], latencyOf(node, b)))
      return true;
  return false;
}

/// J of what ends at the memory behind lanes of which the first are decided, at least: the loops in
/// time outside of them are known.
double TreeWalk::behindLanes(const Mapping &mapping, unsigned boundary) {
  double energy = 0;
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (const Crossing &crossing = space.crossings[k]; crossing.end == floors->laneEnd(boundary))
      energy += evaluator.energyBeforeLanes(mapping, crossing, floors->crossingCosts().of(k),
                                            crossing.end, floors->once(k));
  return energy;
}

/// Raises what is left at a boundary before or among lanes to what is left behind them, and what
/// ends there.
void TreeWalk::addAcross(unsigned boundary, size_t outside, double behindLanes, unsigned innermost,
                         Energies &left) const {
  llvm::ArrayRef<double> across = floors->acrossLanes(boundary, outside, innermost);
  for (size_t b = 0; b < left.size(); ++b)
    left[b] = std::max(left[b], across[b] + behindLanes);
}

/// What is left when the loops of the next slot lead to a point; `left` holds it where floors do
/// not.
llvm::ArrayRef<double> TreeWalk::leftFrom(const Node &node, size_t outside, Energies &left) const {
  unsigned boundary = node.slices.size() + 1;
  llvm::ArrayRef<double> from = floors->from(boundary, outside);
  if (!floors->laneEnd(boundary - 1))
    return from;
  left.assign(from.begin(), from.end());
  if (floors->laneEnd(boundary - 1) == boundary)
    for (size_t b = 0; b < left.size(); ++b)
      left[b] = std::max(left[b], floors->at(boundary, outside)[b] + node.behindLanes);
  else
    addAcross(boundary, outside, node.behindLanes, node.innermost, left);
  return left;
}

/// One child with its order.
void TreeWalk::outerChild(const Node &node, Mapping &mapping, size_t outside,
                          std::vector<Node> &nodes) {
  unsigned boundary = node.slices.size() + 1;
  if (!mayFit(mapping, boundary))
    return;
  double decided = decide(node, mapping, boundary);
  double base = floors->crossingCosts().constant();
  llvm::ArrayRef<double> inside = floors->at(boundary, outside);
  if (!isPossible(node, base + decided, inside))
    return;
  Energies left(inside.begin(), inside.end());
  unsigned innermost = innermostInTime(space, mapping, boundary);
  double behind = 0;
  if (boundary == floors->arrayBegin()) {
    double repeats = floors->repeats(trailsOf(space, mapping, boundary), innermost);
    for (unsigned b = 0; b < left.size(); ++b)
      left[b] = floors->atArray(outside, innermost, repeats, b);
  } else if (floors->laneEnd(boundary)) {
    behind = behindLanes(mapping, boundary);
    addAcross(boundary, outside, behind, innermost, left);
  }
  if (!isPossible(node, base + decided, left))
    return;
  if (futures.isCovered(*floors, mapping, boundary, floors->tiles().point(outside), decided,
                        known.countsEnergyOnly() && weights.leak == 0))
    return;
  size_t before = nodes.size();
  take(node, mapping, boundary, decided, left, 0, nodes);
  if (nodes.size() > before) {
    nodes.back().behindLanes = behind;
    nodes.back().innermost = innermost;
  }
}

void TreeWalk::outerOrders(const Node &node, Mapping &mapping, size_t outside,
                           std::vector<Node> &nodes) {
  unsigned slot = node.slices.size();
  for (const auto &order : ordersOf(mapping, slot)) {
    mapping.order[slot] = order;
    outerChild(node, mapping, outside, nodes);
  }
}

/// Calls `visit(point)` with `mapping` for all factors of the slot that may improve on what is
/// known; false when time was over.
template <typename Visit>
bool TreeWalk::forOuterFactors(const Node &node, Mapping &mapping, Visit visit) {
  unsigned slot = node.slices.size(), boundary = slot + 1;
  double base = floors->crossingCosts().constant() + node.decided;
  bool hasLanes = floors->laneEnd(slot) > 0;
  Energies left;
  return floors->tiles().forEachMultiple(
      pointOf(mapping, slot), [&](size_t x, const TileGrid::Point &factor) {
        if (!isPossible(node, base, floors->from(boundary, x)) ||
            (hasLanes && !isPossible(node, base, leftFrom(node, x, left))) ||
            !setFactors(mapping, slot, factor) || symmetry.compare(mapping, boundary) > 0 ||
            !floors->isWellDealt(mapping, boundary))
          return true;
        if (patience.isOver())
          return false;
        visit(x);
        return true;
      });
}

bool TreeWalk::outerChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes) {
  return forOuterFactors(node, mapping, [&](size_t x) { outerOrders(node, mapping, x, nodes); });
}

bool TreeWalk::nextChildren(Node &node, std::vector<Node> &nodes) {
  unsigned slot = node.slices.size();
  double base = floors->crossingCosts().constant() + node.decided;
  if (!node.isListed)
    node.whole = node.bound;
  Energies left;
  auto bound = [&](size_t x, Score &least) {
    double key;
    Score own{node.whole.energy, node.latency};
    boundOf(own, base, leftFrom(node, x, left), 0, least, key);
    return key;
  };
  Score least;
  Mapping mapping;
  load(node, mapping);
  if (!node.isListed) {
    node.isListed = true;
    if (!forOuterFactors(node, mapping, [&](size_t x) {
          if (double key = bound(x, least); key < HUGE_VAL)
            node.pending.push_back({key, static_cast<uint32_t>(x)});
        }))
      return false;
    llvm::sort(node.pending);
  } else {
    size_t outside = node.pending.back().outside;
    node.pending.pop_back();
    TileGrid::Point factor{};
    const TileGrid &grid = floors->tiles();
    if (grid.between(pointOf(mapping, slot), grid.point(outside), factor) &&
        setFactors(mapping, slot, factor))
      outerOrders(node, mapping, outside, nodes);
  }
  if (!node.pending.empty()) {
    node.key = node.pending.back().key;
    bound(node.pending.back().outside, node.bound);
  }
  return true;
}

/// The lanes as they lie with the orders of the mapping, which have a number among all of them.
const LaneChoice &TreeWalk::orderedLanes(unsigned choice, unsigned number, const Mapping &mapping) {
  if (ordered.size() >= orderedLimit)
    ordered.clear();
  std::unique_ptr<LaneChoice> &known = ordered[uint64_t(choice) << 32 | number];
  if (!known) {
    const CrossingCosts &costs = floors->crossingCosts();
    known = std::make_unique<LaneChoice>(costs.ordered(costs.choices()[choice], mapping));
  }
  return *known;
}

bool TreeWalk::laneOrders(const Node &node, Mapping &mapping, unsigned slot, unsigned choice,
                          unsigned number, const Trails &trails, std::vector<Node> &nodes) {
  if (slot == floors->arrayEnd())
    return lanesChild(node, mapping, choice, number, trails, nodes);
  const LaneChoice &lanes = floors->crossingCosts().choices()[choice];
  if (!setFactors(mapping, slot, lanes.factors[slot - floors->arrayBegin()]) ||
      symmetry.compare(mapping, slot + 1) > 0)
    return true;
  const auto &all = ordersOf(mapping, slot);
  number *= static_cast<unsigned>(all.size());
  for (const auto &order : all) {
    mapping.order[slot] = order;
    if (!laneOrders(node, mapping, slot + 1, choice, number++, trails, nodes))
      return false;
  }
  return true;
}

/// One child with the orders of its lanes.
bool TreeWalk::lanesChild(const Node &node, Mapping &mapping, unsigned choice, unsigned number,
                          const Trails &trails, std::vector<Node> &nodes) {
  unsigned end = floors->arrayEnd(), bucket = floors->bucketOf(choice);
  if (patience.isOver())
    return false;
  if (end == space.slots.size()) {
    takeComplete(mapping);
    return true;
  }
  if (!mayFit(mapping, end))
    return true;
  const CrossingCosts &costs = floors->crossingCosts();
  TileGrid::Point outside = pointOf(mapping, end);
  size_t at = floors->tiles().index(outside);
  const LaneChoice &lanes = orderedLanes(choice, number, mapping);
  Floors::Priced priced = floors->priced(lanes, outside);
  if (isExcluded(costs.constant() + node.decided + floors->inside(end, end, at, trails, priced),
                 latencyOf(node, bucket)))
    return true;
  double left = floors->inside(end, end + 1, at, trails, priced);
  size_t before = nodes.size();
  take(node, mapping, end, decide(node, mapping, end), left, bucket, nodes);
  if (nodes.size() > before) {
    nodes.back().lanes = choice;
    nodes.back().orders = number;
  }
  return true;
}

bool TreeWalk::arrayChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes) {
  const TileGrid &grid = floors->tiles();
  unsigned begin = floors->arrayBegin(), end = floors->arrayEnd();
  TileGrid::Point before = pointOf(mapping, begin), outside;
  Trails trails = trailsOf(space, mapping, begin);
  Trails withLanes = trails;
  double base = floors->crossingCosts().constant() + node.decided;
  for (const Floors::Group &group : floors->laneGroups()) {
    if (!grid.multiply(before, group.lanes, outside))
      continue;
    size_t at = grid.index(outside);
    if (floors->inner().at(end, at).empty())
      continue;
    if (patience.isOver())
      return false;
    for (unsigned t = 0; t < trails.of.size(); ++t)
      withLanes.of[t].lanes =
          trails.of[t].lanes * grid.value(trails.of[t].dim, group.lanes[trails.of[t].dim]);
    double latency = latencyOf(node, group.bucket);
    auto isOut = [&](const Floors::Priced &priced) {
      return isExcluded(base + floors->inside(end, end, at, withLanes, priced), latency);
    };
    if (isOut(floors->priced(group, outside)))
      continue;
    for (unsigned c : group.choices)
      if (!isOut(floors->priced(floors->crossingCosts().choices()[c], outside)) &&
          !laneOrders(node, mapping, begin, c, 0, withLanes, nodes))
        return false;
  }
  return true;
}

/// One child with its order.
void TreeWalk::innerChild(const Node &node, Mapping &mapping, size_t outside, const Trails &trails,
                          const Floors::Priced &priced, std::vector<Node> &nodes) {
  unsigned boundary = node.slices.size() + 1, bucket = floors->bucketOf(node.lanes);
  if (!mayFit(mapping, boundary))
    return;
  double base = floors->crossingCosts().constant() + node.decided;
  double latency = latencyOf(node, bucket);
  double left = floors->inside(boundary, boundary + 1, outside, trails, priced);
  double almost = almostDecide(mapping, boundary, *priced.choice, *priced.outside,
                               floors->tiles().point(outside));
  if (isExcluded(base + almost + left, latency))
    return;
  size_t size = nodes.size();
  take(node, mapping, boundary, decide(node, mapping, boundary), left, bucket, nodes);
  if (nodes.size() > size) {
    nodes.back().lanes = node.lanes;
    nodes.back().orders = node.orders;
  }
}

/// The children with the same factors; most orders do the same to all tensors.
bool TreeWalk::innerOrders(const Node &node, Mapping &mapping, size_t outside, const Trails &before,
                           const Floors::Priced &priced, std::vector<Node> &nodes) {
  unsigned slot = node.slices.size(), boundary = slot + 1;
  double base = floors->crossingCosts().constant() + node.decided;
  double latency = latencyOf(node, floors->bucketOf(node.lanes));
  llvm::SmallVector<Trails, 4> excluded;
  for (const auto &order : ordersOf(mapping, slot)) {
    if (patience.isOver())
      return false;
    mapping.order[slot] = order;
    if (boundary == space.slots.size()) {
      takeComplete(mapping);
      continue;
    }
    Trails trails = loopnest::extended(space, before, mapping, slot);
    if (llvm::any_of(excluded, [&](const Trails &other) { return other.of == trails.of; }))
      continue;
    if (isExcluded(base + floors->inside(boundary, boundary, outside, trails, priced), latency))
      excluded.push_back(std::move(trails));
    else
      innerChild(node, mapping, outside, trails, priced, nodes);
  }
  return true;
}

bool TreeWalk::innerChildren(const Node &node, Mapping &mapping, std::vector<Node> &nodes) {
  unsigned slot = node.slices.size(), boundary = slot + 1;
  const CrossingCosts &costs = floors->crossingCosts();
  TileGrid::Point lanesAt = pointOf(mapping, floors->arrayEnd());
  const LaneChoice &lanes = orderedLanes(node.lanes, node.orders, mapping);
  Floors::Priced priced = floors->priced(lanes, lanesAt);
  double base = costs.constant() + node.decided;
  double latency = latencyOf(node, floors->bucketOf(node.lanes));
  Trails before = trailsOf(space, mapping, slot);
  auto visit = [&](size_t x, const TileGrid::Point &factor) {
    if (floors->inner().at(boundary, x).empty() || !setFactors(mapping, slot, factor) ||
        symmetry.compare(mapping, boundary) > 0 ||
        isExcluded(base + floors->insideAtBest(boundary, x, factor, before, priced), latency))
      return true;
    return innerOrders(node, mapping, x, before, priced, nodes);
  };
  return floors->tiles().forEachMultiple(pointOf(mapping, slot), visit);
}
