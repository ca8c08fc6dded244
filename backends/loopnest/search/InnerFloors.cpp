// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/InnerFloors.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most settled flows that are remembered.
static constexpr size_t settledLimit = size_t(1) << 18;

std::vector<char> loopnest::roomAt(const MapSpace &space, const CostWeights &weights,
                                   const TileGrid &grid, unsigned slot) {
  unsigned memory = space.slots[slot].number;
  std::vector<char> result(grid.size(), 1);
  if (!weights.memories[memory].capacityBits)
    return result;
  MappingEvaluator evaluator(space, weights);
  Mapping mapping = space.emptyMapping();
  for (size_t x = 0; x < grid.size(); ++x) {
    for (unsigned d = 0; d < space.dims(); ++d)
      mapping.factor[0][d] = grid.value(d, grid.point(x)[d]);
    result[x] = slot == 0 ||
                evaluator.leastTileBits(mapping, memory) <= *weights.memories[memory].capacityBits;
  }
  return result;
}

/// Nothing stands there.
static InnerFloors::Entry allOpen() {
  InnerFloors::Entry entry;
  entry.words.fill(InnerFloors::open);
  entry.padding.fill(0);
  entry.held.fill(0);
  return entry;
}

InnerFloors::InnerFloors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                         const TileGrid &grid, const FlowFloors &floors, const CrossingCosts &costs,
                         const Symmetry &symmetry, llvm::function_ref<bool()> isOver)
    : space(space), rules(rules), grid(grid), floors(floors), symmetry(symmetry),
      first(costs.arrayEnd()) {
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (space.crossings[k].end > costs.arrayBegin() && !costs.of(k).atLanes) {
      crossings.push_back(k);
      windowed |= space.tensors[space.crossings[k].tensor].windowed;
    }
  unsigned slots = space.slots.size();
  tables.resize(slots - first + 1);
  lists.resize(slots - first + 1);
  valid = crossings.size() <= maxFlows && costs.isValid();
  if (!valid)
    return;
  for (auto &table : tables)
    table.resize(grid.size());
  filled.resize(grid.size());
  orders.resize((slots - first) << space.dims());
  tables.back()[grid.last()] = {allOpen()};
  lists.back() = {static_cast<uint32_t>(grid.last())};
  for (unsigned s = first; s < slots; ++s)
    fits.push_back(roomAt(space, weights, grid, s));
  for (unsigned s = slots; s-- > first + 1 && valid;)
    addSlot(s, isOver);
  addOutlooks();
}

/// From what stands inside the slot whose table is filled point by point.
void InnerFloors::addOutlooks() {
  if (tables.size() == 1)
    return; // nothing to fill
  for (unsigned v = 0; v < crossings.size(); ++v) {
    const FlatTensor &tensor = space.tensors[space.crossings[crossings[v]].tensor];
    unsigned t = space.crossings[crossings[v]].tensor;
    std::vector<Outlook> of(grid.size());
    std::vector<double> words(grid.size(), HUGE_VAL);
    for (uint32_t x : lists[1])
      for (const Entry &entry : tables[1][x]) {
        if (entry.words[v] != open) {
          of[x].words = std::min(of[x].words, entry.words[v]);
          of[x].padding = std::max(of[x].padding, entry.padding[v]);
          continue;
        }
        of[x].mayBeOpen = true;
        words[x] = floors.slidingAtBest(t, x, grid.point(x), TileGrid::Point{});
        of[x].padding = std::max(of[x].padding, floors.missing(t, x) * floors.padding(t, x));
      }
    // Loops of the slot leave a flow open that ends outside of it.
    bool settles = space.crossings[crossings[v]].end > first;
    DimMask moving = settles ? tensor.plain | tensor.windowed : 0;
    grid.gatherMultiples(~moving,
                         [&](size_t x, size_t other) { of[x].mayBeOpen |= of[other].mayBeOpen; });
    grid.gatherMultiples(~DimMask(0), [&](size_t x, size_t other) {
      of[x].words = std::min(of[x].words, of[other].words);
      of[x].padding = std::max(of[x].padding, of[other].padding);
      words[x] = std::min(words[x], words[other]);
    });
    outlooks.push_back(std::move(of));
    fresh.push_back(std::move(words));
  }
}

bool InnerFloors::admits(unsigned slot, const TileGrid::Point &factor) const {
  for (unsigned d = 0; d < space.dims(); ++d)
    if (!rules[slot].factors[d].open && !rules[slot].allows(d, grid.value(d, factor[d])))
      return false;
  return true;
}

void InnerFloors::addSlot(unsigned slot, llvm::function_ref<bool()> isOver) {
  TileGrid::Point factor{};
  for (size_t x = 0; x < grid.size() && valid; ++x) {
    if (!fits[slot - first][x])
      continue;
    valid = !isOver();
    std::vector<Entry> &result = tables[slot - first][x];
    size_t image = symmetry.image(grid, x);
    if (image < x)
      mirror(slot, image, x);
    for (uint32_t inside : lists[slot + 1 - first])
      if (image >= x && inside >= x && grid.between(grid.point(x), grid.point(inside), factor) &&
          admits(slot, factor))
        addEntries(slot, inside, factor, result, nullptr);
    if (!result.empty())
      lists[slot - first].push_back(static_cast<uint32_t>(x));
  }
}

void InnerFloors::fillPoint(size_t outside) {
  if (tables.size() == 1 || filled[outside])
    return; // no memories there, or done before
  filled[outside] = 1;
  TileGrid::Point factor{};
  std::vector<Entry> &result = tables.front()[outside];
  for (uint32_t inside : lists[1])
    if (inside >= outside && grid.between(grid.point(outside), grid.point(inside), factor) &&
        admits(first, factor))
      addEntries(first, inside, factor, result, &grid.point(outside));
  if (size_t image = symmetry.image(grid, outside); image != outside)
    mirror(first, outside, image);
}

/// What stands at a point, with the swapped dimensions exchanged.
void InnerFloors::mirror(unsigned slot, size_t from, size_t to) {
  std::vector<Entry> &result = tables[slot - first][to];
  result = tables[slot - first][from];
  for (Entry &entry : result)
    for (unsigned v = 0; v < crossings.size(); ++v)
      entry.held[v] = static_cast<uint32_t>(symmetry.image(grid, entry.held[v]));
}

/// What a tensor sees of an order, from the inside out: what stands outside of the innermost loop
/// that changes the whole tile does not count, nor which loop that is, and idle loops inside of all
/// others only together.
InnerFloors::Order InnerFloors::viewOf(const Order &order, unsigned tensor) const {
  const FlatTensor &t = space.tensors[tensor];
  Order view;
  size_t idle = 0;
  for (unsigned d : order) {
    if (t.plain >> d & 1) {
      view.push_back(maxDims);
      break;
    }
    view.push_back(d);
    if (idle + 1 == view.size() && !(t.windowed >> d & 1))
      ++idle;
  }
  std::sort(view.begin(), view.begin() + idle);
  return view;
}

/// Whether no loops with the view `a` bring less than with `b`, whatever their factors are.
bool InnerFloors::isNoWorse(const Order &a, const Order &b, unsigned tensor) const {
  if (a == b)
    return true;
  // Without windows all that counts is which loops stand inside of the first that moves the tile.
  return space.tensors[tensor].windows.empty() &&
         std::includes(a.begin(), a.end(), b.begin(), b.end());
}

/// The orders that can differ for the flows that the slot settles, as the loops' dimensions from
/// the inside out.
InnerFloors::Orders InnerFloors::makeOrders(unsigned slot, const TileGrid::Point &factor) const {
  std::array<int64_t, maxDims> values{};
  for (unsigned d = 0; d < space.dims(); ++d)
    values[d] = factor[d] > 0 ? 2 : 1;
  llvm::SmallVector<unsigned, 4> settles; // tensors
  for (unsigned k : crossings)
    if (space.crossings[k].end > slot && !llvm::is_contained(settles, space.crossings[k].tensor))
      settles.push_back(space.crossings[k].tensor);
  struct Seen {
    Order inward;
    llvm::SmallVector<Order, 3> views; ///< by number in `settles`
  };
  std::vector<Seen> kept;
  auto covers = [&](const Seen &a, const Seen &b) {
    for (unsigned i = 0; i < settles.size(); ++i)
      if (!isNoWorse(a.views[i], b.views[i], settles[i]))
        return false;
    return true;
  };
  for (const auto &order : loopnest::ordersOf(space, values, slot, rules[slot], false)) {
    Seen now;
    for (unsigned i = space.dims(); i-- > 0;)
      if (factor[order[i]] > 0)
        now.inward.push_back(order[i]);
    for (unsigned t : settles)
      now.views.push_back(viewOf(now.inward, t));
    if (llvm::any_of(kept, [&](const Seen &other) { return covers(other, now); }))
      continue;
    llvm::erase_if(kept, [&](const Seen &other) { return covers(now, other); });
    kept.push_back(std::move(now));
  }
  Orders result;
  for (const Seen &now : kept) {
    result.list.push_back(now.inward);
    auto &views = result.views.emplace_back(space.tensors.size(), 0);
    for (unsigned i = 0; i < settles.size(); ++i)
      views[settles[i]] = static_cast<unsigned>(
          llvm::find_if(kept, [&](const Seen &other) { return other.views[i] == now.views[i]; }) -
          kept.begin());
  }
  return result;
}

const InnerFloors::Orders &InnerFloors::ordersOf(unsigned slot, const TileGrid::Point &factor) {
  size_t key = slot - first;
  for (unsigned d = 0; d < space.dims(); ++d)
    key = key << 1 | (factor[d] > 0 ? 1 : 0);
  std::unique_ptr<Orders> &known = orders[key];
  if (!known)
    known = std::make_unique<Orders>(makeOrders(slot, factor));
  return *known;
}

/// Flows settled by the loops of a slot, for each order that no other is better than, as many as
/// for one setting of the dimensions that a tensor lacks. They depend on the loops and, of what is
/// inside, on the dimensions of windows alone. Valid until the next call.
llvm::ArrayRef<InnerFloors::Entry> InnerFloors::settledBy(unsigned slot, size_t inside,
                                                          const TileGrid::Point &factor) {
  if (settledEntries.size() >= settledLimit) {
    settledEntries.clear();
    settledRanges.clear();
  }
  auto [at, isNew] = settledRanges.try_emplace(
      {uint64_t(slot) << 32 | alone(windowed, inside), grid.index(factor)});
  auto &[begin, end] = at->second;
  if (isNew) {
    std::vector<Entry> entries;
    addSettled(slot, inside, factor, entries);
    begin = settledEntries.size();
    settledEntries.insert(settledEntries.end(), entries.begin(), entries.end());
    end = settledEntries.size();
  }
  return llvm::makeArrayRef(settledEntries).slice(begin, end - begin);
}

void InnerFloors::addSettled(unsigned slot, size_t inside, const TileGrid::Point &factor,
                             std::vector<Entry> &result) {
  const Orders &all = ordersOf(slot, factor);
  llvm::SmallVector<Entry, 16> byOrder;
  llvm::SmallVector<FlowFloors::SlotLoop, maxDims> loops;
  Entry nothing = allOpen();
  for (unsigned v = 0; v < crossings.size(); ++v)
    nothing.held[v] = static_cast<uint32_t>(
        alone(space.tensors[space.crossings[crossings[v]].tensor].windowed, inside));
  for (unsigned o = 0; o < all.list.size(); ++o) {
    loops.clear();
    for (unsigned d : all.list[o])
      loops.push_back({d, factor[d]});
    Entry &now = byOrder.emplace_back(nothing);
    for (unsigned v = 0; v < crossings.size(); ++v) {
      const Crossing &crossing = space.crossings[crossings[v]];
      if (crossing.end <= slot)
        continue;
      FlowFloors::Brought flow;
      if (unsigned same = all.views[o][crossing.tensor]; same < o)
        flow = {byOrder[same].words[v], byOrder[same].padding[v]};
      else
        flow = settled(crossing.tensor, inside, loops);
      now.words[v] = flow.words;
      now.padding[v] = flow.padding;
    }
    insert(result, now, nullptr);
  }
}

/// What the loops of the slot settle together with what may stand further in.
void InnerFloors::addEntries(unsigned slot, size_t inside, const TileGrid::Point &factor,
                             std::vector<Entry> &result, const TileGrid::Point *steps) {
  for (Entry now : settledBy(slot, inside, factor)) {
    for (unsigned v = 0; v < crossings.size(); ++v)
      if (now.words[v] != open) {
        double times = floors.missing(space.crossings[crossings[v]].tensor, inside);
        now.words[v] *= times;
        now.padding[v] *= times;
      }
    for (const Entry &entry : tables[slot + 1 - first][inside]) {
      Entry next = entry;
      for (unsigned v = 0; v < crossings.size(); ++v)
        if (entry.words[v] == open && now.words[v] != open) {
          next.words[v] = now.words[v];
          next.padding[v] = now.padding[v];
          next.held[v] = now.held[v];
        }
      insert(result, next, steps);
    }
  }
}

/// What a flow becomes that is open inside these loops, for one setting of the dimensions that the
/// tensor lacks; open when nothing of the tensor moves there.
FlowFloors::Brought InnerFloors::settled(unsigned t, size_t inside,
                                         llvm::ArrayRef<FlowFloors::SlotLoop> loops) const {
  const FlatTensor &tensor = space.tensors[t];
  double repeats = 1;
  for (size_t i = 0; i < loops.size(); ++i) {
    unsigned dim = loops[i].first;
    if (tensor.plain >> dim & 1)
      return {floors.whole(t, inside) / repeats, floors.padding(t, inside) / repeats};
    if (tensor.windowed >> dim & 1) {
      FlowFloors::Brought once = floors.slidingInside(t, inside, loops.drop_front(i));
      return {once.words / repeats, once.padding / repeats};
    }
    repeats *= static_cast<double>(grid.value(dim, loops[i].second));
  }
  return {open, 0};
}

/// The point with some dimensions alone.
size_t InnerFloors::alone(DimMask dims, size_t point) const {
  size_t result = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (dims >> d & 1)
      result += grid.point(point)[d] * grid.stride(d);
  return result;
}

/// Tiles that reach farther are shared by more lanes; how many can share is known where the lanes'
/// tiles are (`steps`). An open flow is at most what any settled one is, where there are no
/// windows.
bool InnerFloors::covers(const Entry &a, const Entry &b, const TileGrid::Point *steps) const {
  for (unsigned v = 0; v < crossings.size(); ++v) {
    if (a.words[v] > b.words[v])
      return false;
    unsigned t = space.crossings[crossings[v]].tensor;
    if (space.tensors[t].windows.empty())
      continue;
    if ((a.words[v] == open) != (b.words[v] == open) || a.padding[v] < b.padding[v] ||
        (a.held[v] != b.held[v] &&
         !floors.reachesAsFar(t, grid.point(a.held[v]), grid.point(b.held[v]), steps)))
      return false;
  }
  return true;
}

void InnerFloors::insert(std::vector<Entry> &list, const Entry &entry,
                         const TileGrid::Point *steps) const {
  for (const Entry &other : list)
    if (covers(other, entry, steps))
      return;
  llvm::erase_if(list, [&](const Entry &other) { return covers(entry, other, steps); });
  list.push_back(entry);
}
