// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spaces with what a search of any factors weighs them by, and what one mapping costs.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H

#include "Spaces.h"
#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/ChainSearch.h"

namespace perfc {
namespace loopnest {

/// A space with the rates of its weights per second, too.
struct Case {
  MapSpace space;
  CostWeights weights;
  std::vector<int64_t> elements;
};

/// With `isCoupled` an index stands in several ranks of an input.
llvm::Optional<Case> randomCase(std::mt19937 &random, bool isCoupled = false);
/// Energy and latency by the analysis; nothing where a memory has no room.
llvm::Optional<Score> weighed(const Case &c, const Nest &nest);

/// Any factors and orders that make a valid chain of each dimension, as a node; nothing where that
/// takes more lanes than there are.
llvm::Optional<ChainNode> randomChains(const MapSpace &space, std::mt19937 &random);
/// The best of all chains of factors in all orders that rules admit; HUGE_VAL where none fits,
/// nothing when they are too many.
llvm::Optional<double> exhaustive(const Case &c, const SlotRules &rules, const SearchGoal &goal,
                                  int64_t limit, bool imperfect, const NestWeigher &weigh);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H
