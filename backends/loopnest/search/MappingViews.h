// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapping as each tensor sees it, slot by slot, kept up to date from one mapping to the next:
// only what differs is read again. A tensor sees of the loops in time outside a level
//     others  = product of the loops over dimensions that it lacks,
//     counted = those of them inside of which a loop of the tensor stands,
// and of the lanes outside it the product of those along dimensions that it lacks.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGVIEWS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGVIEWS_H

#include "backends/loopnest/search/MapSpace.h"

namespace perfc {
namespace loopnest {

/// The loops of one slot.
struct SlotView {
  int64_t others = 1;
  int64_t counted = 1;
  /// Dimensions inside of the innermost plain loop, for tensors with windows: their order matters.
  uint64_t inner = 0;
  bool has = false; ///< some loop is one of the tensor's

  /// Whether another order of the same loops is the same to the tensor.
  bool looksLike(const SlotView &other) const {
    return counted == other.counted && has == other.has && inner == other.inner;
  }
};

/// The loops of all slots outside a boundary.
struct OutsideView {
  int64_t others = 1, counted = 1, lanes = 1;
};

class MappingViews {
public:
  explicit MappingViews(const MapSpace &space);

  /// Looks at `mapping`; tells what differs from the one before, which may only be in `slots`.
  void moveTo(const Mapping &mapping, uint32_t slots = ~uint32_t(0));

  /// Slots whose factors differ, and slots whose orders do.
  uint32_t factorsChanged() const { return changedFactors; }
  uint32_t ordersChanged() const { return changedOrders; }
  /// Slots that a tensor sees differently, and those where only the order of what it sees does.
  uint32_t seenChanged(unsigned tensor) const { return changedFor[tensor].seen; }
  uint32_t amountsChanged(unsigned tensor) const { return changedFor[tensor].amounts; }

  const Mapping &mapping() const { return current; }
  const SlotView &view(unsigned tensor, unsigned slot) const {
    return views[slot * tensors + tensor];
  }
  /// What the first `end` slots are together.
  const OutsideView &outside(unsigned tensor, unsigned end) const {
    return boundaries[end * tensors + tensor];
  }
  /// How a tensor would see the slot in another order.
  SlotView viewOf(unsigned tensor, unsigned slot, const std::array<uint8_t, maxDims> &order) const;
  /// Dimensions with loops in the slot, outermost first.
  llvm::ArrayRef<uint8_t> loops(unsigned slot) const {
    return {loopsOf[slot].dims.data(), loopsOf[slot].count};
  }
  /// Product of the factors of a slot.
  int64_t product(unsigned slot) const { return loopsOf[slot].product; }

private:
  struct Loops {
    std::array<uint8_t, maxDims> dims{};
    uint8_t count = 0;
    int64_t product = 1;
  };
  struct Changed {
    uint32_t seen = 0, amounts = 0;
  };
  void listLoops(unsigned slot);
  void look(unsigned slot, bool factors);
  SlotView viewOf(const FlatTensor &tensor, const std::array<int64_t, maxDims> &factors,
                  llvm::ArrayRef<uint8_t> order) const;

  const MapSpace &space;
  unsigned tensors;
  Mapping current;
  std::vector<Loops> loopsOf;
  std::vector<SlotView> views;         ///< by slot and tensor
  std::vector<OutsideView> boundaries; ///< by number of slots and tensor
  std::vector<Changed> changedFor;     ///< by tensor
  uint32_t changedFactors = 0, changedOrders = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_MAPPINGVIEWS_H
