// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/OrderWalk.h"

using namespace perfc;
using namespace perfc::loopnest;

const std::vector<OrderWalk::Order> &OrderWalk::orders(const Mapping &mapping, unsigned slot) {
  DimMask loops = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    loops |= DimMask(mapping.factor[slot][d] > 1) << d;
  std::vector<Order> &list = known[size_t(slot) << space.dims() | loops];
  if (list.empty()) {
    const Slot &place = space.slots[slot];
    bool matters = place.isAxis && (!weights || weights->arrays[place.number].hasHops());
    list = ordersOf(space, mapping.factor[slot], slot, rules[slot], matters);
  }
  return list;
}
