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

SlotView MappingViews::viewOf(const FlatTensor &tensor, const std::array<int64_t, maxDims> &factors,
                              llvm::ArrayRef<uint8_t> order) const {
  DimMask used = tensor.plain | tensor.windowed;
  SlotView view;
  for (uint8_t d : order) {
    int64_t factor = factors[d];
    if (factor == 1)
      continue;
    if (used >> d & 1) {
      view.counted = view.others;
      view.has = true;
    } else {
      view.others *= factor;
    }
    if (tensor.windowed)
      view.inner = tensor.plain >> d & 1 ? 0 : view.inner << 4 | (d + 1);
  }
  return view;
}

SlotView MappingViews::viewOf(unsigned tensor, unsigned slot,
                              const std::array<uint8_t, maxDims> &order) const {
  return viewOf(space.tensors[tensor], current.factor[slot], {order.data(), space.dims()});
}

/// Takes note of a slot that differs.
void MappingViews::look(unsigned slot, bool factors) {
  listLoops(slot);
  for (unsigned t = 0; t < tensors; ++t) {
    const FlatTensor &tensor = space.tensors[t];
    SlotView next = viewOf(tensor, current.factor[slot], loops(slot));
    SlotView &view = views[slot * tensors + t];
    bool amounts = next.others != view.others || (factors && tensor.windowed);
    bool order = !space.slots[slot].isAxis && !next.looksLike(view);
    view = next;
    changedFor[t].amounts |= uint32_t(amounts) << slot;
    changedFor[t].seen |= uint32_t(amounts || order) << slot;
  }
}

/// Inline, other than the comparison of arrays, which calls memcmp.
template <typename Array> static bool differs(const Array &a, const Array &b) {
  typename Array::value_type bits = 0;
  for (unsigned i = 0; i < maxDims; ++i)
    bits |= a[i] ^ b[i];
  return bits != 0;
}

void MappingViews::moveTo(const Mapping &mapping, uint32_t among) {
  changedFactors = changedOrders = 0;
  std::fill(changedFor.begin(), changedFor.end(), Changed());
  unsigned slots = space.slots.size(), first = slots;
  for (unsigned s = slots; s-- > 0;) {
    if (!(among >> s & 1))
      continue;
    bool factors = differs(mapping.factor[s], current.factor[s]);
    bool orders = differs(mapping.order[s], current.order[s]);
    if (!factors && !orders)
      continue;
    changedFactors |= uint32_t(factors) << s;
    changedOrders |= uint32_t(orders) << s;
    current.factor[s] = mapping.factor[s];
    current.order[s] = mapping.order[s];
    first = s;
    look(s, factors);
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
