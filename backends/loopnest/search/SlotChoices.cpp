// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/SlotChoices.h"

using namespace perfc;
using namespace perfc::loopnest;

/// A rule that leaves a dimension no loop.
static bool takesNothing(const FactorRule &rule) {
  return !rule.open && (rule.values.empty() || (rule.values.size() == 1 && rule.values[0] == 1));
}

SlotChoices::SlotChoices(const MapSpace &space, const CostWeights &weights, const SlotRules &rules)
    : space(space), weights(weights), rules(rules), closed(space.slots.size() + 1, ~DimMask(0)) {
  for (const Slot &slot : space.slots)
    orderMatters.push_back(slot.isAxis && weights.arrays[slot.number].hasHops());
  for (unsigned s = space.slots.size(); s-- > 0;) {
    closed[s] = closed[s + 1];
    for (unsigned d = 0; d < space.dims(); ++d)
      if (!takesNothing(rules[s].factors[d]))
        closed[s] &= ~(DimMask(1) << d);
  }
}

bool SlotChoices::axisOrderMatters(unsigned slot) const { return orderMatters[slot]; }

std::array<int64_t, maxDims> SlotChoices::left(const Mapping &mapping, unsigned slot) const {
  std::array<int64_t, maxDims> result{};
  for (unsigned d = 0; d < space.dims(); ++d) {
    result[d] = space.nest.dims[d].size;
    for (unsigned s = 0; s < slot; ++s)
      result[d] /= mapping.factor[s][d];
  }
  return result;
}

bool SlotChoices::canTake(unsigned slot, const std::array<int64_t, maxDims> &left) const {
  for (unsigned d = 0; d < space.dims(); ++d)
    if (left[d] > 1 && closed[slot] >> d & 1)
      return false;
  return true;
}

std::vector<std::array<uint8_t, maxDims>> SlotChoices::orders(const Mapping &mapping,
                                                              unsigned slot) const {
  return ordersOf(space, mapping.factor[slot], slot, rules[slot], orderMatters[slot]);
}

namespace {

/// Runs over factor vectors of a slot, dimension by dimension.
class FactorLoop {
public:
  std::array<std::vector<int64_t>, maxDims> choices;
  unsigned dims = 0;
  int64_t limit = INT64_MAX; ///< of the product

  template <typename Visit>
  bool run(std::array<int64_t, maxDims> &factors, unsigned dim, int64_t product, Visit visit) {
    if (dim == dims)
      return visit();
    for (int64_t factor : choices[dim]) {
      if (factor > limit / product)
        break;
      factors[dim] = factor;
      if (!run(factors, dim + 1, product * factor, visit))
        return false;
    }
    factors[dim] = 1;
    return true;
  }
};

} // namespace

bool SlotChoices::forEachFactors(Mapping &mapping, unsigned slot, MappingEvaluator &evaluator,
                                 llvm::function_ref<bool()> visit) const {
  std::array<int64_t, maxDims> rest = left(mapping, slot);
  bool last = slot + 1 == space.slots.size();
  FactorLoop loop;
  loop.dims = space.dims();
  if (space.slots[slot].isAxis)
    loop.limit = space.slots[slot].size;
  for (unsigned d = 0; d < space.dims(); ++d) {
    std::vector<int64_t> all = last ? std::vector<int64_t>{rest[d]} : divisors(rest[d]);
    for (int64_t factor : all)
      if (rules[slot].allows(d, factor) && !(closed[slot + 1] >> d & 1 && rest[d] != factor))
        loop.choices[d].push_back(factor);
  }
  // The tile of the memory that follows is known once this slot is.
  bool check = !last && !space.slots[slot + 1].isAxis;
  unsigned memory = check ? space.slots[slot + 1].number : 0;
  check &= weights.memories[memory].capacityBits.hasValue();
  for (unsigned d = 0; d < maxDims; ++d)
    mapping.factor[slot][d] = 1;
  bool going = loop.run(mapping.factor[slot], 0, 1, [&] {
    if (check && evaluator.leastTileBits(mapping, memory) > *weights.memories[memory].capacityBits)
      return true;
    return visit();
  });
  for (unsigned d = 0; d < maxDims; ++d)
    mapping.factor[slot][d] = 1;
  return going;
}

bool SlotChoices::forEach(Mapping &mapping, unsigned slot, MappingEvaluator &evaluator,
                          llvm::function_ref<bool()> visit) const {
  return forEachFactors(mapping, slot, evaluator, [&] {
    for (const auto &order : orders(mapping, slot)) {
      mapping.order[slot] = order;
      if (!visit())
        return false;
    }
    return true;
  });
}
