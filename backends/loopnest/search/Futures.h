// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which partial mappings have the same future: those that leave the same, and whose innermost loops
// in time are the same as far as any tensor that crosses further in can find there what it had.
// One that costs no less in anything than another with its future is left out. With lanes further
// out that holds for energy alone, and where nothing with windows goes through them.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_FUTURES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_FUTURES_H

#include "backends/loopnest/search/Floors.h"
#include "llvm/ADT/StringMap.h"

namespace perfc {
namespace loopnest {

class Futures {
public:
  Futures(const MapSpace &space, const CostWeights &weights, MappingEvaluator &evaluator)
      : space(space), weights(weights), evaluator(evaluator) {}

  /// Whether one that was asked about before costs no more: the first `slots` of `mapping`, with
  /// loops outside at `outside` and so many J `decided`. Of time `energyOnly` takes no note.
  bool isCovered(const Floors &floors, const Mapping &mapping, unsigned slots,
                 const TileGrid::Point &outside, double decided, bool energyOnly);
  void forget() { seen.clear(); }

private:
  /// What the future of the first slots depends on besides what they leave.
  struct Needs {
    uint32_t live = 0;  ///< tensors that cross to memories further in
    bool axes = false;  ///< there are lanes outside
    bool lanes = false; ///< and they have a part in what crosses
    bool windows = false;
  };
  Needs needsAt(unsigned slots) const;
  void appendTrail(const TileGrid &grid, const Mapping &mapping, unsigned slots, uint32_t live,
                   std::string &key) const;
  bool fitsWithSums(const Mapping &mapping, unsigned slots) const;

  using Costs = llvm::SmallVector<double, 6>; ///< energy so far, and bits moved where time counts
  const MapSpace &space;
  const CostWeights &weights;
  MappingEvaluator &evaluator;
  llvm::StringMap<std::vector<Costs>> seen;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_FUTURES_H
