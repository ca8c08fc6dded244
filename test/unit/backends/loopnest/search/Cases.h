// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spaces with what a search of any factors weighs them by, and what one mapping costs.
#ifndef PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H
#define PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H

#include "Spaces.h"

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

} // namespace loopnest
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_LOOPNEST_SEARCH_CASES_H
