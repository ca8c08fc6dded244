// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/MappingViews.h"

using namespace perfc;
using namespace perfc::loopnest;

/// No mapping has factors of zero: the first one differs everywhere.
MappingViews::MappingViews(const MapSpace &space)
    : space(space), tensors(space.tensors.size()), loopsOf(space.slots.size()),
      views(space.slots.size() * tensors), boundaries((space.slots.size() + 1) * tensors),
      changedFor(tensors) {
  for (unsigned s = 0; s < maxSlots; ++s) {
    current.factor[s].fill(0);
    current.order[s].fill(0);
  }
}

void MappingViews::listLoops(unsigned slot) {
  Loops &loops = loopsOf[slot];
  loops.count = 0;
  loops.product = 1;
  for (unsigned i = 0; i < space.dims(); ++i) {
    uint8_t d = current.order[slot][i];
    int64_t factor = current.factor[slot][d];
    loops.dims[loops.count] = d;
    loops.count += factor > 1 ? 1 : 0;
    loops.product *= factor;
  }
}

SlotView MappingViews::viewOf(unsigned tensor, unsigned slot,
                              const std::array<uint8_t, maxDims> &order) const {
  const FlatTensor &t = space.tensors[tensor];
  DimMask used = t.plain | t.windowed;
  SlotView view;
  for (unsigned i = 0; i < space.dims(); ++i) {
    uint8_t d = order[i];
    int64_t factor = current.factor[slot][d];
    if (factor == 1)
      continue;
    if (used >> d & 1) {
      view.counted = view.others;
      view.has = true;
    } else {
      view.others *= factor;
    }
    if (t.windowed)
      view.inner = t.plain >> d & 1 ? 0 : view.inner << 4 | (d + 1);
  }
  return view;
}

void MappingViews::moveTo(const Mapping &mapping) {
  changedFactors = changedOrders = 0;
  std::fill(changedFor.begin(), changedFor.end(), Changed());
  unsigned slots = space.slots.size(), first = slots;
  for (unsigned s = slots; s-- > 0;) {
    bool factors = mapping.factor[s] != current.factor[s];
    bool orders = mapping.order[s] != current.order[s];
    if (!factors && !orders)
      continue;
    changedFactors |= uint32_t(factors) << s;
    changedOrders |= uint32_t(orders) << s;
    current.factor[s] = mapping.factor[s];
    current.order[s] = mapping.order[s];
    first = s;
    listLoops(s);
    for (unsigned t = 0; t < tensors; ++t) {
      SlotView next = viewOf(t, s, current.order[s]), &view = views[s * tensors + t];
      bool amounts = next.others != view.others || (factors && space.tensors[t].windowed);
      bool order = !space.slots[s].isAxis && !next.looksLike(view);
      view = next;
      changedFor[t].amounts |= uint32_t(amounts) << s;
      changedFor[t].seen |= uint32_t(amounts || order) << s;
    }
  }
  for (unsigned s = first; s < slots; ++s)
    for (unsigned t = 0; t < tensors; ++t) {
      const SlotView &view = views[s * tensors + t];
      const OutsideView &before = boundaries[s * tensors + t];
      OutsideView &after = boundaries[(s + 1) * tensors + t];
      after = before;
      if (space.slots[s].isAxis) {
        after.lanes *= view.others;
      } else {
        after.counted = view.has ? before.others * view.counted : before.counted;
        after.others *= view.others;
      }
    }
}
