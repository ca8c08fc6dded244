// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The strategies that the holes of a `train` allow. A division says how the model is cut into
// kernels (tensor, context and expert ranks, microbatch, recomputation); each goes with families of
// strategies that use all chips. Without a hole there is the one that the statement asks for.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYSPACE_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYSPACE_H

#include "backends/core/RankNetwork.h"
#include "passes/training/StrategyPlace.h"
#include <array>
#include <map>

namespace perfc::mapper {

/// A copy of `module` in which `train` has the strategy; lowered as far as `evaluateTraining`
/// needs; without schedules of collectives, which may be long, as far as costs of kernels do. Null
/// after a report.
std::unique_ptr<ir::Module> withStrategy(const ir::Module &module, llvm::StringRef train,
                                         const passes::Strategy &strategy,
                                         DiagnosticEngine &diagnostics, bool withSchedules = true);

class StrategySpace {
public:
  /// `train`, an operation of `module`, asks for `asked`.
  StrategySpace(const ir::Module &module, const ir::Operation &train, const passes::Strategy &asked,
                RankNetwork &network, DiagnosticEngine &diagnostics)
      : module(module), train(train), asked(asked), network(network), diagnostics(diagnostics) {}

  /// How the model may be divided, with up to 64 ranks of tensor and context and 512 of experts.
  std::vector<passes::Strategy> divisions() const;
  /// A pipeline and a data-parallel degree that use all chips with a division, and the shard groups
  /// and orders that go with these.
  struct Family {
    passes::Strategy strategy; ///< as the last variant
    const passes::StrategyVariants *variants;
  };
  /// All of `division`, with pipelines of up to `layers` stages.
  std::vector<Family> families(const passes::Strategy &division, int64_t layers);

private:
  std::vector<passes::Recompute> recomputations() const;
  std::vector<int64_t> shardGroups(const passes::Strategy &strategy) const;
  const passes::StrategyVariants &variantsOf(passes::Strategy strategy);

  const ir::Module &module;
  const ir::Operation &train;
  const passes::Strategy &asked;
  RankNetwork &network;
  DiagnosticEngine &diagnostics;
  /// By tensor, context, expert, data and pipeline ranks, and whether experts are whole.
  std::map<std::array<int64_t, 6>, passes::StrategyVariants> variants;
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYSPACE_H
