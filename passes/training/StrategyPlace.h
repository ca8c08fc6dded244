// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of the axes of a strategy, as it nests them.
#ifndef PERFC_PASSES_TRAINING_STRATEGYPLACE_H
#define PERFC_PASSES_TRAINING_STRATEGYPLACE_H

#include "passes/analysis/AxisPlace.h"
#include "passes/analysis/SystemPaths.h"
#include "passes/training/Strategy.h"

namespace perfc::passes {

/// The place of "tensor", "context", "expert", "expert_data" (ranks with the same experts), "data"
/// (all ranks that share gradients) or "pipeline"; of "shard" (ranks of these that divide what is
/// sharded) and "replica" (ranks with the same part), for experts "expert_shard" and
/// "expert_replica".
AxisPlace placeOf(const Strategy &strategy, llvm::StringRef axis);

/// The chips on which stage `stage` of the pipeline stands.
ChipSet stageChips(const Strategy &strategy, int64_t stage);

/// Nests the axes of `strategy` as its `order` says, else so that each stays inside what it is
/// `over`: the pipeline outermost if that does, else behind the tensor axis, else the first order
/// that does. False, with the reason in `problem`, where that is not possible.
bool placeAxes(Strategy &strategy, SystemPaths &system, std::string &problem);
/// `strategy` as placeAxes nests it, none where it cannot; with `order any` in each order that
/// differs in axes of several ranks.
std::vector<Strategy> nestingsOf(const Strategy &strategy, SystemPaths &system);

/// False, reported, when the degrees of `strategy`, whose axes it places, do not go with the system
/// or the batch.
bool checkStrategy(const ir::Operation &train, Strategy &strategy, SystemPaths &system,
                   DiagnosticEngine &diagnostics);

/// True where the data choose weights of `graph`.
bool hasExperts(const ir::Operation &graph);

/// False, reported, where experts are to be divided among several `ranks` and the data choose no
/// weights of `graph`, the part of `subject` that one rank runs.
bool checkExperts(const ir::Operation &statement, int64_t ranks, const ir::Operation &graph,
                  llvm::StringRef subject, DiagnosticEngine &diagnostics);

/// Strategies that differ only in how their axes are nested and in the ranks of `shard`. The last
/// one divides what is sharded among the most ranks.
class StrategyVariants {
public:
  explicit StrategyVariants(std::vector<Strategy> list) : list(std::move(list)) {}

  size_t size() const { return list.size(); }
  /// `strategy`, of the same degrees, as variant `number` is.
  Strategy fill(Strategy strategy, size_t number) const;
  /// The places that an axis has in them, each once.
  const std::vector<AxisPlace> &places(llvm::StringRef axis) const;

private:
  std::vector<Strategy> list;
  mutable llvm::StringMap<std::vector<AxisPlace>> known;
};

} // namespace perfc::passes

#endif // PERFC_PASSES_TRAINING_STRATEGYPLACE_H
