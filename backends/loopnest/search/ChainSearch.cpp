// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainSearcher.h"

#include "backends/loopnest/analysis/Analyse.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

/// Most loops of a place whose permutations are all tried.
static constexpr unsigned mostPermuted = 6;
/// Most factors that a loop may have in the walk: more are left open.
static constexpr int64_t mostChoices = 4096;

static int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

bool loopnest::completeChains(const MapSpace &space, bool imperfect, Mapping &mapping) {
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t size = space.nest.dims[d].size, cover = 1;
    for (unsigned s = space.slots.size(); s-- > 0;) {
      int64_t &factor = mapping.factor[s][d];
      int64_t needed = ceilDivide(size, cover);
      factor = std::min(factor, needed);
      cover *= factor;
    }
    if (cover < size) { // the outermost memory steps over the rest
      cover /= mapping.factor[0][d];
      mapping.factor[0][d] = ceilDivide(size, cover);
      cover *= mapping.factor[0][d];
    }
    if (!imperfect && cover != size)
      return false;
  }
  return true;
}

/// How many elements of each tensor the op touches: what the outermost memory holds.
static std::vector<int64_t> elementsOf(const MapSpace &space) {
  std::vector<int64_t> elements(space.tensors.size(), 0);
  Mapping mapping = space.emptyMapping();
  AnalysisOptions options;
  options.hops = false;
  AnalysisResult result = analyse(space.withLoops(mapping), options);
  if (result.counts)
    for (unsigned t = 0; t < elements.size(); ++t)
      if (const auto &counts = result.counts->memories[0].tensors[t])
        elements[t] = counts->maxResident;
  return elements;
}

//===-- Branch and bound
//-----------------------------------------------------------------------===//

/// The factors that dimension `dim` may have in `slot`, with what they leave inside. A chain that
/// has begun divides; one that has not begins with any product P of the loops further in.
std::vector<ChainSearcher::Choice> ChainSearcher::choicesOf(unsigned slot, unsigned dim,
                                                            int64_t room) {
  int64_t size = space.nest.dims[dim].size, whole = node.inside[slot][dim];
  bool last = slot + 1 == space.slots.size();
  std::vector<Choice> list;
  auto add = [&](int64_t factor, int64_t inside) {
    if (factor <= room && rules[slot].allows(dim, factor))
      list.push_back({factor, inside});
  };
  if (last) {
    add(whole, 1);
    return list;
  }
  bool begins = chains.imperfect && whole == size;
  if (!begins) {
    for (int64_t factor : divisors(whole))
      add(factor, whole / factor);
    return list;
  }
  add(1, whole);
  int64_t most = std::min(size - 1, mostChoices);
  isPartial |= most < size - 1;
  for (int64_t inside = most; inside >= 1; --inside)
    add(ceilDivide(size, inside), inside);
  return list;
}

/// Whether the slots from `slot` on may take what is left.
bool ChainSearcher::canFinish(unsigned slot) const {
  return choices.canTake(slot, node.inside[slot]);
}

void ChainSearcher::dims(unsigned slot, unsigned dim, int64_t room, const Score &bound) {
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

/// Orders of a slot that may cost differently; all of them where lanes can idle.
std::vector<std::array<uint8_t, maxDims>> ChainSearcher::ordersAt(unsigned slot) {
  bool classes = !chains.imperfect && !chains.allOrders && space.isFlat;
  bool last = slot == space.memorySlot.back() && !chains.allOrders;
  bool axis = space.slots[slot].isAxis;
  if (classes || !rules[slot].orderOpen || (axis && !choices.axisOrderMatters(slot)) || last)
    return choices.orders(node.mapping, slot);
  llvm::SmallVector<uint8_t, maxDims> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (node.mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  if (loops.size() > mostPermuted) {
    isPartial = true;
    return choices.orders(node.mapping, slot);
  }
  std::vector<std::array<uint8_t, maxDims>> all;
  std::array<uint8_t, maxDims> order;
  std::iota(order.begin(), order.end(), uint8_t(0));
  do {
    std::copy(others.begin(), others.end(), order.begin());
    std::copy(loops.begin(), loops.end(), order.begin() + others.size());
    all.push_back(order);
  } while (std::next_permutation(loops.begin(), loops.end()));
  return all;
}

/// The factors of `slot` are chosen: its orders by growing bound.
void ChainSearcher::orders(unsigned slot) {
  bool complete = slot + 1 == space.slots.size();
  if (!complete) {
    if (!canFinish(slot + 1))
      return;
    const Slot &next = space.slots[slot + 1];
    const auto &capacity = weights.memories[next.isAxis ? 0 : next.number].capacityBits;
    if (!next.isAxis && capacity && bounds.leastBits(node, next.number) > double(*capacity))
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
    Score bound = bounds.bound(node, slot + 1);
    if (!incumbents.excludes(bound))
      list.push_back({order, bound, valueOf(bound, 0)});
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
      consider(node.mapping);
    else
      dims(slot + 1, 0, space.slots[slot + 1].isAxis ? space.slots[slot + 1].size : INT64_MAX,
           entry.bound);
  }
}

SearchResult ChainSearcher::run(llvm::ArrayRef<Mapping> start) {
  for (const Candidate &candidate : options.known)
    incumbents.add(candidate);
  node.mapping = space.emptyMapping();
  node.mapping.factor[0].fill(1);
  for (unsigned s = 0; s <= space.slots.size(); ++s)
    for (unsigned d = 0; d < space.dims(); ++d)
      node.inside[s][d] = space.nest.dims[d].size;
  Score root = bounds.bound(node, 0);
  if (!incumbents.excludes(root)) {
    climb(start);
    dims(0, 0, space.slots[0].isAxis ? space.slots[0].size : INT64_MAX, root);
  }
  if (isPartial)
    result.open.push_back(root);
  llvm::erase_if(result.open, [&](const Score &bound) { return incumbents.excludes(bound); });
  result.front = incumbents.front();
  return std::move(result);
}

SearchResult loopnest::chainSearch(const MapSpace &space, const CostWeights &weights,
                                   const SlotRules &rules, const SearchGoal &goal,
                                   const SearchOptions &options, const ChainOptions &chains,
                                   const NestWeigher &weigh, llvm::ArrayRef<Mapping> start) {
  return ChainSearcher(space, weights, rules, goal, options, chains, weigh, elementsOf(space))
      .run(start);
}
