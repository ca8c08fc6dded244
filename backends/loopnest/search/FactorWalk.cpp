// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/FactorWalk.h"

#include "ir/common/Rational.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Tries of one slot, and from the outermost slot on, before a draw has failed.
static constexpr unsigned slotTries = 50, drawTries = 2000;

std::pair<int64_t, int64_t> FactorChoices::draw(unsigned slot, unsigned dim, int64_t whole,
                                                int64_t room, int64_t longest,
                                                std::mt19937_64 &random) {
  const FactorRule &rule = rules[slot].factors[dim];
  int64_t size = space.nest.dims[dim].size, factor = whole, inside = 1;
  bool isLast = slot + 1 == space.slots.size();
  bool begins = imperfect && whole == size && size > 1 && !isLast;
  auto below = [&](int64_t count) { return static_cast<int64_t>(random() % uint64_t(count)); };
  if (begins && !rule.open && !rule.values.empty()) {
    // Those P of which ceil(size / P) is the factor.
    factor = rule.values[below(rule.values.size())];
    int64_t least = 1 + (size - 1) / factor;
    int64_t most = factor > 1 ? (size - 1) / (factor - 1) : size;
    inside = most >= least ? least + below(most - least + 1) : 0;
  } else if (begins && rule.open && random() % 2) {
    inside = 1 + below(std::min(size - 1, longest));
    factor = 1 + (size - 1) / inside;
  } else if (!isLast) {
    std::vector<int64_t> list = divisorsOf(dim, whole);
    llvm::erase_if(list, [&](int64_t one) { return one > room || !rule.allows(one); });
    factor = list.empty() ? 0 : list[below(list.size())];
    inside = list.empty() ? whole : whole / factor;
  }
  bool isAllowed = inside > 0 && factor <= room && rule.allows(factor);
  return {isAllowed ? factor : 0, inside};
}

FactorWalk::FactorWalk(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                       bool imperfect, bool isClosed, std::function<bool()> mayGoOn)
    : space(space), weights(weights), imperfect(imperfect), slots(space, weights, rules),
      choices(space, rules, imperfect), tiles(space), mayGoOn(std::move(mayGoOn)),
      mapping(space.emptyMapping()) {
  if (isClosed)
    closed.emplace(space);
}

/// Whether the memory at `slot` has room for what the slots outside it leave.
bool FactorWalk::hasRoom(unsigned slot) const {
  unsigned memory = space.slots[slot].number;
  const auto &capacity = weights.memories[memory].capacityBits;
  if (space.slots[slot].isAxis || !capacity)
    return true;
  return closed ? closed->leastBits(mapping, memory) <= *capacity
                : tiles.leastBits(memory, inside[slot]) <= double(*capacity);
}

/// Whether what is left at `slot` may be taken from there on.
bool FactorWalk::leadsOn(unsigned slot) const {
  return slot == space.slots.size() || (slots.canTake(slot, inside[slot]) && hasRoom(slot));
}

/// Whether the next memory may have room when `slot` leaves at least so much of each dimension.
bool FactorWalk::mayHaveRoom(unsigned slot, const ChainTiles::Tile &left) const {
  int64_t lanes = 1;
  for (++slot; slot < space.slots.size() && space.slots[slot].isAxis; ++slot)
    lanes = lanes > INT64_MAX / space.slots[slot].size ? INT64_MAX : lanes * space.slots[slot].size;
  if (slot == space.slots.size())
    return true;
  ChainTiles::Tile tile;
  for (unsigned d = 0; d < space.dims(); ++d)
    tile[d] = ceilDivide(left[d], lanes);
  unsigned memory = space.slots[slot].number;
  const auto &capacity = weights.memories[memory].capacityBits;
  return !capacity || tiles.leastBits(memory, tile) <= double(*capacity);
}

/// The most that `slot` may leave of a dimension, with `left` of the others; 1 at least.
int64_t FactorWalk::longest(unsigned slot, unsigned dim, ChainTiles::Tile left) const {
  int64_t low = 1, high = space.nest.dims[dim].size;
  while (low < high) {
    left[dim] = low + (high - low + 1) / 2;
    if (mayHaveRoom(slot, left))
      low = left[dim];
    else
      high = left[dim] - 1;
  }
  return low;
}

/// Calls `next` with each choice of the dimensions of `slot` from `dim` on.
bool FactorWalk::choose(unsigned slot, unsigned dim, int64_t room,
                        llvm::function_ref<bool()> next) {
  if (!mayGoOn())
    return false;
  if (dim == space.dims())
    return !leadsOn(slot + 1) || next();
  int64_t most = INT64_MAX;
  if (imperfect) {
    ChainTiles::Tile left = inside[slot + 1];
    std::fill(left.begin() + dim, left.end(), 1);
    if (!mayHaveRoom(slot, left))
      return true;
    most = longest(slot, dim, left);
  }
  auto visit = [&](int64_t f, int64_t left) {
    mapping.factor[slot][dim] = f;
    inside[slot + 1][dim] = left;
    return choose(slot, dim + 1, space.slots[slot].isAxis ? room / f : room, next);
  };
  bool going = choices.forEach(slot, dim, inside[slot][dim], room, visit, most);
  mapping.factor[slot][dim] = 1;
  return going;
}

bool FactorWalk::chooseSlot(unsigned slot, llvm::function_ref<bool()> next) {
  return choose(slot, 0, space.slots[slot].isAxis ? space.slots[slot].size : INT64_MAX, next);
}

/// Nothing is chosen; false when not even the outermost memory has room.
bool FactorWalk::begin() {
  for (auto &factors : mapping.factor)
    factors.fill(1);
  for (unsigned d = 0; d < space.dims(); ++d)
    inside[0][d] = space.nest.dims[d].size;
  return hasRoom(0);
}

bool FactorWalk::visitFrom(unsigned slot) {
  return slot == space.slots.size() ? visitor(mapping)
                                    : chooseSlot(slot, [&] { return visitFrom(slot + 1); });
}

bool FactorWalk::forEach(llvm::function_ref<bool(const Mapping &)> visit) {
  visitor = visit;
  return !begin() || visitFrom(0);
}

/// Each dimension takes one of the factors that it may have, each with the same chance.
bool FactorWalk::drawSlot(unsigned slot, std::mt19937_64 &random) {
  int64_t room = space.slots[slot].isAxis ? space.slots[slot].size : INT64_MAX;
  bool isLegal = true;
  ChainTiles::Tile least;
  least.fill(1);
  // Which comes first has the most lanes to choose from.
  unsigned first = random() % space.dims();
  for (unsigned i = 0; i < space.dims() && isLegal; ++i) {
    unsigned d = (first + i) % space.dims();
    auto [factor, left] =
        choices.draw(slot, d, inside[slot][d], room, longest(slot, d, least), random);
    mapping.factor[slot][d] = factor;
    inside[slot + 1][d] = left;
    isLegal = factor > 0;
    if (isLegal && space.slots[slot].isAxis)
      room /= factor;
  }
  if (isLegal && leadsOn(slot + 1))
    return true;
  mapping.factor[slot].fill(1);
  return false;
}

llvm::Optional<Mapping> FactorWalk::draw(std::mt19937_64 &random) {
  for (unsigned attempt = 0; attempt < drawTries && mayGoOn() && begin(); ++attempt) {
    unsigned slot = 0;
    for (unsigned tries = 0; slot < space.slots.size() && tries < slotTries; ++tries)
      if (drawSlot(slot, random)) {
        ++slot;
        tries = 0;
      }
    if (slot == space.slots.size())
      return mapping;
  }
  return llvm::None;
}

double FactorWalk::countFrom(unsigned slot) {
  if (slot == space.slots.size())
    return 1;
  uint64_t key = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    key = key * uint64_t(space.nest.dims[d].size + 1) + uint64_t(inside[slot][d]);
  if (auto known = counted[slot].find(key); known != counted[slot].end())
    return known->second;
  double sum = 0;
  chooseSlot(slot, [&] {
    double orders = ordersAt(mapping, slot);
    sum += orders * countFrom(slot + 1);
    return --steps > 0;
  });
  return counted[slot][key] = sum;
}

llvm::Optional<double>
FactorWalk::count(llvm::function_ref<double(const Mapping &, unsigned)> orders, int64_t most) {
  double keys = 1;
  for (const Dim &dim : space.nest.dims)
    keys *= double(dim.size) + 1;
  if (keys >= 0x1p63)
    return llvm::None;
  ordersAt = orders;
  steps = most;
  double all = begin() ? countFrom(0) : 0;
  return steps > 0 && mayGoOn() ? llvm::Optional<double>(all) : llvm::None;
}
