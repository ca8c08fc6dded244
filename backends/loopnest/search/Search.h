// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best mappings of a mapspace by branch and bound, from the outer memory inward. A node is a
// choice of loops for the first slots; its bound is the cost when all that is left is done inside
// every level further in, which no loop moved outward can undercut (docs/mapper.md). What is kept
// is the front of energy against latency, as far as the goal needs it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include "backends/loopnest/search/SlotRules.h"
#include <atomic>
#include <chrono>
#include <functional>

namespace perfc {
namespace loopnest {

struct Candidate {
  Mapping mapping;
  Score score;
};

/// What a search wants: a number that grows with energy and with latency, or all points that could
/// be best for some weights of the two (the lower convex hull), or all that none beats in both.
struct SearchGoal {
  enum Kind { Scalar, Hull, Front } kind = Scalar;
  std::function<double(const Score &)> value; ///< Scalar only
};

struct SearchOptions {
  unsigned threads = 1;
  /// When to stop; nothing for never.
  llvm::Optional<std::chrono::steady_clock::time_point> deadline;
  /// Set from outside to stop (Ctrl-C); may be null.
  const std::atomic<bool> *stop = nullptr;
  /// Mappings of the random descent that comes first; the same seed gives the same ones.
  unsigned descents = 24;
  uint64_t seed = 1;
};

struct SearchResult {
  /// By growing energy. Empty when no mapping fits.
  std::vector<Candidate> front;
  /// Lower bounds of the parts that were not searched; none when the front is proven.
  std::vector<Score> open;
  int64_t evaluated = 0; ///< distinct mappings and partial mappings
  bool isProven() const { return open.empty(); }
};

/// The front found so far, and what it excludes.
class Incumbents {
public:
  /// `goal` must outlive it.
  explicit Incumbents(const SearchGoal &goal) : goal(&goal) {}
  /// True when nothing below a node with that bound can improve the front.
  bool excludes(const Score &bound) const;
  /// Adds what improves the front.
  bool add(const Candidate &candidate);
  const std::vector<Candidate> &front() const { return list; }

private:
  bool excludedByHull(const Score &bound) const;

  const SearchGoal *goal;
  std::vector<Candidate> list;
  double best = 0;
};

SearchResult search(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                    const SearchGoal &goal, const SearchOptions &options);

/// Every mapping of the space, one order for each class of them; for tests and small spaces.
/// `visit` returns false to stop.
void forEachMapping(const MapSpace &space, const SlotRules &rules, bool allOrders,
                    llvm::function_ref<bool(const Mapping &)> visit);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SEARCH_H
