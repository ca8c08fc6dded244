// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One search over chains of any factors, on one thread: the walk is in ChainSearch.cpp, the local
// search before it in ChainClimb.cpp.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H

#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/ChainSearch.h"
#include "backends/loopnest/search/TreeWalk.h"
#include "llvm/ADT/DenseSet.h"
#include <random>

namespace perfc {
namespace loopnest {

/// One search, on one thread.
class ChainSearcher {
public:
  ChainSearcher(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
                const SearchGoal &goal, const SearchOptions &options, const ChainOptions &chains,
                const NestWeigher &weigh, std::vector<int64_t> elements)
      : space(space), weights(weights), rules(rules), goal(goal), options(options), chains(chains),
        weigh(weigh), choices(space, weights, rules), bounds(space, weights, std::move(elements)),
        incumbents(goal), patience(options), random(options.seed) {}

  SearchResult run(llvm::ArrayRef<Mapping> start);

private:
  // Mappings
  bool isAllowed(const Mapping &mapping) const;
  bool fitsBounds(const Mapping &mapping) const;
  ChainNode nodeOf(const Mapping &mapping) const;
  llvm::Optional<Score> consider(const Mapping &mapping);

  // Local search
  double valueOf(const Score &score, unsigned round) const;
  Mapping neighbour(const Mapping &mapping);
  Mapping perfectNeighbour(const Mapping &mapping);
  void climb(llvm::ArrayRef<Mapping> start);

  // Branch and bound
  struct Choice {
    int64_t factor, inside;
  };
  std::vector<Choice> choicesOf(unsigned slot, unsigned dim, int64_t room);
  void dims(unsigned slot, unsigned dim, int64_t room, const Score &bound);
  void orders(unsigned slot);
  std::vector<std::array<uint8_t, maxDims>> ordersAt(unsigned slot);
  bool canFinish(unsigned slot) const;

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  const SearchGoal &goal;
  const SearchOptions &options;
  const ChainOptions &chains;
  const NestWeigher &weigh;
  SlotChoices choices;
  ChainBounds bounds;
  Incumbents incumbents;
  Patience patience;
  std::mt19937_64 random;
  SearchResult result;
  ChainNode node;                 ///< of the walk
  bool isPartial = false;         ///< the walk left something out without a bound of its own
  llvm::DenseSet<uint64_t> known; ///< hashes of mappings that the local search has met
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINSEARCHER_H
