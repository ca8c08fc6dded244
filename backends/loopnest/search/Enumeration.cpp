// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All mappings in turn: factors are chosen slot by slot, and the orders follow.
#include "backends/loopnest/search/Search.h"

#include "backends/loopnest/search/OrderWalk.h"
#include "backends/loopnest/search/TileSizes.h"
#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class Enumerator {
public:
  Enumerator(const MapSpace &space, const SlotRules &rules, const EnumerationOptions &options,
             llvm::function_ref<bool(const Mapping &)> visit)
      : space(space), rules(rules), options(options), tiles(space), visitor(visit),
        mapping(space.emptyMapping()), walk(space, rules, options.weights) {
    mapping.factor[0].fill(1);
    for (unsigned d = 0; d < space.dims(); ++d) {
      rest[d] = space.nest.dims[d].size;
      for (int64_t number : divisors(rest[d]))
        divisorsOf[d].insert({number, divisors(number)});
    }
  }

  bool run() { return factors(0, 0, 1); }

private:
  bool factors(unsigned slot, unsigned dim, int64_t product);
  bool endOfSlot(unsigned slot);
  bool permutations(unsigned slot);

  const MapSpace &space;
  const SlotRules &rules;
  const EnumerationOptions &options;
  TileSizes tiles;
  llvm::function_ref<bool(const Mapping &)> visitor;
  Mapping mapping;
  std::array<int64_t, maxDims> rest{}; ///< of each dimension, for the slots further in
  std::array<std::map<int64_t, std::vector<int64_t>>, maxDims> divisorsOf;
  OrderWalk walk;
};

} // namespace

bool Enumerator::factors(unsigned slot, unsigned dim, int64_t product) {
  if (dim == space.dims())
    return endOfSlot(slot);
  int64_t whole = rest[dim];
  bool last = slot + 1 == space.slots.size(), going = true;
  int64_t limit = space.slots[slot].isAxis ? space.slots[slot].size / product : whole;
  const std::vector<int64_t> &choices = divisorsOf[dim].find(whole)->second;
  for (size_t i = last ? choices.size() - 1 : 0; going && i < choices.size(); ++i) {
    int64_t factor = choices[i];
    if (factor > limit)
      break;
    if (!rules[slot].allows(dim, factor))
      continue;
    mapping.factor[slot][dim] = factor;
    rest[dim] = whole / factor;
    going = factors(slot, dim + 1, product * factor);
  }
  mapping.factor[slot][dim] = 1;
  rest[dim] = whole;
  return going;
}

/// The tile of the memory that follows is known now.
bool Enumerator::endOfSlot(unsigned slot) {
  if (slot + 1 == space.slots.size())
    return options.allOrders ? permutations(0)
                             : walk.forEach(mapping, [&] { return visitor(mapping); });
  const Slot &next = space.slots[slot + 1];
  if (options.weights && !next.isAxis) {
    auto capacity = options.weights->memories[next.number].capacityBits;
    if (capacity && tiles.leastBits(mapping, next.number) > *capacity)
      return true;
  }
  return factors(slot + 1, 0, 1);
}

/// All orders of the loops that slots have, where the rules leave them open.
bool Enumerator::permutations(unsigned slot) {
  if (slot == space.slots.size())
    return visitor(mapping);
  if (!rules[slot].orderOpen) {
    mapping.order[slot] = walk.orders(mapping, slot).front();
    return permutations(slot + 1);
  }
  llvm::SmallVector<uint8_t, maxDims> loops, others;
  for (uint8_t d = 0; d < space.dims(); ++d)
    (mapping.factor[slot][d] > 1 ? loops : others).push_back(d);
  do {
    std::copy(others.begin(), others.end(), mapping.order[slot].begin());
    std::copy(loops.begin(), loops.end(), mapping.order[slot].begin() + others.size());
    if (!permutations(slot + 1))
      return false;
  } while (std::next_permutation(loops.begin(), loops.end()));
  return true;
}

void loopnest::forEachMapping(const MapSpace &space, const SlotRules &rules,
                              const EnumerationOptions &options,
                              llvm::function_ref<bool(const Mapping &)> visit) {
  Enumerator(space, rules, options, visit).run();
}
