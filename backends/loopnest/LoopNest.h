// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loop-nest provider: a given mapping, counted exactly (analysis/), weighed with the chip's
// figures. Per memory, with w bytes per word and sums over its instances:
//     reads    = reads + writebacks,  writes = fills + updates        (words; docs/cost-model.md)
//     energy   = reads * read energy + writes * write energy
//     cycles   = ceil((reads + writes) / (bandwidth * instances that work))
// latency = max(compute steps / rate, cycles of each memory) + launch, and what NestLatency.h adds
// where the chip states it; hops of the array networks and multiply-accumulates add their energy.
// On a systolic array, products run in folds (FoldedNest.h).
#ifndef PERFC_BACKENDS_LOOPNEST_LOOPNEST_H
#define PERFC_BACKENDS_LOOPNEST_LOOPNEST_H

#include "backends/core/CostProvider.h"
#include "backends/loopnest/exact/CountVerifier.h"
#include "passes/analysis/NormalForm.h"

namespace perfc {
namespace loopnest {

/// Serves loopnest.nest and loopnest.fused on a target.chip.
class LoopNestProvider : public CostProvider {
public:
  /// Each nest that the reuse analysis counts is counted again by `verifier`, if there is one.
  explicit LoopNestProvider(CountVerifier *verifier = nullptr)
      : CostProvider("loopnest"), verifier(verifier) {}

  bool serves(const ir::Operation &op) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;
  VerifiedNests takeVerified() override;

private:
  CountVerifier *verifier;
  passes::NormalForms forms;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_LOOPNEST_H
