// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/LaneSplits.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Most splits that are looked at, and that are listed.
static constexpr size_t visitLimit = 500000, listLimit = 50000;

LaneSplits::LaneSplits(const MapSpace &space, const SlotRules &rules, const TileGrid &grid,
                       const Symmetry &symmetry, unsigned begin, unsigned end, bool onlyBest)
    : space(space), grid(grid), symmetry(symmetry), begin(begin), end(end),
      onlyBest(onlyBest && end - begin <= 2) {
  for (unsigned t = 0; t < space.tensors.size(); ++t) {
    unsigned sharing = 0;
    for (unsigned s = begin; s < end; ++s)
      sharing += shares(t, s) ? 1 : 0;
    if (sharing > 0 && sharing < end - begin)
      telling.push_back(t);
  }
  LaneSplit split;
  split.factors.assign(end - begin, TileGrid::Point{});
  split.lanes.fill(0);
  ByLanes byLanes;
  extend(rules, split, begin, 0, 1, byLanes);
  for (const auto &entry : byLanes)
    for (const Listed &listed : entry.second) {
      add(listed.split);
      if (LaneSplit image = imageOf(listed.split); image.lanes != listed.split.lanes)
        add(image);
    }
}

void LaneSplits::add(const LaneSplit &split) {
  complete &= splits.size() < listLimit;
  if (!complete)
    return;
  splits.push_back(split);
  keys.insert(keyOf(split.factors));
}

bool LaneSplits::shares(unsigned tensor, unsigned slot) const {
  return space.tensors[tensor].isOutput ? space.slots[slot].reduce : space.slots[slot].multicast;
}

/// All factors on all axes, dimension by dimension.
void LaneSplits::extend(const SlotRules &rules, LaneSplit &split, unsigned slot, unsigned dim,
                        int64_t product, ByLanes &byLanes) {
  if (!complete)
    return;
  if (slot == end) {
    size_t at = grid.index(split.lanes);
    complete = ++visited <= visitLimit;
    if (!onlyBest)
      add(split);
    else if (at <= symmetry.image(grid, at)) // else its image is looked at
      insert(split, byLanes[at]);
    return;
  }
  if (dim == space.dims())
    return extend(rules, split, slot + 1, 0, 1, byLanes);
  uint8_t before = split.lanes[dim];
  for (unsigned i = 0; i < grid.divisorCount(dim); ++i) {
    auto number = static_cast<uint8_t>(i);
    int64_t factor = grid.value(dim, number);
    if (factor > space.slots[slot].size / product)
      break;
    uint8_t lanes = grid.times(dim, before, number);
    if (lanes == TileGrid::none || !rules[slot].allows(dim, factor))
      continue;
    split.factors[slot - begin][dim] = number;
    split.lanes[dim] = lanes;
    extend(rules, split, slot, dim + 1, product * factor, byLanes);
  }
  split.factors[slot - begin][dim] = 0;
  split.lanes[dim] = before;
}

LaneSplits::Shared LaneSplits::sharedOf(const LaneSplit &split, unsigned t) const {
  const FlatTensor &tensor = space.tensors[t];
  Shared shared;
  for (unsigned s = begin; s < end; ++s)
    for (unsigned d = 0; shares(t, s) && d < space.dims(); ++d) {
      uint8_t number = split.factors[s - begin][d];
      if (tensor.windowed >> d & 1)
        shared.window[d] = grid.times(d, shared.window[d], number);
      else if (!(tensor.plain >> d & 1))
        shared.lanes *= grid.value(d, number);
    }
  return shared;
}

bool LaneSplits::covers(const Listed &a, const Listed &b) const {
  for (unsigned i = 0; i < telling.size(); ++i) {
    if (a.shared[i].lanes < b.shared[i].lanes)
      return false;
    for (unsigned d = 0; d < space.dims(); ++d)
      if (grid.quotient(d, a.shared[i].window[d], b.shared[i].window[d]) == TileGrid::none)
        return false;
  }
  return true;
}

/// Of equal ones with their image among them the one that comes first before its image stays: it is
/// that one which is looked at.
void LaneSplits::insert(const LaneSplit &split, std::vector<Listed> &list) const {
  Listed now{split, {}};
  for (unsigned t : telling)
    now.shared.push_back(sharedOf(split, t));
  bool comesFirst = compare(split) <= 0;
  for (const Listed &other : list)
    if (covers(other, now) && !(comesFirst && compare(other.split) > 0 && covers(now, other)))
      return;
  llvm::erase_if(list, [&](const Listed &other) { return covers(now, other); });
  list.push_back(now);
}

int LaneSplits::compare(const LaneSplit &split) const {
  for (const TileGrid::Point &factors : split.factors)
    if (int result = symmetry.compare(factors))
      return result;
  return 0;
}

LaneSplit LaneSplits::imageOf(const LaneSplit &split) const {
  LaneSplit result;
  for (const TileGrid::Point &factors : split.factors)
    result.factors.push_back(symmetry.image(factors));
  result.lanes = symmetry.image(split.lanes);
  return result;
}

std::string LaneSplits::keyOf(llvm::ArrayRef<TileGrid::Point> factors) {
  std::string key;
  for (const TileGrid::Point &point : factors)
    key.append(point.begin(), point.end());
  return key;
}

bool LaneSplits::contains(const Mapping &mapping) const {
  llvm::SmallVector<TileGrid::Point, 2> factors(end - begin, TileGrid::Point{});
  for (unsigned s = begin; s < end; ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      factors[s - begin][d] = grid.number(d, mapping.factor[s][d]);
  return !complete || keys.count(keyOf(factors)) > 0;
}
