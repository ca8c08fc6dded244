// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Good mappings quickly: random legal ones, improved by moving prime factors between slots and by
// trying orders (all of them together where they are not too many), as long as that helps. Gives
// branch and bound something to exclude with.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_DESCENT_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_DESCENT_H

#include "backends/loopnest/search/OrderTables.h"
#include "backends/loopnest/search/SlotChoices.h"
#include <functional>
#include <random>

namespace perfc {
namespace loopnest {

class Descent {
public:
  Descent(const MapSpace &space, const SlotRules &rules, const SlotChoices &choices,
          MappingEvaluator &evaluator);

  /// One random mapping that the rules and capacities admit, if one is found in a few tries.
  llvm::Optional<Mapping> start(std::mt19937_64 &random);
  /// `from` after so many random moves of prime factors, if that is legal in one of a few tries.
  llvm::Optional<Mapping> moved(const Mapping &from, unsigned moves, std::mt19937_64 &random);
  /// Improves `mapping` by `value` until no single move helps or `mayGoOn` says no.
  Score improve(Mapping &mapping, const std::function<double(const Score &)> &value,
                llvm::function_ref<bool()> mayGoOn);

private:
  bool isLegal(const Mapping &mapping) const;
  bool fits(const Mapping &mapping, unsigned low, unsigned high) const {
    return evaluator.tellsPartial() ? evaluator.fits(mapping) : evaluator.fits(mapping, low, high);
  }
  /// Whether another order of the loops may not fit.
  bool fitsInOrder(const Mapping &mapping) const {
    return !evaluator.tellsPartial() || evaluator.fits(mapping);
  }
  bool isLegalAt(const Mapping &mapping, unsigned slot) const;
  bool tryMoves(Mapping &best, Score &score, double &value,
                const std::function<double(const Score &)> &valueOf,
                llvm::function_ref<bool()> mayGoOn);
  bool tryAllOrders(Mapping &best, Score &score, double &value,
                    const std::function<double(const Score &)> &valueOf);
  bool tryOrders(Mapping &best, Score &score, double &value,
                 const std::function<double(const Score &)> &valueOf);

  const MapSpace &space;
  const SlotRules &rules;
  const SlotChoices &choices;
  MappingEvaluator &evaluator;
  OrderTables tables;
  std::vector<std::vector<int64_t>> primes; ///< by dimension: those of its size, once each
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_DESCENT_H
