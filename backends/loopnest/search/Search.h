// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best mappings of a mapspace by branch and bound, from the outer memory inward. A node is a
// choice of loops for the first slots; its bound is the cost when all that is left is done inside
// every level further in, which no loop moved outward can undercut (docs/mapper.md). What is kept
// is the front of energy against latency, as far as the goal needs it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H

#include "backends/loopnest/search/Incumbents.h"
#include "backends/loopnest/search/SlotRules.h"
#include <atomic>
#include <chrono>
#include <memory>

namespace perfc {
namespace loopnest {

class Floors;

/// How a mapspace is searched: by bounds, every mapping in turn, or mappings that chance draws.
enum class SearchStrategy { Bound, Exhaustive, Random };

struct SearchOptions {
  SearchStrategy strategy = SearchStrategy::Bound;
  int64_t mostEvaluations = INT64_MAX; ///< of a search without bounds
  unsigned threads = 1;
  /// When to stop; nothing for never.
  llvm::Optional<std::chrono::steady_clock::time_point> deadline;
  /// Set from outside to stop (Ctrl-C); may be null.
  const std::atomic<bool> *stop = nullptr;
  BetterListener onBetter;
  /// Mappings of the random descent that comes first; the same seed gives the same ones.
  unsigned descents = 20;
  uint64_t seed = 1;
  /// Bounds with tables where the space has them (see Floors.h).
  bool useFloors = true;
  /// Only the random descent, whose steps do not depend on the time that there is: nothing is
  /// proven.
  bool descentsOnly = false;
  /// What was found before, also in spaces that are searched together with this one. What they
  /// exclude is left out; those that nothing beats come back in the front, as they are.
  std::vector<Candidate> known;
  /// Mappings of this space that are improved first, before the random ones.
  std::vector<Mapping> start;
  /// Tables of an earlier search of the same space with the same rules, for whatever goal, to be
  /// filled again; the first search leaves its own here. May be null.
  std::shared_ptr<Floors> *tables = nullptr;
};

struct SearchResult {
  /// By growing energy. Empty when no mapping fits.
  std::vector<Candidate> front;
  /// Lower bounds of the parts that were not searched; none when the front is proven.
  std::vector<Score> open;
  /// Complete mappings whose energy and latency were computed, each time that they were; what was
  /// only bounded does not count.
  int64_t evaluated = 0;
  double mappings = 0; ///< of the space, by a search without bounds; 0 where they are not counted
  bool isProven() const { return open.empty(); }
};

/// What no mapping of the space is below, in energy and in latency.
Score leastScore(const MapSpace &space, const CostWeights &weights);

SearchResult search(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                    const SearchGoal &goal, const SearchOptions &options);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H
