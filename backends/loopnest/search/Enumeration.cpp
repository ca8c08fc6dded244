// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Search.h"

#include "backends/loopnest/search/SlotChoices.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class Enumerator {
public:
  Enumerator(const MapSpace &space, const SlotRules &rules, bool allOrders,
             llvm::function_ref<bool(const Mapping &)> visit)
      : space(space), weights(openWeights(space)), evaluator(space, weights),
        choices(space, weights, rules), rules(rules), allOrders(allOrders), visitor(visit),
        mapping(space.emptyMapping()) {
    mapping.factor[0].fill(1);
  }

  bool run(unsigned slot = 0);

private:
  /// Weights that limit nothing and cost nothing.
  static CostWeights openWeights(const MapSpace &space) {
    CostWeights weights;
    llvm::SmallVector<double, 4> ones(space.tensors.size(), 1);
    weights.memories.assign(space.lanes(), {llvm::None, ones, ones, ones});
    for (const Place &place : space.nest.places)
      if (place.kind == PlaceKind::Array)
        weights.arrays.push_back({ones, ones, ones, {}});
    return weights;
  }
  bool permutations(unsigned slot);

  const MapSpace &space;
  CostWeights weights;
  MappingEvaluator evaluator;
  SlotChoices choices;
  const SlotRules &rules;
  bool allOrders;
  llvm::function_ref<bool(const Mapping &)> visitor;
  Mapping mapping;
};

} // namespace

/// All orders of the loops that the slot has.
bool Enumerator::permutations(unsigned slot) {
  std::vector<uint8_t> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  do {
    std::copy(others.begin(), others.end(), mapping.order[slot].begin());
    std::copy(loops.begin(), loops.end(), mapping.order[slot].begin() + others.size());
    if (!run(slot + 1))
      return false;
  } while (std::next_permutation(loops.begin(), loops.end()));
  return true;
}

bool Enumerator::run(unsigned slot) {
  if (slot == space.slots.size())
    return visitor(mapping);
  if (!allOrders || !rules[slot].orderOpen)
    return choices.forEach(mapping, slot, evaluator, [&] { return run(slot + 1); });
  return choices.forEachFactors(mapping, slot, evaluator, [&] { return permutations(slot); });
}

void loopnest::forEachMapping(const MapSpace &space, const SlotRules &rules, bool allOrders,
                              llvm::function_ref<bool(const Mapping &)> visit) {
  Enumerator(space, rules, allOrders, visit).run();
}
