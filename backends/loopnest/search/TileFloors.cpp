// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TileFloors.h"

#include "backends/loopnest/search/SlotRules.h"
#include "ir/common/Rational.h"
#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

using namespace perfc;
using namespace perfc::loopnest;

/// Most indices with loops that floors are made for.
static constexpr unsigned mostLoops = 9;
/// Each loop beyond so many doubles what a box costs.
static constexpr unsigned fewLoops = 6;
/// Tiles of any size are told apart up to so many values, larger ones by this part of them.
static constexpr int64_t finest = 1 << 12;
/// Most ways to share out lanes that are tried for one tile.
static constexpr unsigned mostShares = 4000;

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

bool TileFloors::sharesAlong(const MapSpace &space, unsigned slot, unsigned tensor) {
  const Slot &at = space.slots[slot];
  return at.isAxis &&
         space.nest.places[at.place].axes[at.axis].shares(tensor, tensor == space.output);
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
    if (space.nest.dims[d].size > 1)
      dims.push_back(d);
    addValues(d);
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
    energies[stop] = leastOf({{groupOf(stop)}, {flows[stop]}});
    all.groups.push_back(groupOf(stop));
    all.flows.push_back(flows[stop]);
  }
  if (all.groups.size() > 1)
    together = leastOf(all);
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
        moved[stop][m] = leastOf({{groupOf(stop)}, {flows[stop]}});
  }
}

/// The sizes that a tile may have along an index; the whole of it is always told apart.
void TileFloors::addValues(unsigned dim) {
  int64_t size = space.nest.dims[dim].size;
  if (!imperfect)
    least[dim] = most[dim] = divisors(size);
  for (int64_t low = 1, high; imperfect && low <= size; low = high + 1) {
    high = low == size ? low : std::min(size - 1, low + low / finest);
    least[dim].push_back(low);
    most[dim].push_back(high);
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
      shared *= sharesAlong(space, s, t) ? double(space.slots[s].size) : 1;
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
  while (number < dims.size() && !(tiles.used(group.memory) >> dims[number] & 1))
    ++number; // lanes make no tile smaller there
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

/// How many values of a window are not padding, at least.
static double valuesOf(const MapSpace &space, const Window &window) {
  double n = double(space.nest.dims[window.first].size);
  double m = double(space.nest.dims[window.second].size);
  int64_t divisor = std::gcd(window.a, window.b);
  double values = n * m - std::max(0.0, n - std::abs(double(window.b / divisor))) *
                              std::max(0.0, m - std::abs(double(window.a / divisor)));
  if (!window.extent)
    return values;
  double low = double(window.constant), high = low;
  (window.a < 0 ? low : high) += double(window.a) * (n - 1);
  (window.b < 0 ? low : high) += double(window.b) * (m - 1);
  double inside = std::min(high, double(*window.extent) - 1) - std::max(low, 0.0) + 1;
  return std::max(1.0, values - (high - low + 1 - std::max(0.0, inside)));
}

/// The share of a window's elements that the one loop over `dim` outside of its tile may leave
/// where they are: those in the tiles of all passes. With t values of N in a pass, the last one
/// begins at least N - t values behind the first; where lanes may idle in it, the one before does
/// so N - 2 t behind.
double TileFloors::windowShare(const Group &group, unsigned tensor, unsigned dim,
                               const Tiles &inside) const {
  const FlatTensor &flat = space.tensors[tensor];
  if (!space.isFlat || flat.windowOf[dim] < 0)
    return 1;
  const Window &window = flat.windows[flat.windowOf[dim]];
  bool first = window.first == dim;
  auto size = [&](unsigned d) { return double(space.nest.dims[d].size); };
  double own = std::abs(double(first ? window.a : window.b));
  double other = std::abs(double(first ? window.b : window.a));
  double passes = imperfect && group.hasLanes ? 3 : 2;
  double reach = other * (size(first ? window.second : window.first) - 1);
  double most = own * (passes * double(inside.high[dim]) - 1 - size(dim)) + reach + 1;
  return std::min(1.0, std::max(0.0, most) / valuesOf(space, window));
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

/// One flow as the loops of a place see it.
struct TileFloors::Settling {
  const Flow *flow;
  double elements;
  double repeats = 1;                     ///< by loops further out than the place
  std::array<double, mostLoops> passes{}; ///< of each loop, as a factor of that; 1 for own ones
  std::array<double, mostLoops> kept{};   ///< share that stays; 1 for those that settle nothing
  unsigned own = 0;                       ///< loops that settle it
};

TileFloors::Settling TileFloors::settlingOf(const Group &group, const Flow &flow,
                                            const Tiles &tiles, const PlaceLoops &place) const {
  const FlatTensor &tensor = space.tensors[flow.tensor];
  auto passesOf = [&](unsigned d, const Tiles &of) {
    return (tensor.plain | tensor.windowed) >> d & 1
               ? 1
               : double(ceilDivide(space.nest.dims[d].size, of.high[d]));
  };
  Settling result{&flow, double(facts.elements[flow.tensor])};
  for (unsigned d : dims)
    result.repeats *= place.outside ? passesOf(d, *place.outside) : 1;
  double least = 1;
  for (unsigned i = 0; i < place.loops.size(); ++i) {
    unsigned d = place.loops[i];
    double further = place.outside ? passesOf(d, *place.outside) : 1;
    result.passes[i] = passesOf(d, *place.inside) / further;
    // Where there are several loops, the last pass of the outermost may have but one of the others.
    bool isOnly =
        place.slots == 1 && (!place.outside || place.outside->low[d] == space.nest.dims[d].size);
    if (tensor.plain >> d & 1)
      result.kept[i] = keptShare(group, flow.tensor, d, tiles.low, tiles.high);
    else
      result.kept[i] = isOnly ? windowShare(group, flow.tensor, d, *place.inside) : 1;
    least = std::min(least, result.kept[i]);
  }
  // Any loop bounds what enters: the first one need not be one that leaves nearly all.
  for (unsigned i = 0; i < place.loops.size(); ++i)
    result.own |= result.kept[i] < 1 && result.kept[i] <= std::max(least, 0.5) ? 1u << i : 0;
  return result;
}

/// The least cost of all orders of `count` loops. A flow is settled by the first of its own ones;
/// of each set of loops that stand innermost it is known what those cost that it settles.
double TileFloors::leastOfOrders(unsigned count, llvm::ArrayRef<Settling> list) const {
  unsigned sets = 1u << count;
  std::vector<std::vector<double>> repeats; // by flow and set of loops
  for (const Settling &own : list) {
    std::vector<double> &of = repeats.emplace_back(sets, own.repeats);
    for (unsigned set = 1; set < sets; ++set)
      of[set] = of[set & (set - 1)] * own.passes[llvm::countTrailingZeros(set)];
  }
  std::vector<double> least(sets, HUGE_VAL);
  least[0] = 0;
  for (unsigned set = 0; set + 1 < sets; ++set)
    for (unsigned i = 0; i < count; ++i) {
      if (set >> i & 1)
        continue;
      double cost = least[set];
      for (size_t f = 0; f < list.size(); ++f) {
        const Settling &flow = list[f];
        if ((flow.own & set) || !(flow.own >> i & 1))
          continue;
        double again = repeats[f][(sets - 1) & ~set];
        double words = flow.elements * (flow.kept[i] + (1 - flow.kept[i]) * again);
        cost += flow.flow->costOf(words, flow.elements);
      }
      double &next = least[set | 1u << i];
      next = std::min(next, cost);
    }
  return least.back();
}

/// Of one boundary alone: all loops outside of it are one place.
double TileFloors::bound(const Group &group, const Flows &flows, const Tiles &between) const {
  PlaceLoops place{group.stop, {}, &between, nullptr};
  for (unsigned d : dims)
    if (between.high[d] < space.nest.dims[d].size)
      place.loops.push_back(d);
  std::vector<Settling> list;
  double total = 0;
  for (const Flow &flow : flows) {
    list.push_back(settlingOf(group, flow, between, place));
    if (!list.back().own)
      total += flow.costOf(list.back().elements, list.back().elements);
  }
  return total + leastOfOrders(place.loops.size(), list);
}

/// Of all boundaries: the loops that surely stand between two of them have one order, whatever the
/// boundary further in that they settle flows of. Any loop of a flow's own bounds it; the one taken
/// is of the innermost place that has some.
double TileFloors::bound(const Problem &problem, const Box &box) const {
  size_t count = box.ranges.size();
  std::vector<Tiles> between;
  for (const Range &range : box.ranges)
    between.push_back(tilesOf(range));
  std::vector<PlaceLoops> places;
  for (size_t k = 0; k < count; ++k) {
    unsigned from = k == 0 ? 0 : problem.groups[k - 1].stop;
    places.push_back(
        {problem.groups[k].stop - from, {}, &between[k], k ? &between[k - 1] : nullptr});
    for (unsigned d : dims)
      if (between[k].high[d] < (k == 0 ? space.nest.dims[d].size : between[k - 1].low[d]))
        places[k].loops.push_back(d);
  }
  std::vector<std::vector<Settling>> settled(count);
  double total = 0;
  for (size_t k = 0; k < count; ++k)
    for (const Flow &flow : problem.flows[k]) {
      size_t place = k;
      Settling own = settlingOf(problem.groups[k], flow, between[k], places[k]);
      while (!own.own && place > 0)
        own = settlingOf(problem.groups[k], flow, between[k], places[--place]);
      if (own.own)
        settled[place].push_back(own);
      else
        total += flow.costOf(own.elements, own.elements);
    }
  for (size_t place = 0; place < count; ++place)
    total += leastOfOrders(places[place].loops.size(), settled[place]);
  return total;
}

TileFloors::Tiles TileFloors::tilesOf(const Range &range) const {
  Tiles result;
  result.low.fill(1);
  result.high.fill(1);
  for (unsigned d : dims) {
    result.low[d] = least[d][range.low[d]];
    result.high[d] = most[d][range.high[d]];
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
  for (size_t k = from; k <= to; ++k) {
    Range &range = box.ranges[k];
    for (unsigned d : dims)
      if (range.low[d] > range.high[d])
        return false;
    Tiles own = tilesOf(range);
    if (!hasRoom(problem.groups[k], own.low))
      return false;
    range.bound = bound(problem.groups[k], problem.flows[k], own);
  }
  box.bound = 0;
  for (const Range &range : box.ranges)
    box.bound += range.bound;
  if (count > 1)
    box.bound = std::max(box.bound, bound(problem, box));
  return true;
}

/// The boundary and the index with the most different tiles; `maxDims` when there is one tile.
std::pair<size_t, unsigned> TileFloors::widest(const Box &box) const {
  std::pair<size_t, unsigned> at{0, maxDims};
  double most = 1;
  for (size_t k = 0; k < box.ranges.size(); ++k)
    for (unsigned d : dims) {
      double width =
          double(least[d][box.ranges[k].high[d]]) / double(least[d][box.ranges[k].low[d]]);
      if (width <= most)
        continue;
      most = width;
      at = {k, d};
    }
  return at;
}

/// Best-first over boxes of tiles.
double TileFloors::leastOf(const Problem &problem) const {
  auto worse = [](const Box &a, const Box &b) { return a.bound > b.bound; };
  std::priority_queue<Box, std::vector<Box>, decltype(worse)> queue(worse);
  Box all;
  all.ranges.resize(problem.groups.size());
  for (size_t k = all.ranges.size(); k-- > 0;)
    for (unsigned d : dims)
      all.ranges[k].high[d] = static_cast<uint32_t>(least[d].size() - 1);
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
    const std::vector<int64_t> &values = least[d];
    double middle = std::sqrt(double(values[low]) * double(values[high]));
    auto above =
        std::upper_bound(values.begin() + low + 1, values.begin() + high, middle) - values.begin();
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
