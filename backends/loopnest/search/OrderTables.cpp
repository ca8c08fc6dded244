// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/OrderTables.h"

using namespace perfc;
using namespace perfc::loopnest;

double OrderTables::count(const Mapping &mapping) {
  double product = 1;
  for (unsigned s = 0; s < space.slots.size(); ++s)
    product *= static_cast<double>(walk.orders(mapping, s).size());
  return product;
}

/// Orders that a tensor sees in the same way lead to the same entries. Where lanes lie is told
/// apart by each order of them.
void OrderTables::addSlot(unsigned slot) {
  unsigned k = open.size();
  const std::vector<OrderWalk::Order> &orders = *lists[k];
  llvm::SmallVector<SlotView, 16> seen;
  for (unsigned t = 0; t < tensors.size(); ++t) {
    TensorTable &table = tensors[t];
    seen.clear();
    table.view[k].clear();
    for (const OrderWalk::Order &order : orders) {
      SlotView view = views->viewOf(t, slot, order);
      auto same = llvm::find_if(seen, [&](const SlotView &other) {
        return !space.slots[slot].isAxis && other.looksLike(view);
      });
      table.view[k].push_back(same - seen.begin());
      if (same == seen.end())
        seen.push_back(view);
    }
    table.views[k] = seen.size();
    table.offset[k].clear();
    for (unsigned view : table.view[k])
      table.offset[k].push_back(view * table.known.size());
    table.known.resize(table.known.size() * seen.size());
  }
  open.push_back(slot);
}

/// The open slots that a crossing sees: those in time from the innermost loop outside the level on
/// that changes the whole tile; of axes those that it passes.
void OrderTables::layOut(unsigned k) {
  const Crossing &crossing = space.crossings[k];
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  DimMask whole = tensor.windowed ? tensor.plain : tensor.plain | tensor.windowed;
  CrossingTable &table = crossings[k];
  unsigned size = 1, slot = crossing.end, j = open.size();
  bool sees = crossing.level < space.lanes();
  table.stride.fill(0);
  while (slot-- > 0) {
    while (j > 0 && open[j - 1] > slot)
      --j;
    bool isOpen = j > 0 && open[j - 1] == slot, isAxis = space.slots[slot].isAxis;
    if (isOpen && (isAxis ? slot >= crossing.parentEnd : sees)) {
      table.stride[j - 1] = size;
      size *= tensors[crossing.tensor].views[j - 1];
    }
    for (uint8_t d : views->loops(slot))
      sees &= isAxis || !(whole >> d & 1);
  }
  table.known.assign(size, 0);
  table.words.resize(size);
}

void OrderTables::prepare(Mapping &mapping) {
  open.clear();
  for (TensorTable &table : tensors)
    table.known.assign(1, 0);
  for (unsigned s = 0; s < space.slots.size(); ++s)
    mapping.order[s] = walk.orders(mapping, s).front();
  views = &evaluator.moveTo(mapping);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    const std::vector<OrderWalk::Order> &orders = walk.orders(mapping, s);
    if (orders.size() == 1)
      continue;
    lists[open.size()] = &orders;
    at[open.size()] = 0;
    addSlot(s);
  }
  for (unsigned k = 0; k < crossings.size(); ++k)
    layOut(k);
  sum.resize(width);
  for (TensorTable &table : tensors) {
    table.energy.resize(table.known.size());
    table.bits.resize(table.known.size() * width);
  }
  partial.assign((open.size() + 1) * tensors.size(), 0); // the first order leads to the first entry
}

/// Goes on to the next combination; false after the last.
bool OrderTables::next(Mapping &mapping) {
  unsigned k = open.size();
  while (k-- > 0 && ++at[k] == lists[k]->size()) {
    at[k] = 0;
    mapping.order[open[k]] = lists[k]->front();
  }
  if (k >= open.size())
    return false;
  mapping.order[open[k]] = (*lists[k])[at[k]];
  unsigned count = tensors.size();
  for (; k < open.size(); ++k)
    for (unsigned t = 0; t < count; ++t)
      partial[(k + 1) * count + t] = partial[k * count + t] + tensors[t].offset[k][at[k]];
  return true;
}

void OrderTables::fill(const Mapping &mapping, unsigned t, unsigned entry) {
  TensorTable &table = tensors[t];
  TensorCost cost = evaluator.noCost();
  int64_t fromZero = space.tensors[space.output].plainSize;
  auto [begin, end] = evaluator.crossingsOf(t);
  for (unsigned k = begin; k < end; ++k) {
    CrossingTable &moved = crossings[k];
    unsigned number = 0;
    for (unsigned j = 0; j < open.size(); ++j)
      number += moved.stride[j] * table.view[j][at[j]];
    if (!moved.known[number]) {
      evaluator.moveTo(mapping);
      moved.words[number] = evaluator.wordsOf(k);
      moved.known[number] = 1;
    }
    evaluator.addCrossing(k, moved.words[number], fromZero, cost);
  }
  table.energy[entry] = cost.energy;
  std::copy(cost.bits.begin(), cost.bits.end(), &table.bits[entry * width]);
  table.known[entry] = 1;
}

Score OrderTables::score(const Mapping &mapping) {
  double energy = 0;
  std::fill(sum.begin(), sum.end(), 0);
  for (unsigned t = 0; t < tensors.size(); ++t) {
    unsigned entry = partial[open.size() * tensors.size() + t];
    TensorTable &table = tensors[t];
    if (!table.known[entry])
      fill(mapping, t, entry);
    energy += table.energy[entry];
    const int64_t *bits = &table.bits[entry * width];
    for (size_t i = 0; i < width; ++i)
      sum[i] += bits[i];
  }
  return evaluator.scoreOf(energy, sum);
}
