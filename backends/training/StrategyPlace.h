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

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H
