// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearcher.h"

#include "ir/common/Rational.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

/// Most orders of a place that are told apart where factors leave a rest.
static constexpr size_t mostOrders = 50000;
/// Most loops of a place whose permutations are all tried.
static constexpr unsigned mostPermuted = 6;
/// Most factors that a loop may have in the walk: more are left open.
static constexpr int64_t mostChoices = 4096;

/// The most that the factors of a slot may multiply to.
static int64_t roomOf(const MapSpace &space, unsigned slot) {
  return space.slots[slot].isAxis ? space.slots[slot].size : INT64_MAX;
}

/// The factors that dimension `dim` may have in `slot`, with what they leave inside.
std::vector<ChainWalk::Choice> ChainWalk::choicesOf(unsigned slot, unsigned dim, int64_t room) {
  int64_t size = space.nest.dims[dim].size, whole = node.inside[slot][dim];
  bool begins = problem.chains.imperfect && whole == size && slot + 1 < space.slots.size();
  isPartial |= begins && mostChoices < size - 1;
  std::vector<Choice> list;
  auto add = [&](int64_t factor, int64_t inside) {
    list.push_back({factor, inside});
    return true;
  };
  factors.forEach(slot, dim, whole, room, add, mostChoices);
  return list;
}

void ChainWalk::dims(unsigned slot, unsigned dim, int64_t room, const Score &bound) {
  if (incumbents.excludes(bound))
    return;
  if (patience.isOver()) {
    result.open.push_back(bound);
    return;
  }
  if (dim == space.dims()) {
    orders(slot);
    return;
  }
  for (const Choice &choice : choicesOf(slot, dim, room)) {
    node.mapping.factor[slot][dim] = choice.factor;
    node.inside[slot + 1][dim] = choice.inside;
    dims(slot, dim + 1, space.slots[slot].isAxis ? room / choice.factor : room, bound);
    if (patience.isOver()) {
      result.open.push_back(bound); // of the other choices
      break;
    }
  }
  node.mapping.factor[slot][dim] = 1;
}

/// Indices whose loops so far leave a rest. Those that begin further in may, too, but what they do
/// there is no matter of the orders outside of them.
DimMask ChainWalk::raggedAt(unsigned slot) const {
  DimMask ragged = 0;
  for (unsigned s = 0; s <= slot; ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      if (node.mapping.factor[s][d] > 1 && space.nest.dims[d].size % node.inside[s + 1][d])
        ragged |= DimMask(1) << d;
  return ragged;
}

/// Orders of a slot that may cost differently.
std::vector<std::array<uint8_t, maxDims>> ChainWalk::ordersAt(unsigned slot) {
  bool all = problem.chains.allOrders || !space.isFlat;
  bool last = slot == space.memorySlot.back() && !problem.chains.allOrders;
  bool axis = space.slots[slot].isAxis, open = problem.rules[slot].orderOpen;
  if (!open || (axis && !problem.choices.axisOrderMatters(slot)) || last)
    return problem.choices.orders(node.mapping, slot);
  bool equal = problem.chains.equalOrders;
  if (!problem.chains.imperfect && !all && (axis || !equal))
    return problem.choices.orders(node.mapping, slot);
  if (!axis && !all) {
    auto list = raggedOrders(space, node.mapping.factor[slot], raggedAt(slot), mostOrders, equal);
    if (!list.empty())
      return list;
  }
  llvm::SmallVector<uint8_t, maxDims> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (node.mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  if (loops.size() > mostPermuted || (!axis && !all)) {
    isPartial = true;
    return problem.choices.orders(node.mapping, slot);
  }
  std::vector<std::array<uint8_t, maxDims>> list;
  std::array<uint8_t, maxDims> order;
  std::iota(order.begin(), order.end(), uint8_t(0));
  do {
    std::copy(others.begin(), others.end(), order.begin());
    std::copy(loops.begin(), loops.end(), order.begin() + others.size());
    list.push_back(order);
  } while (std::next_permutation(loops.begin(), loops.end()));
  return list;
}

void ChainWalk::consider(const Mapping &mapping, const Score &bound) {
  ++result.evaluated;
  bool isUnknown = false;
  if (llvm::Optional<Score> score = problem.weigh(space.withLoops(mapping), thread, isUnknown))
    incumbents.add({mapping, *score});
  else if (isUnknown) // maybe as good as its bound
    result.open.push_back(bound);
}

/// The factors of `slot` are chosen: its orders by growing bound.
void ChainWalk::orders(unsigned slot) {
  bool complete = slot + 1 == space.slots.size();
  if (!complete) {
    if (!problem.choices.canTake(slot + 1, node.inside[slot + 1]))
      return;
    const Slot &next = space.slots[slot + 1];
    const auto &capacity = problem.weights.memories[next.isAxis ? 0 : next.number].capacityBits;
    if (!next.isAxis && capacity && problem.bounds.leastBits(node, next.number) > double(*capacity))
      return;
  }
  struct Ordered {
    std::array<uint8_t, maxDims> order;
    Score bound;
    double key;
  };
  std::vector<Ordered> list;
  for (const auto &order : ordersAt(slot)) {
    node.mapping.order[slot] = order;
    Score bound = problem.bounds.bound(node, slot + 1);
    if (!incumbents.excludes(bound))
      list.push_back({order, bound, problem.valueOf(bound, 0)});
  }
  llvm::stable_sort(list, [](const Ordered &a, const Ordered &b) { return a.key < b.key; });
  for (const Ordered &entry : list) {
    if (incumbents.excludes(entry.bound))
      continue;
    if (patience.isOver()) {
      result.open.push_back(entry.bound);
      continue;
    }
    node.mapping.order[slot] = entry.order;
    if (complete)
      consider(node.mapping, entry.bound);
    else if (slot == 0 && taker)
      taker({node, entry.bound, entry.key});
    else
      dims(slot + 1, 0, roomOf(space, slot + 1), entry.bound);
  }
}

void ChainWalk::split(llvm::function_ref<void(const Task &)> take) {
  node = ChainBounds::rootOf(space);
  taker = take;
  dims(0, 0, roomOf(space, 0), problem.bounds.bound(node, 0));
  taker = nullptr;
}

void ChainWalk::visit(const Task &task) {
  if (incumbents.excludes(task.bound))
    return;
  node = task.node;
  dims(1, 0, roomOf(space, 1), task.bound);
}

ChainWalk::Found ChainWalk::finish() {
  Found found{std::move(result), isPartial};
  found.result.front = incumbents.front();
  result = {};
  isPartial = false;
  return found;
}
