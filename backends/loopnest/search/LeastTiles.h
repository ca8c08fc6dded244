// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mappings that need the least room: of each index the chains of factors whose tiles and lanes
// no other chain undercuts everywhere. Where rules, axes and capacities leave any mapping legal,
// one of their combinations is; where none of these has room, nothing has.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_LEASTTILES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_LEASTTILES_H

#include "backends/loopnest/search/ChainTiles.h"
#include "backends/loopnest/search/CostWeights.h"
#include "backends/loopnest/search/SlotRules.h"

namespace perfc {
namespace loopnest {

class LeastTiles {
public:
  /// Chains and combinations that are looked at, and pairs of chains that are compared; several
  /// spaces that are looked at for one answer share them.
  static constexpr int64_t mostSteps = 1000000;

  /// With `imperfect` factors may leave a rest. `steps` are those that it may still take.
  LeastTiles(const MapSpace &space, const CostWeights &weights, const SlotRules &rules,
             bool imperfect, int64_t &steps);

  /// Calls `visit` with the factors of each combination that has room, as far as the least bits of
  /// its tiles tell (`ChainTiles`), until it returns false; orders are some that rules admit.
  /// Whether there are no others: false also where they are too many to look at.
  bool forEach(llvm::function_ref<bool(const Mapping &)> visit);
  /// Exchanges the chain of one index after the other for the one with the least `distance`, as
  /// long as that lessens it and there are steps left.
  void approach(Mapping &mapping, llvm::function_ref<double(const Mapping &)> distance);

private:
  /// The loops of one index.
  struct Chain {
    std::array<int64_t, maxSlots> factor;
    std::array<int64_t, maxSlots + 1> inside; ///< values that the slots from a number on cover
  };
  std::vector<Chain> chainsOf(unsigned dim);
  unsigned firstOpen(unsigned dim) const;
  std::vector<int64_t> productsOutside(unsigned dim, unsigned slot);
  std::vector<int64_t> factorsAt(unsigned dim, unsigned slot, int64_t covered,
                                 llvm::ArrayRef<int64_t> outside);
  bool matters(unsigned dim, unsigned slot) const;
  void addLeast(const Chain &chain, unsigned dim, unsigned slot, std::vector<Chain> &list);
  bool choose(unsigned dim);
  bool hasRoom() const;

  const MapSpace &space;
  const CostWeights &weights;
  const SlotRules &rules;
  bool imperfect;
  ChainTiles tiles;
  int64_t &steps;                         ///< that it may still take
  std::vector<std::vector<Chain>> chains; ///< by index
  std::vector<Chain> chosen;              ///< by index; the least of all chains where none is
  llvm::function_ref<bool(const Mapping &)> visitor = nullptr;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_LEASTTILES_H
