// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a search wants, and the front of energy against latency that it has found so far, which
// excludes everything that cannot improve on it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_INCUMBENTS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_INCUMBENTS_H

#include "backends/loopnest/search/MappingEvaluator.h"
#include <functional>

namespace perfc {
namespace loopnest {

struct Candidate {
  Mapping mapping;
  Score score;
  unsigned space = 0; ///< of several spaces that are searched together: which one it is of
};

/// What a search wants: a number that grows with energy and with latency, or all points that could
/// be best for some weights of the two (the lower convex hull), or all that none beats in both.
struct SearchGoal {
  enum Kind { Scalar, Hull, Front } kind = Scalar;
  std::function<double(const Score &)> value; ///< Scalar only
  bool energyOnly = false;                    ///< Scalar: the latency does not matter
  bool latencyOnly = false;                   ///< Scalar: `value` is the latency
  /// Scalar: what is not below is not looked for, once anything has been found.
  double enough = HUGE_VAL;
};

/// Is told what a mapping costs that improves on all before it; may be empty. Searches side by side
/// tell from their own threads.
using BetterListener = std::function<void(const Score &)>;

/// The front found so far, and what it excludes.
class Incumbents {
public:
  /// `goal` must outlive it.
  explicit Incumbents(const SearchGoal &goal) : goal(&goal) {}
  /// True when nothing below a node with that bound can improve the front.
  bool excludes(const Score &bound) const;
  /// Adds what improves the front.
  bool add(const Candidate &candidate);
  /// Tells `listener` when it does.
  bool add(const Candidate &candidate, const BetterListener &listener) {
    bool isBetter = add(candidate);
    if (isBetter && listener)
      listener(candidate.score);
    return isBetter;
  }
  const std::vector<Candidate> &front() const { return list; }
  bool countsEnergyOnly() const { return goal->kind == SearchGoal::Scalar && goal->energyOnly; }

private:
  bool excludedByHull(const Score &bound) const;

  const SearchGoal *goal;
  std::vector<Candidate> list;
  double best = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_INCUMBENTS_H
