// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of the axes of a strategy, as it nests them.
#ifndef PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H
#define PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H

#include "backends/core/AxisPlace.h"
#include "backends/training/SystemPaths.h"
#include "passes/training/Strategy.h"

namespace perfc::training {

/// The place of "tensor", "context", "expert", "expert_data" (ranks with the same experts), "data"
/// (all ranks that share gradients) or "pipeline"; of "shard" (ranks of these that divide what is
/// sharded) and "replica" (ranks with the same part), for experts "expert_shard" and
/// "expert_replica".
AxisPlace placeOf(const passes::Strategy &strategy, llvm::StringRef axis);

/// The chips on which stage `stage` of the pipeline stands.
ChipSet chipsOf(const passes::Strategy &strategy, int64_t stage);

/// Strategies that differ only in how their axes are nested and in the ranks of `shard`. The last
/// one divides what is sharded among the most ranks.
class StrategyVariants {
public:
  explicit StrategyVariants(std::vector<passes::Strategy> list) : list(std::move(list)) {}

  size_t size() const { return list.size(); }
  /// `strategy`, of the same degrees, as variant `number` is.
  passes::Strategy fill(passes::Strategy strategy, size_t number) const;
  /// The places that an axis has in them, each once.
  const std::vector<AxisPlace> &places(llvm::StringRef axis) const;

private:
  std::vector<passes::Strategy> list;
  mutable llvm::StringMap<std::vector<AxisPlace>> known;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H
