// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Energy and latency of one mapping by the full model: the exact reuse analysis, whole accesses of
// memories with a width, stalls, filling and draining, latencies of paths, folds of systolic
// arrays, zeros (NestCost, NestLatency, SystolicNest, NestSparsity). Any mapping that the analysis
// can count has a cost, whether its factors divide or not. The closed form of MappingEvaluator
// gives the same numbers where it serves, and a lower bound elsewhere: width, latency and folds
// only add to it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TRUECOST_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TRUECOST_H

#include "backends/loopnest/NestCost.h"
#include "backends/loopnest/NestSparsity.h"
#include "backends/loopnest/search/MappingEvaluator.h"
#include "backends/loopnest/sparse/StepShare.h"
#include <memory>

namespace perfc {
namespace loopnest {

/// The chip that a nest runs on, with all that its costs need.
class TrueCost {
public:
  /// Nothing when the chip has no unit that executes `nest`. `chip` must outlive this. `placement`
  /// is the phase.kernel that runs the nest, or null: what is read besides, and which zeros there
  /// are.
  static std::shared_ptr<const TrueCost> make(const ir::Operation &chip, const AdaptedNest &nest,
                                              const ir::Operation *placement);

  /// The cost of `nest` with its loops; nothing when a tile does not fit, or when it cannot be
  /// counted, which sets `isUnknown`.
  llvm::Optional<Score> score(const AdaptedNest &nest, bool &isUnknown) const;

  const Chip &model() const { return chip; }
  const UnitRate &unitRate() const { return rate; }
  const llvm::Optional<Sparsity> &sparsity() const { return zeros; }

private:
  TrueCost(const ir::Operation &op, int64_t extraBytes);
  Score scoreOf(const CountedNest &nest, const CountedNest &pace) const;
  bool fits(const AdaptedNest &nest, const Counts &counts) const;

  Chip chip;
  UnitRate rate;
  llvm::Optional<Quantity> clock;
  int64_t extraBytes;
  llvm::Optional<Sparsity> zeros;
  mutable LaneShares lanes;
  bool hasHops = false;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TRUECOST_H
