// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks that hold the same weights exchange of them: gradients, and parameters where these
// or their updates are divided (ZeRO: Rajbhandari et al., SC 2020). Ranks with the same experts are
// fewer than the rest, so that experts go by themselves.
#ifndef PERFC_PASSES_TRAINING_WEIGHTEXCHANGES_H
#define PERFC_PASSES_TRAINING_WEIGHTEXCHANGES_H

#include "ir/phase/PhaseOps.h"
#include "passes/training/Strategy.h"

namespace perfc {
namespace passes {

/// Bytes of an element: as weights have it, of its gradient, and while layers gather it.
struct ElementBytes {
  double weight = 2, gradient = 2, gathered = 2;
};
ElementBytes elementBytes(study::TrainOp train);

/// Weights of a rank: elements that are trained, and bytes of all.
struct HeldWeights {
  double trainedDense = 0, trainedExperts = 0;
  double denseBytes = 0, expertBytes = 0;

  void add(const HeldWeights &other, double times = 1);
  void add(phase::WeightOp weight);
};

/// A collective along `axis`, and for experts along `expert_` and its name, with the larger buffer
/// of a rank in bytes.
struct WeightExchange {
  llvm::StringRef kind, axis;
  double dense = 0, experts = 0;
};

/// Gradients are added up by `reduce`, and where several groups of ranks divide what is sharded
/// across these by `across`; `gather` gives all ranks what each has updated, or for each layer what
/// each holds. Those that the strategy does not need are of no bytes.
struct WeightExchanges {
  WeightExchange reduce, across, gather;
};
WeightExchanges exchangesOf(const Strategy &strategy, const HeldWeights &weights,
                            const ElementBytes &bytes);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_WEIGHTEXCHANGES_H
