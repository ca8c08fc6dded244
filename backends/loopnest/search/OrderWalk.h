// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All orders of a mapping's loops that can differ in cost, innermost slot fastest: neighbours
// differ in the order of one slot, which is what the evaluator is quick at.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERWALK_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERWALK_H

#include "backends/loopnest/search/CostWeights.h"
#include "backends/loopnest/search/SlotRules.h"

namespace perfc {
namespace loopnest {

class OrderWalk {
public:
  using Order = std::array<uint8_t, maxDims>;

  /// Orders of lanes differ on arrays whose links cost something; on all without `weights`.
  OrderWalk(const MapSpace &space, const SlotRules &rules, const CostWeights *weights)
      : space(space), rules(rules), weights(weights), known(space.slots.size() << space.dims()) {}

  /// The orders of a slot, one of each class.
  const std::vector<Order> &orders(const Mapping &mapping, unsigned slot);
  /// How many combinations of orders the factors of `mapping` have.
  double count(const Mapping &mapping) {
    double product = 1;
    for (unsigned s = 0; s < space.slots.size(); ++s)
      product *= static_cast<double>(orders(mapping, s).size());
    return product;
  }
  /// Calls `visit` with `mapping` in each combination of orders, from the number `from` on (modulo
  /// their count), until it returns false.
  template <typename Visit> bool forEach(Mapping &mapping, Visit visit, uint64_t from = 0) {
    unsigned slots = space.slots.size();
    std::array<const std::vector<Order> *, maxSlots> lists;
    std::array<unsigned, maxSlots> at{};
    for (unsigned s = slots; s-- > 0;) {
      lists[s] = &orders(mapping, s);
      at[s] = from % lists[s]->size();
      from /= lists[s]->size();
      mapping.order[s] = (*lists[s])[at[s]];
    }
    while (visit()) {
      unsigned s = slots;
      while (s-- > 0 && ++at[s] == lists[s]->size()) {
        at[s] = 0;
        mapping.order[s] = lists[s]->front();
      }
      if (s >= slots)
        return true;
      mapping.order[s] = (*lists[s])[at[s]];
    }
    return false;
  }

private:
  const MapSpace &space;
  const SlotRules &rules;
  const CostWeights *weights;
  std::vector<std::vector<Order>> known; ///< by slot and dimensions with loops; empty at first
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_ORDERWALK_H
