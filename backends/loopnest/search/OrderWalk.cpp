// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/OrderWalk.h"

using namespace perfc;
using namespace perfc::loopnest;

const std::vector<OrderWalk::Order> &OrderWalk::orders(const Mapping &mapping, unsigned slot) {
  DimMask loops = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    loops |= DimMask(mapping.factor[slot][d] > 1) << d;
  auto [list, isNew] = known[slot].try_emplace(loops);
  if (isNew) {
    const Slot &place = space.slots[slot];
    bool matters = place.isAxis && (!weights || weights->arrays[place.number].hasHops());
    list->second = ordersOf(space, mapping.factor[slot], slot, rules[slot], matters);
  }
  return list->second;
}
