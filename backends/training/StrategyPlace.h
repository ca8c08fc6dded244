// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The places of the axes of a strategy, as it nests them.
#ifndef PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H
#define PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H

#include "backends/core/AxisPlace.h"
#include "passes/training/Strategy.h"

namespace perfc::training {

/// The place of "tensor", "context", "expert", "expert_data" (ranks with the same experts), "data"
/// (all ranks that share gradients) or "pipeline".
AxisPlace placeOf(const passes::Strategy &strategy, llvm::StringRef axis);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STRATEGYPLACE_H
