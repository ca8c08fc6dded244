// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/OrderTables.h"

using namespace perfc;
using namespace perfc::loopnest;

/// What a tensor sees of an order, for any factors: which of the loops over dimensions that it
/// lacks count, and those of windows inside of the innermost plain one.
static std::pair<uint64_t, uint64_t> signature(const FlatTensor &tensor, DimMask loops,
                                               unsigned dims, const OrderWalk::Order &order) {
  DimMask used = tensor.plain | tensor.windowed, others = 0, counted = 0;
  uint64_t inner = 0;
  for (unsigned i = 0; i < dims; ++i) {
    uint8_t d = order[i];
    if (!(loops >> d & 1))
      continue;
    if (used >> d & 1)
      counted = others;
    else
      others |= DimMask(1) << d;
    if (tensor.windowed)
      inner = tensor.plain >> d & 1 ? 0 : inner << 4 | (d + 1);
  }
  return {counted, inner};
}

const std::vector<OrderTables::Classes> &
OrderTables::classesOf(unsigned slot, const std::vector<OrderWalk::Order> &orders) {
  std::vector<Classes> &list = classes[slot][&orders];
  if (!list.empty())
    return list;
  DimMask loops = 0;
  for (uint8_t d : views->loops(slot))
    loops |= DimMask(1) << d;
  for (const FlatTensor &tensor : space.tensors) {
    Classes &own = list.emplace_back();
    std::vector<std::pair<uint64_t, uint64_t>> seen;
    for (unsigned number = 0; number < orders.size(); ++number) {
      auto signs = signature(tensor, loops, space.dims(), orders[number]);
      // Where lanes lie is told apart by each order of them.
      auto same = space.slots[slot].isAxis ? seen.end() : llvm::find(seen, signs);
      own.of.push_back(same - seen.begin());
      if (same == seen.end()) {
        seen.push_back(signs);
        own.first.push_back(number);
      }
    }
  }
  return list;
}

/// Orders that a tensor sees in the same way lead to the same entries.
void OrderTables::addSlot(unsigned slot) {
  unsigned k = open.size();
  const std::vector<OrderWalk::Order> &orders = *lists[k];
  const std::vector<Classes> &alike = classesOf(slot, orders);
  llvm::SmallVector<SlotView, 32> seen;
  llvm::SmallVector<unsigned, 32> viewOfClass;
  for (unsigned t = 0; t < tensors.size(); ++t) {
    TensorTable &table = tensors[t];
    seen.clear();
    viewOfClass.clear();
    for (unsigned first : alike[t].first) {
      SlotView view = views->viewOf(t, slot, orders[first]);
      auto same = llvm::find_if(seen, [&](const SlotView &other) {
        return !space.slots[slot].isAxis && other.looksLike(view);
      });
      viewOfClass.push_back(same - seen.begin());
      if (same == seen.end())
        seen.push_back(view);
    }
    table.view[k].resize(orders.size());
    table.offset[k].resize(orders.size());
    for (unsigned number = 0; number < orders.size(); ++number) {
      unsigned view = viewOfClass[alike[t].of[number]];
      table.view[k][number] = view;
      table.offset[k][number] = view * table.size;
    }
    table.views[k] = seen.size();
    table.size *= seen.size();
  }
  open.push_back(slot);
  openSlots |= uint32_t(1) << slot;
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
  openSlots = 0;
  for (TensorTable &table : tensors)
    table.size = 1;
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
  for (TensorTable &table : tensors) {
    table.known.assign(table.size, 0);
    if (table.energy.size() < table.size) {
      table.energy.resize(table.size);
      table.bits.resize(table.size * width);
    }
  }
  partial.assign((open.size() + 1) * tensors.size(), 0); // the first order leads to the first entry
}

/// The combination with that number, modulo their count.
void OrderTables::goTo(Mapping &mapping, uint64_t number) {
  for (unsigned k = open.size(); k-- > 0 && number > 0;) {
    at[k] = number % lists[k]->size();
    number /= lists[k]->size();
    mapping.order[open[k]] = (*lists[k])[at[k]];
  }
  follow(0);
}

/// The entries where the orders of the open slots from `k` on lead to.
void OrderTables::follow(unsigned k) {
  unsigned count = tensors.size();
  for (; k < open.size(); ++k)
    for (unsigned t = 0; t < count; ++t)
      partial[(k + 1) * count + t] = partial[k * count + t] + tensors[t].offset[k][at[k]];
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
  follow(k);
  return true;
}

void OrderTables::fill(const Mapping &mapping, unsigned t, unsigned entry) {
  TensorTable &table = tensors[t];
  double energy = 0;
  int64_t *bits = &table.bits[entry * width];
  std::fill(bits, bits + width, 0);
  int64_t fromZero = space.tensors[space.output].plainSize;
  auto [begin, end] = evaluator.crossingsOf(t);
  for (unsigned k = begin; k < end; ++k) {
    CrossingTable &moved = crossings[k];
    unsigned number = 0;
    for (unsigned j = 0; j < open.size(); ++j)
      number += moved.stride[j] * table.view[j][at[j]];
    if (!moved.known[number]) {
      evaluator.moveTo(mapping, openSlots);
      moved.words[number] = evaluator.wordsOf(k);
      moved.known[number] = 1;
    }
    evaluator.addCrossing(k, moved.words[number], fromZero, energy, bits);
  }
  table.energy[entry] = energy;
  table.known[entry] = 1;
}

Score OrderTables::score(const Mapping &mapping) {
  double energy = 0;
  const unsigned *entries = &partial[open.size() * tensors.size()];
  for (unsigned t = 0; t < tensors.size(); ++t) {
    unsigned entry = entries[t];
    TensorTable &table = tensors[t];
    if (!table.known[entry])
      fill(mapping, t, entry);
    energy += table.energy[entry];
    const int64_t *bits = &table.bits[entry * width];
    for (size_t i = 0; i < width; ++i)
      sum[i] = t == 0 ? bits[i] : sum[i] + bits[i];
  }
  return evaluator.scoreOf(energy, sum.data());
}
