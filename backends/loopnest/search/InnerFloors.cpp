// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/InnerFloors.h"

using namespace perfc;
using namespace perfc::loopnest;

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
    result[x] =
        slot == 0 || evaluator.tileBits(mapping, memory) <= *weights.memories[memory].capacityBits;
  }
  return result;
}

InnerFloors::InnerFloors(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                         const TileGrid &grid, const FlowFloors &floors, const CrossingCosts &costs,
                         llvm::function_ref<bool()> isOver)
    : space(space), rules(rules), grid(grid), floors(floors), first(costs.arrayEnd()) {
  for (unsigned k = 0; k < space.crossings.size(); ++k)
    if (space.crossings[k].end > costs.arrayBegin() && !costs.of(k).atLanes)
      crossings.push_back(k);
  unsigned slots = space.slots.size();
  tables.resize(slots - first + 1);
  lists.resize(slots - first + 1);
  valid = crossings.size() <= maxFlows && costs.isValid();
  if (!valid)
    return;
  for (auto &table : tables)
    table.resize(grid.size());
  Entry nothing;
  nothing.words.fill(open);
  nothing.padding.fill(0);
  nothing.held.fill(0);
  tables.back()[grid.last()] = {nothing};
  lists.back() = {static_cast<uint32_t>(grid.last())};
  for (unsigned s = first; s < slots; ++s)
    fits.push_back(roomAt(space, weights, grid, s));
  for (unsigned s = slots; s-- > first && valid;)
    addSlot(s, isOver);
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
    for (uint32_t inside : lists[slot + 1 - first])
      if (inside >= x && grid.between(grid.point(x), grid.point(inside), factor) &&
          admits(slot, factor))
        addEntries(slot, inside, factor, result);
    if (!result.empty())
      lists[slot - first].push_back(static_cast<uint32_t>(x));
  }
}

/// One set of flows for each order of the loops, innermost first.
void InnerFloors::addEntries(unsigned slot, size_t inside, const TileGrid::Point &factor,
                             std::vector<Entry> &result) {
  llvm::SmallVector<FlowFloors::SlotLoop, maxDims> loops;
  for (unsigned d = space.dims(); d-- > 0;) {
    unsigned dim = rules[slot].orderOpen ? d : rules[slot].order[d];
    if (factor[dim] > 0)
      loops.push_back({dim, factor[dim]});
  }
  if (loops.empty() || !rules[slot].orderOpen || slot + 1 == space.slots.size())
    return addOrder(slot, inside, loops, result);
  llvm::sort(loops);
  do
    addOrder(slot, inside, loops, result);
  while (std::next_permutation(loops.begin(), loops.end()));
}

void InnerFloors::addOrder(unsigned slot, size_t inside, llvm::ArrayRef<FlowFloors::SlotLoop> loops,
                           std::vector<Entry> &result) {
  std::array<FlowFloors::Brought, maxFlows> now;
  now.fill({open, 0});
  for (unsigned v = 0; v < crossings.size(); ++v)
    if (space.crossings[crossings[v]].end > slot)
      now[v] = settled(space.crossings[crossings[v]].tensor, inside, loops);
  for (const Entry &entry : tables[slot + 1 - first][inside]) {
    Entry next = entry;
    for (unsigned v = 0; v < crossings.size(); ++v)
      if (entry.words[v] == open && now[v].words != open) {
        next.words[v] = now[v].words;
        next.padding[v] = now[v].padding;
        next.held[v] =
            static_cast<uint32_t>(sizeOnly(space.crossings[crossings[v]].tensor, inside));
      }
    insert(result, next);
  }
}

/// What a flow becomes that is open inside these loops; open when nothing of the tensor moves
/// there.
FlowFloors::Brought InnerFloors::settled(unsigned t, size_t inside,
                                         llvm::ArrayRef<FlowFloors::SlotLoop> loops) const {
  const FlatTensor &tensor = space.tensors[t];
  double repeats = 1;
  for (size_t i = 0; i < loops.size(); ++i) {
    unsigned dim = loops[i].first;
    double times = floors.missing(t, inside) / repeats;
    if (tensor.plain >> dim & 1)
      return {times * floors.whole(t, inside), times * floors.padding(t, inside)};
    if (tensor.windowed >> dim & 1) {
      FlowFloors::Brought once = floors.slidingInside(t, inside, loops.drop_front(i));
      return {times * once.words, times * once.padding};
    }
    repeats *= static_cast<double>(grid.value(dim, loops[i].second));
  }
  return {open, 0};
}

/// The point with the dimensions of windows alone.
size_t InnerFloors::sizeOnly(unsigned tensor, size_t point) const {
  size_t result = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (space.tensors[tensor].windowed >> d & 1)
      result += grid.point(point)[d] * grid.stride(d);
  return result;
}

/// Larger tiles are shared by more lanes. An open flow is at most what any settled one is, where
/// there are no windows.
bool InnerFloors::covers(const Entry &a, const Entry &b) const {
  for (unsigned v = 0; v < crossings.size(); ++v) {
    if (a.words[v] > b.words[v])
      return false;
    if (space.tensors[space.crossings[crossings[v]].tensor].windows.empty())
      continue;
    TileGrid::Point factor;
    if ((a.words[v] == open) != (b.words[v] == open) || a.padding[v] < b.padding[v] ||
        (a.held[v] != b.held[v] &&
         !grid.between(grid.point(a.held[v]), grid.point(b.held[v]), factor)))
      return false;
  }
  return true;
}

void InnerFloors::insert(std::vector<Entry> &list, const Entry &entry) const {
  for (const Entry &other : list)
    if (covers(other, entry))
      return;
  llvm::erase_if(list, [&](const Entry &other) { return covers(entry, other); });
  list.push_back(entry);
}
