// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Searches that know no bounds: every mapping of a mapspace in turn, or such as chance draws. Each
// has its energy and latency computed, so what they find, and what a complete walk proves, is
// independent of the bounds, floors and dominance of Search.h. A mapping is counted once: factors
// come up once, and so do their orders, of which those that no cost tells apart are one.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_PLAINSEARCH_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_PLAINSEARCH_H

#include "backends/loopnest/search/ChainSearch.h"

namespace perfc {
namespace loopnest {

struct PlainOptions {
  bool isRandom = false;
  bool imperfect = false; ///< factors may leave a rest; needs `weigh`
  /// Every permutation of the loops of all slots. Without it only `weigh` sees such of memories,
  /// and of lanes where links cost something; the closed form sees one order of each class.
  bool allOrders = false;
  /// The model that weighs each mapping; null for the closed form.
  const NestWeigher *weigh = nullptr;
};

/// The best mappings of those that were weighed, which are counted in `evaluated`; of equal ones
/// the first in the order of the walk. Nothing is `open` when that were all mappings of the space,
/// else a bound that says nothing. Of `options`, what was found before is taken over, as are the
/// seed, the most evaluations and when to stop; `start` is weighed where nothing else was found.
/// Unless the time is over before, the result depends on no number of threads.
SearchResult plainSearch(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                         const SearchGoal &goal, const SearchOptions &options,
                         const PlainOptions &plain);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_PLAINSEARCH_H
