// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choices of one slot, given what the slots outside it leave: every vector of factors that its
// rules, its size and the capacity of the next memory admit, with the orders that can differ.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTCHOICES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTCHOICES_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include "backends/loopnest/search/SlotRules.h"

namespace perfc {
namespace loopnest {

class SlotChoices {
public:
  SlotChoices(const MapSpace &space, const CostWeights &weights, const SlotRules &rules);

  /// Calls `visit` with `mapping` set in `slot` to each choice in turn, until it returns false;
  /// the slots further in are empty. The last slot takes all that is left.
  bool forEach(Mapping &mapping, unsigned slot, MappingEvaluator &evaluator,
               llvm::function_ref<bool()> visit) const;
  /// The same for the factors alone; their order is that of the dimensions.
  bool forEachFactors(Mapping &mapping, unsigned slot, MappingEvaluator &evaluator,
                      llvm::function_ref<bool()> visit) const;
  std::vector<std::array<uint8_t, maxDims>> orders(const Mapping &mapping, unsigned slot) const;
  /// Iterations of each dimension that the slots before `slot` leave.
  std::array<int64_t, maxDims> left(const Mapping &mapping, unsigned slot) const;
  /// Whether the slots from `slot` on can take exactly `left` of each dimension, by their rules.
  bool canTake(unsigned slot, const std::array<int64_t, maxDims> &left) const;
  bool axisOrderMatters(unsigned slot) const;

private:
  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  llvm::SmallVector<bool, maxSlots> orderMatters; ///< by slot, of axes
  llvm::SmallVector<DimMask, maxSlots>
      closed; ///< by slot: dimensions that no slot from it on may take
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SLOTCHOICES_H
