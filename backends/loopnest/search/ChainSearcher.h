// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A search over chains of any factors: the local search (ChainClimb.cpp), and the walk over partial
// mappings (ChainWalk.cpp), of which each thread has one. ChainSearch.cpp puts them together.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H

#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/ChainSearch.h"
#include "backends/loopnest/search/FactorWalk.h"
#include "backends/loopnest/search/TreeWalk.h"
#include "backends/loopnest/search/Workers.h"
#include "llvm/ADT/DenseSet.h"
#include <random>

namespace perfc {
namespace loopnest {

/// What all threads of a search know.
struct ChainProblem {
  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  const SearchGoal &goal;
  const SearchOptions &options;
  const ChainOptions &chains;
  const NestWeigher &weigh;
  SlotChoices choices;
  ChainBounds bounds;

  bool isAllowed(const Mapping &mapping) const;
  bool fitsBounds(const Mapping &mapping) const;
  ChainNode nodeOf(const Mapping &mapping) const;
  /// What sorts mappings: rounds go for different weights of energy and latency where more than one
  /// number counts.
  double valueOf(const Score &score, unsigned round) const;
};

/// The search below a partial mapping, on one thread.
class ChainWalk {
public:
  ChainWalk(const ChainProblem &problem, unsigned thread)
      : incumbents(problem.goal), problem(problem), space(problem.space), thread(thread),
        factors(space, problem.rules, problem.chains.imperfect), patience(problem.options) {}

  /// A partial mapping that has decided the first slot.
  struct Task {
    ChainNode node;
    Score bound;
    double key;
  };
  /// Walks over the choices of the first slot, by no order: `take` gets each.
  void split(llvm::function_ref<void(const Task &)> take);
  /// Searches below a task.
  void visit(const Task &task);

  struct Found {
    SearchResult result;
    bool isPartial = false; ///< something was left out without a bound of its own
  };
  /// What it has found since it did so before.
  Found finish();

  Incumbents incumbents; ///< set from outside, too

private:
  struct Choice {
    int64_t factor, inside;
  };
  std::vector<Choice> choicesOf(unsigned slot, unsigned dim, int64_t room);
  void dims(unsigned slot, unsigned dim, int64_t room, const Score &bound);
  void orders(unsigned slot);
  std::vector<std::array<uint8_t, maxDims>> ordersAt(unsigned slot);
  DimMask raggedAt(unsigned slot) const;
  void consider(const Mapping &mapping, const Score &bound);

  const ChainProblem &problem;
  const MapSpace &space;
  unsigned thread;
  FactorChoices factors;
  Patience patience;
  SearchResult result; ///< without its front, which is in `incumbents`
  bool isPartial = false;
  ChainNode node;
  llvm::function_ref<void(const Task &)> taker = nullptr; ///< of the first slot's choices
};

/// Steps to better neighbours; begins anew from the best where many have not helped.
class ChainClimb {
public:
  ChainClimb(const ChainProblem &problem, Workers &workers, Incumbents &incumbents)
      : problem(problem), space(problem.space), workers(workers), incumbents(incumbents),
        patience(problem.options), random(problem.options.seed) {}

  /// Begins with `start`; how many mappings were weighed.
  int64_t run(llvm::ArrayRef<Mapping> start);

private:
  std::vector<llvm::Optional<Score>> weigh(llvm::ArrayRef<Mapping> mappings);
  Mapping inFixedOrders(Mapping mapping) const;
  std::vector<Mapping> begins(llvm::ArrayRef<Mapping> start) const;
  bool isWorthy(const Mapping &mapping, const llvm::Optional<Score> &score);
  Mapping neighbour(const Mapping &mapping);
  Mapping perfectNeighbour(const Mapping &mapping);

  const ChainProblem &problem;
  const MapSpace &space;
  Workers &workers;
  Incumbents &incumbents;
  Patience patience;
  std::mt19937_64 random;
  llvm::DenseSet<uint64_t> known; ///< hashes of mappings that it has met
  int64_t weighed = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H
