// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The factors of all mappings of a mapspace in turn: slot by slot from the outermost, dimension by
// dimension, as far as rules, axes and the room of the next memory admit them; and how many
// mappings that makes, counted without a visit to each: what the slots further in can do depends on
// what is left for them alone.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_FACTORWALK_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_FACTORWALK_H

#include "backends/loopnest/search/ChainTiles.h"
#include "backends/loopnest/search/SlotChoices.h"
#include <functional>
#include <random>
#include <unordered_map>

namespace perfc {
namespace loopnest {

/// The factors that dimensions may have in a slot, with the iterations that they leave to the slots
/// further in. Perfect ones divide what is there. With `imperfect` a chain that has begun divides,
/// and one that has not begins with any product P of the loops further in: ceil(N / P) passes.
class FactorChoices {
public:
  FactorChoices(const MapSpace &space, const SlotRules &rules, bool imperfect)
      : space(space), rules(rules), imperfect(imperfect), known(space.dims()) {}

  /// Calls `visit(factor, inside)` for each factor of at most `room` that dimension `dim` may have
  /// in `slot`, which are `whole` iterations; by growing factors, until it returns false. Of chains
  /// that leave a rest those with a P of at most `longest`.
  template <typename Visit>
  bool forEach(unsigned slot, unsigned dim, int64_t whole, int64_t room, Visit visit,
               int64_t longest = INT64_MAX) {
    const FactorRule &rule = rules[slot].factors[dim];
    int64_t size = space.nest.dims[dim].size;
    if (slot + 1 == space.slots.size())
      return whole > room || !rule.allows(whole) || visit(whole, 1);
    if (imperfect && whole == size && size > 1) {
      if (rule.allows(1) && !visit(1, whole))
        return false;
      // All products that take the same number of passes together.
      for (int64_t most = std::min(size - 1, longest); most > 0;) {
        int64_t factor = 1 + (size - 1) / most, least = 1 + (size - 1) / factor;
        if (factor > room)
          break;
        for (int64_t inside = most; inside >= least && rule.allows(factor); --inside)
          if (!visit(factor, inside))
            return false;
        most = least - 1;
      }
      return true;
    }
    for (int64_t factor : divisorsOf(dim, whole)) {
      if (factor > room)
        break;
      if (rule.allows(factor) && !visit(factor, whole / factor))
        return false;
    }
    return true;
  }

  /// One of them, by chance; the factor is 0 when there is none.
  std::pair<int64_t, int64_t> draw(unsigned slot, unsigned dim, int64_t whole, int64_t room,
                                   int64_t longest, std::mt19937_64 &random);

private:
  const std::vector<int64_t> &divisorsOf(unsigned dim, int64_t number) {
    std::vector<int64_t> &list = known[dim][number];
    if (list.empty())
      list = divisors(number);
    return list;
  }

  const MapSpace &space;
  const SlotRules &rules;
  bool imperfect;
  std::vector<std::unordered_map<int64_t, std::vector<int64_t>>> known; ///< by dimension
};

class FactorWalk {
public:
  /// With `isClosed` tiles are those of the closed form, else lower bounds of them. `mayGoOn` is
  /// asked often; the walk ends when it says no.
  FactorWalk(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
             bool imperfect, bool isClosed, std::function<bool()> mayGoOn);

  /// Calls `visit` with the factors of each mapping (its orders are any) until it returns false.
  /// Whether it got to the end.
  bool forEach(llvm::function_ref<bool(const Mapping &)> visit);
  /// The factors of one mapping, by chance; each has one. Nothing when many tries have led nowhere.
  llvm::Optional<Mapping> draw(std::mt19937_64 &random);
  /// How many mappings there are, exact below 2^53, when a slot with the factors of a mapping has
  /// `orders(mapping, slot)` orders. Nothing when that takes more than `most` steps.
  llvm::Optional<double> count(llvm::function_ref<double(const Mapping &, unsigned)> orders,
                               int64_t most);

private:
  bool begin();
  bool choose(unsigned slot, unsigned dim, int64_t room, llvm::function_ref<bool()> next);
  bool chooseSlot(unsigned slot, llvm::function_ref<bool()> next);
  bool visitFrom(unsigned slot);
  bool hasRoom(unsigned slot) const;
  bool leadsOn(unsigned slot) const;
  bool mayHaveRoom(unsigned slot, const ChainTiles::Tile &left) const;
  int64_t longest(unsigned slot, unsigned dim, ChainTiles::Tile left) const;
  bool drawSlot(unsigned slot, std::mt19937_64 &random);
  double countFrom(unsigned slot);

  const MapSpace &space;
  const CostWeights &weights;
  bool imperfect;
  SlotChoices slots;
  FactorChoices choices;
  llvm::Optional<TileSizes> closed;
  ChainTiles tiles;
  std::function<bool()> mayGoOn;
  Mapping mapping;
  std::array<std::array<int64_t, maxDims>, maxSlots + 1> inside; ///< left for the slots from it on
  llvm::function_ref<bool(const Mapping &)> visitor = nullptr;
  llvm::function_ref<double(const Mapping &, unsigned)> ordersAt = nullptr;
  int64_t steps = 0; ///< that counting may still take
  std::array<std::unordered_map<uint64_t, double>, maxSlots> counted; ///< by slot and what is left
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_FACTORWALK_H
