// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TileFloors.h"

#include "backends/loopnest/search/SlotRules.h"
#include "ir/common/Rational.h"
#include <algorithm>
#include <cmath>
#include <queue>

using namespace perfc;
using namespace perfc::loopnest;

/// Most indices with loops, and most values of an index, that floors are made for.
static constexpr unsigned mostLoops = 9;
/// Each loop beyond so many doubles what a box costs.
static constexpr unsigned fewLoops = 6;
static constexpr int64_t mostValues = 1 << 16;
/// Most ways to share out lanes that are tried for one tile.
static constexpr unsigned mostShares = 500;

static unsigned firstAxisOf(const MapSpace &space) {
  unsigned slot = 0;
  while (slot < space.slots.size() && !space.slots[slot].isAxis)
    ++slot;
  return slot;
}

unsigned TileFloors::stopOf(const MapSpace &space, const Crossing &crossing) {
  return std::min(crossing.end, firstAxisOf(space));
}

/// J per word on its way from the parent, and of the update there.
static double perWordOf(const MapSpace &space, const CostWeights &weights,
                        const Crossing &crossing) {
  unsigned t = crossing.tensor;
  const MemoryWeights &parent = weights.memories[crossing.parent];
  double energy = t != space.output      ? parent.read[t]
                  : crossing.parent == 0 ? parent.update[t]
                                         : parent.update[t] + parent.read[t];
  for (unsigned array : crossing.arrays)
    energy += weights.arrays[array].word[t];
  return energy;
}

double TileFloors::perDelivery(const MapSpace &space, const CostWeights &weights,
                               const Crossing &crossing) {
  if (!space.isFlat || crossing.level != space.lanes() || crossing.arrays.size() != 1)
    return 0;
  for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
    if (space.slots[s].isAxis && space.slots[s].axis > 1)
      return 0;
  return std::min(weights.arrays[crossing.arrays.front()].hop[crossing.tensor],
                  perWordOf(space, weights, crossing));
}

TileFloors::TileFloors(const MapSpace &space, const CostWeights &weights, const TensorFacts &facts,
                       const ChainTiles &tiles, bool imperfect, unsigned mostBoxes)
    : space(space), weights(weights), facts(facts), tiles(tiles), imperfect(imperfect),
      mostBoxes(mostBoxes) {
  for (auto &list : moved)
    list.assign(space.lanes(), 0);
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t size = space.nest.dims[d].size;
    if (size > mostValues)
      return;
    if (size > 1)
      dims.push_back(d);
    values[d] = imperfect ? std::vector<int64_t>(size) : divisors(size);
    for (int64_t v = 0; imperfect && v < size; ++v)
      values[d][v] = v + 1;
  }
  if (dims.size() > mostLoops)
    return;
  this->mostBoxes = mostBoxes >> (dims.size() > fewLoops ? dims.size() - fewLoops : 0);
  std::array<Flows, maxSlots + 1> flows;
  for (const Crossing &crossing : space.crossings)
    flows[stopOf(space, crossing)].push_back(flowOf(crossing));
  Problem all;
  for (unsigned stop = 0; stop <= space.slots.size(); ++stop) {
    if (flows[stop].empty())
      continue;
    energies[stop] = least({{groupOf(stop)}, {flows[stop]}});
    all.groups.push_back(groupOf(stop));
    all.flows.push_back(flows[stop]);
  }
  if (all.groups.size() > 1)
    together = least(all);
  for (unsigned m = 0; m < space.lanes(); ++m) {
    if (!weights.memories[m].bandwidth.given)
      continue;
    for (auto &list : flows)
      list.clear();
    for (const Crossing &crossing : space.crossings) {
      bool output = crossing.tensor == space.output;
      if (crossing.parent != m && (crossing.level != m || output))
        continue;
      Flow flow = flowOf(crossing);
      auto size = double(space.tensors[crossing.tensor].bits);
      flow.perWord = output && m != 0 ? 2 * size : size;
      flow.perAgain = output && m == 0 ? size : 0;
      flows[stopOf(space, crossing)].push_back(flow);
    }
    for (unsigned stop = 0; stop <= space.slots.size(); ++stop)
      if (!flows[stop].empty())
        moved[stop][m] = least({{groupOf(stop)}, {flows[stop]}});
  }
}

/// The memory behind the boundary and the lanes on the way to it.
TileFloors::Group TileFloors::groupOf(unsigned stop) const {
  Group group;
  group.stop = stop;
  group.hasLanes = stop < space.slots.size() && space.slots[stop].isAxis;
  unsigned slot = stop;
  for (; slot < space.slots.size() && space.slots[slot].isAxis; ++slot)
    group.lanes *= double(space.slots[slot].size);
  group.full = slot == space.slots.size();
  if (!group.full && weights.memories[space.slots[slot].number].capacityBits)
    group.memory = static_cast<int>(space.slots[slot].number);
  return group;
}

/// What a word costs, as ChainBounds counts it.
TileFloors::Flow TileFloors::flowOf(const Crossing &crossing) const {
  unsigned t = crossing.tensor;
  bool atLanes = crossing.level == space.lanes();
  const MemoryWeights &parent = weights.memories[crossing.parent];
  Flow flow;
  flow.tensor = t;
  flow.perWord = perWordOf(space, weights, crossing) - perDelivery(space, weights, crossing);
  if (t == space.output)
    flow.perAgain = crossing.parent == 0 ? parent.read[t] : 0;
  else if (!atLanes)
    flow.perWord += weights.memories[crossing.level].write[t];
  if (atLanes) {
    double shared = 1;
    for (unsigned s = crossing.parentEnd; s < crossing.end; ++s)
      shared *= space.slots[s].isAxis ? double(space.slots[s].size) : 1;
    flow.least = facts.accesses[t] / shared;
  }
  return flow;
}

//===-- Room
//-----------------------------------------------------------------------------------===//

/// Whether the lanes that are left can be shared out so that the tile inside them has room.
bool TileFloors::lanesFit(const Group &group, const Tile &tile, Tile &inside, size_t number,
                          double lanes, unsigned &tries) const {
  if (++tries > mostShares)
    return true;                                // not known
  for (size_t i = number; i < dims.size(); ++i) // as if each had all lanes
    inside[dims[i]] = std::max<int64_t>(1, std::ceil(double(tile[dims[i]]) / lanes - 1e-9));
  if (tiles.leastBits(group.memory, inside) > double(*weights.memories[group.memory].capacityBits))
    return false;
  if (number == dims.size())
    return true;
  unsigned d = dims[number];
  for (int64_t own = 1; double(own) <= lanes;) {
    int64_t values = ceilDivide(tile[d], own);
    inside[d] = values;
    if (lanesFit(group, tile, inside, number + 1, std::floor(lanes / double(own)), tries))
      return true;
    if (values == 1)
      break;
    own = ceilDivide(tile[d], values - 1); // the fewest lanes with fewer values each
  }
  return false;
}

bool TileFloors::hasRoom(const Group &group, const Tile &tile) const {
  if (group.full) {
    double product = 1;
    for (unsigned d : dims)
      product *= double(tile[d]);
    return product <= group.lanes;
  }
  if (group.memory < 0)
    return true;
  if (!group.hasLanes)
    return tiles.leastBits(group.memory, tile) <=
           double(*weights.memories[group.memory].capacityBits);
  Tile inside = tile;
  unsigned tries = 0;
  return lanesFit(group, tile, inside, 0, group.lanes, tries);
}

/// Whether steps of a window's loop at the outermost memory bring tiles that are disjoint every
/// other time, for all tiles between.
bool TileFloors::isApart(const Group &group, unsigned tensor, unsigned dim, const Tile &low,
                         const Tile &high) const {
  int8_t number = space.tensors[tensor].windowOf[dim];
  if (!space.isFlat || number < 0 || group.hasLanes || group.stop != 1)
    return false;
  const Window &window = space.tensors[tensor].windows[number];
  bool first = window.first == dim;
  int64_t own = std::abs(first ? window.a : window.b);
  int64_t other = std::abs(first ? window.b : window.a);
  int64_t reach = high[first ? window.second : window.first];
  return ceilDivide(space.nest.dims[dim].size, high[dim]) >= 3 &&
         own * (low[dim] + 1) > other * (reach - 1);
}

/// The share of the elements that a loop over an index of the tensor may leave where they are. With
/// two passes, that is what lanes hold that idle in the second one; with more, and loops over the
/// index at several memories, the last pass of the outermost may have one step of the innermost.
double TileFloors::keptShare(const Group &group, unsigned tensor, unsigned dim, const Tile &low,
                             const Tile &high) const {
  int64_t size = space.nest.dims[dim].size, most = 0;
  if (imperfect && group.hasLanes && 2 * high[dim] > size)
    most = 2 * std::min(high[dim], size - 1) - size;
  if (imperfect && group.stop > 1 && 2 * low[dim] < size)
    most = std::max(most, std::min(high[dim], size / 2));
  return most > 0 && facts.padded[tensor] >> dim & 1 ? 1 : double(most) / double(size);
}

/// The loops that all tiles between two have, as the flows see them.
struct TileFloors::Orders {
  explicit Orders(unsigned count) : sets(1u << count) {
    least.assign(sets, HUGE_VAL);
    least[0] = 0;
  }
  /// What one flow sees.
  struct Loops {
    double elements;
    std::array<double, mostLoops> passes; ///< 1 for the tensor's own
    std::array<double, mostLoops> kept;   ///< share that stays; 1 for those that settle nothing
    std::vector<double> repeats;          ///< by set of loops: their passes together
    std::vector<double> further;          ///< the same for those loops further out
    unsigned settling = 0;
  };

  unsigned sets;
  std::vector<double> least; ///< by set of loops that stand innermost: the cost of what they settle
};

/// The least cost of all orders of the loops. A flow is settled by the first loop over an index of
/// its tensor.
double TileFloors::bound(const Group &group, const Flows &flows, const Tiles &between,
                         const Tiles *outer) const {
  const Tile &low = between.low, &high = between.high;
  llvm::SmallVector<unsigned, maxDims> loops;
  for (unsigned d : dims)
    if (high[d] < space.nest.dims[d].size)
      loops.push_back(d);
  Orders orders(loops.size());
  llvm::SmallVector<Orders::Loops, 4> list;
  for (const Flow &flow : flows) {
    const FlatTensor &tensor = space.tensors[flow.tensor];
    Orders::Loops own;
    own.elements = double(facts.elements[flow.tensor]);
    for (unsigned i = 0; i < loops.size(); ++i) {
      unsigned d = loops[i];
      int64_t size = space.nest.dims[d].size;
      bool isPlain = tensor.plain >> d & 1, isWindow = tensor.windowed >> d & 1;
      own.passes[i] = isPlain || isWindow ? 1 : double(ceilDivide(size, high[d]));
      own.kept[i] = isPlain ? keptShare(group, flow.tensor, d, low, high)
                    : isWindow && isApart(group, flow.tensor, d, low, high) ? 0
                                                                            : 1;
      own.settling |= own.kept[i] < 1 ? 1u << i : 0;
    }
    own.repeats.assign(orders.sets, 1);
    own.further.assign(orders.sets, 1);
    for (unsigned set = 1; set < orders.sets; ++set)
      own.repeats[set] = own.repeats[set & (set - 1)] * own.passes[llvm::countTrailingZeros(set)];
    // Loops further out than the memory before the boundary are outside of all that stand there.
    for (unsigned set = 1; outer && set < orders.sets; ++set) {
      unsigned i = llvm::countTrailingZeros(set), d = loops[i];
      double passes =
          own.passes[i] == 1 ? 1 : double(ceilDivide(space.nest.dims[d].size, outer->high[d]));
      own.further[set] = own.further[set & (set - 1)] * passes;
    }
    list.push_back(std::move(own));
  }
  for (unsigned set = 0; set + 1 < orders.sets; ++set)
    for (unsigned i = 0; i < loops.size(); ++i) {
      if (set >> i & 1)
        continue;
      double cost = orders.least[set];
      for (size_t f = 0; f < flows.size(); ++f) {
        const Orders::Loops &own = list[f];
        if ((own.settling & set) || !(own.settling >> i & 1))
          continue;
        double repeats = own.repeats[(orders.sets - 1) & ~set];
        if (outer && outer->low[loops[i]] > high[loops[i]])
          repeats *= own.further[set];
        double words = own.elements * (own.kept[i] + (1 - own.kept[i]) * repeats);
        cost += flows[f].costOf(words, own.elements);
      }
      double &next = orders.least[set | 1u << i];
      next = std::min(next, cost);
    }
  double total = orders.least.back();
  for (size_t f = 0; f < flows.size(); ++f)
    if (!list[f].settling)
      total += flows[f].costOf(list[f].elements, list[f].elements);
  return total;
}

TileFloors::Tiles TileFloors::tilesOf(const Range &range) const {
  Tiles result;
  result.low.fill(1);
  result.high.fill(1);
  for (unsigned d : dims) {
    result.low[d] = values[d][range.low[d]];
    result.high[d] = values[d][range.high[d]];
  }
  return result;
}

/// Bounds a box whose range at boundary `first` is new; false when none of its tiles has room.
bool TileFloors::weigh(const Problem &problem, Box &box, size_t changed) const {
  size_t count = box.ranges.size();
  // Tiles do not grow from the outside in.
  size_t from = changed, to = changed;
  for (unsigned d : dims) {
    for (size_t k = changed; k-- > 0 && box.ranges[k].low[d] < box.ranges[k + 1].low[d];) {
      box.ranges[k].low[d] = box.ranges[k + 1].low[d];
      from = std::min(from, k);
    }
    for (size_t k = changed + 1; k < count && box.ranges[k].high[d] > box.ranges[k - 1].high[d];
         ++k) {
      box.ranges[k].high[d] = box.ranges[k - 1].high[d];
      to = std::max(to, k);
    }
  }
  for (size_t k = from; k < std::min(count, to + 2); ++k) {
    Range &range = box.ranges[k];
    for (unsigned d : dims)
      if (range.low[d] > range.high[d])
        return false;
    Tiles own = tilesOf(range), outer;
    if (!hasRoom(problem.groups[k], own.low))
      return false;
    // Only a boundary one memory further out knows which loops stand between.
    bool next = k > 0 && problem.groups[k - 1].stop + 1 == problem.groups[k].stop;
    if (next)
      outer = tilesOf(box.ranges[k - 1]);
    range.bound = bound(problem.groups[k], problem.flows[k], own, next ? &outer : nullptr);
  }
  box.bound = 0;
  for (const Range &range : box.ranges)
    box.bound += range.bound;
  return true;
}

/// The boundary and the index with the most different tiles; `maxDims` when there is one tile.
std::pair<size_t, unsigned> TileFloors::widest(const Box &box) const {
  std::pair<size_t, unsigned> at{0, maxDims};
  double most = 1;
  for (size_t k = 0; k < box.ranges.size(); ++k)
    for (unsigned d : dims) {
      double width =
          double(values[d][box.ranges[k].high[d]]) / double(values[d][box.ranges[k].low[d]]);
      if (width <= most)
        continue;
      most = width;
      at = {k, d};
    }
  return at;
}

/// Best-first over boxes of tiles.
double TileFloors::least(const Problem &problem) const {
  auto worse = [](const Box &a, const Box &b) { return a.bound > b.bound; };
  std::priority_queue<Box, std::vector<Box>, decltype(worse)> queue(worse);
  Box all;
  all.ranges.resize(problem.groups.size());
  for (size_t k = all.ranges.size(); k-- > 0;)
    for (unsigned d : dims)
      all.ranges[k].high[d] = static_cast<uint32_t>(values[d].size() - 1);
  bool fits = true;
  for (size_t k = 0; k < all.ranges.size(); ++k)
    fits = fits && weigh(problem, all, k);
  if (fits)
    queue.push(all);
  for (unsigned boxes = 0; !queue.empty(); ++boxes) {
    Box box = queue.top();
    auto [k, d] = widest(box);
    if (d == maxDims || boxes >= mostBoxes)
      return box.bound;
    queue.pop();
    uint32_t low = box.ranges[k].low[d], high = box.ranges[k].high[d];
    double middle = std::sqrt(double(values[d][low]) * double(values[d][high]));
    auto above = std::upper_bound(values[d].begin() + low + 1, values[d].begin() + high, middle) -
                 values[d].begin();
    Box lower = box, upper = std::move(box);
    lower.ranges[k].high[d] = static_cast<uint32_t>(above - 1);
    upper.ranges[k].low[d] = static_cast<uint32_t>(above);
    if (weigh(problem, lower, k))
      queue.push(std::move(lower));
    if (weigh(problem, upper, k))
      queue.push(std::move(upper));
  }
  return 0; // nothing fits
}
