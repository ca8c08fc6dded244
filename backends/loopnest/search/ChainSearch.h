// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best mappings where the closed form of perfect factors does not serve: factors that leave a
// rest, chips with widths, latencies, buffering or systolic arrays, subscripts that share indices.
// Complete mappings are weighed by the full model (TrueCost), partial ones bounded by ChainBounds.
// A local search comes first: it changes factors and orders of the best mapping as long as that
// helps, and begins anew where it does not. It counts its steps, so that its result does not depend
// on the machine unless the time is over. Threads weigh neighbours and search below nodes in waves
// of a fixed size, whose results are merged in order: how many there are makes no difference.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCH_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCH_H

#include "backends/loopnest/search/Search.h"

namespace perfc {
namespace loopnest {

/// The cost of a nest with its loops by the full model; nothing when it does not fit, or cannot be
/// counted, which sets `isUnknown`. Threads call it side by side, each with a number of its own
/// below that of the threads.
using NestWeigher =
    std::function<llvm::Optional<Score>(const Nest &, unsigned thread, bool &isUnknown)>;

struct ChainOptions {
  bool imperfect = false; ///< factors may leave a rest
  /// Orders that no flow tells apart may cost differently: tiles with one buffer, folds.
  bool allOrders = false;
  /// An order in which each tensor finds at least as much as in another one may cost more than
  /// that: zeros.
  bool equalOrders = false;
  unsigned probes = 4000;      ///< mappings that the local search weighs, about
  unsigned floorBoxes = 20000; ///< what bounds may cost at the begin (see TileFloors)
};

/// The factors of each chain that `rules` and axes admit; those of `mapping` are made valid from
/// the inside outward: what covers an index ends its chain, what is missing goes to the outermost
/// loop. False when that does not divide (`imperfect` not set).
bool completeChains(const MapSpace &space, bool imperfect, Mapping &mapping);

/// Good chains of any factors to begin with: perfect factors of sizes somewhat larger than those of
/// the indices, which have more divisors. `space` is flat.
std::vector<Mapping> paddedMappings(const MapSpace &space, const CostWeights &weights,
                                    const SlotRules &rules, const SearchGoal &goal,
                                    const SearchOptions &options);

/// The search over `space`. It begins with those mappings of `start` whose factors `rules` admit,
/// in the orders that `rules` fix.
SearchResult chainSearch(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                         const SearchGoal &goal, const SearchOptions &options,
                         const ChainOptions &chains, const NestWeigher &weigh,
                         llvm::ArrayRef<Mapping> start);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCH_H
