// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/SlotRules.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

SlotRules loopnest::openRules(const MapSpace &space) {
  SlotRules rules(space.slots.size());
  for (unsigned s = 0; s < rules.size(); ++s) {
    const Place &place = space.nest.places[space.slots[s].place];
    rules[s].name = place.name;
    if (space.slots[s].isAxis)
      rules[s].name += "." + place.axes[space.slots[s].axis].name;
  }
  return rules;
}

SlotRules loopnest::withSharedOutside(const MapSpace &space, const SlotRules &rules) {
  SlotRules result = rules;
  DimMask shared = ~DimMask(0);
  for (const FlatTensor &tensor : space.tensors)
    shared &= tensor.plain & ~tensor.cut;
  for (unsigned d = 0; d < space.dims() && space.isFlat; ++d) {
    bool isOpen = shared >> d & 1;
    for (unsigned s : space.memorySlot)
      isOpen &= rules[s].orderOpen && rules[s].factors[d].open;
    for (unsigned s : space.memorySlot)
      if (isOpen && s > 0)
        result[s].factors[d] = {false, {1}};
  }
  return result;
}

std::vector<int64_t> loopnest::divisors(int64_t number) {
  std::vector<int64_t> low, high;
  for (int64_t d = 1; d <= number / d; ++d)
    if (number % d == 0) {
      low.push_back(d);
      if (d != number / d)
        high.push_back(number / d);
    }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

namespace {

using Order = std::array<uint8_t, maxDims>;

class Orders {
public:
  Orders(const MapSpace &space, DimMask loops, bool all, DimMask ragged = 0)
      : space(space), loops(loops), ragged(ragged), all(all) {}

  void run() { extend(0, 0, ~uint32_t(0)); }
  std::vector<Order> result;
  size_t most = SIZE_MAX; ///< it stops soon after so many
  bool onlyEqual = false; ///< orders that cost more in dense counts are not left out

private:
  /// `chosen` loops stand innermost, in `suffix`; the tensors of `live` may still find there what
  /// they held.
  void extend(DimMask chosen, unsigned length, uint32_t live);
  void emit(DimMask chosen, unsigned length);
  uint32_t stillLive(unsigned dim, uint32_t live) const;
  bool isToldApart(unsigned dim) const;
  bool isRepeated(unsigned dim, DimMask rest, unsigned length, uint32_t live) const;

  const MapSpace &space;
  DimMask loops;
  DimMask ragged; ///< loops after which a tensor may still find what it held
  bool all;
  std::array<uint8_t, maxDims> suffix{}; ///< innermost first
  std::array<uint32_t, maxDims> lives{}; ///< before each of them
};

} // namespace

uint32_t Orders::stillLive(unsigned dim, uint32_t live) const {
  uint32_t next = 0;
  for (unsigned t = 0; t < space.tensors.size(); ++t)
    if (live >> t & 1 && !((space.tensors[t].plain & ~ragged) >> dim & 1))
      next |= uint32_t(1) << t;
  return next;
}

void Orders::emit(DimMask chosen, unsigned length) {
  Order order;
  unsigned at = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (!(chosen >> d & 1))
      order[at++] = static_cast<uint8_t>(d);
  for (unsigned i = length; i-- > 0;)
    order[at++] = suffix[i];
  for (; at < maxDims; ++at)
    order[at] = static_cast<uint8_t>(at);
  result.push_back(order);
}

/// Whether a window or a rest tells the loop from others that keep the same tensors live.
bool Orders::isToldApart(unsigned dim) const {
  return ragged >> dim & 1 || llvm::any_of(space.tensors, [&](const FlatTensor &tensor) {
           return tensor.windowed >> dim & 1;
         });
}

/// Loops that keep the same tensors live and that nothing tells apart stand in one order: where all
/// of the next ones that do so may come first, by their number; else neighbours do.
bool Orders::isRepeated(unsigned dim, DimMask rest, unsigned length, uint32_t live) const {
  if (all || isToldApart(dim))
    return false;
  auto isLike = [&](unsigned other, uint32_t from) {
    return stillLive(other, from) == stillLive(dim, from) && !isToldApart(other);
  };
  if (onlyEqual)
    return length > 0 && suffix[length - 1] > dim && isLike(suffix[length - 1], lives[length - 1]);
  for (unsigned e = 0; e < dim; ++e)
    if (rest >> e & 1 && isLike(e, live))
      return true;
  return false;
}

void Orders::extend(DimMask chosen, unsigned length, uint32_t live) {
  DimMask rest = loops & ~chosen;
  if (!rest || (!live && !all))
    return emit(chosen, length);
  for (unsigned d = 0; d < space.dims(); ++d) {
    if (!(rest >> d & 1) || result.size() > most || isRepeated(d, rest, length, live))
      continue;
    suffix[length] = static_cast<uint8_t>(d);
    lives[length] = live;
    extend(chosen | DimMask(1) << d, length + 1, stillLive(d, live));
  }
}

std::vector<Order> loopnest::raggedOrders(const MapSpace &space,
                                          const std::array<int64_t, maxDims> &factors,
                                          DimMask ragged, size_t most, bool onlyEqual) {
  DimMask loops = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    loops |= DimMask(factors[d] > 1) << d;
  Orders orders(space, loops, false, ragged);
  orders.most = most;
  orders.onlyEqual = onlyEqual;
  orders.run();
  if (orders.result.size() > most)
    orders.result.clear();
  return std::move(orders.result);
}

std::vector<Order> loopnest::ordersOf(const MapSpace &space,
                                      const std::array<int64_t, maxDims> &factors, unsigned slot,
                                      const SlotRule &rule, bool axisOrderMatters) {
  DimMask loops = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    loops |= DimMask(factors[d] > 1) << d;
  bool isAxis = space.slots[slot].isAxis;
  Orders orders(space, loops, isAxis && axisOrderMatters);
  if (!rule.orderOpen) {
    Order fixed;
    for (unsigned i = 0; i < maxDims; ++i)
      fixed[i] = static_cast<uint8_t>(i < rule.order.size() ? rule.order[i] : i);
    return {fixed};
  }
  bool last = !isAxis && slot == space.memorySlot.back();
  if ((isAxis && !axisOrderMatters) || last) {
    Order plain;
    for (unsigned i = 0; i < maxDims; ++i)
      plain[i] = static_cast<uint8_t>(i);
    return {plain};
  }
  orders.run();
  return std::move(orders.result);
}
