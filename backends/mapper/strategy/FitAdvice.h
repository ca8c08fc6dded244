// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What would make a training step fit into the memory of its chips: each change that leaves the
// ranks as they are is tried, from the one that costs least time on.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_FITADVICE_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_FITADVICE_H

#include "backends/core/CostProvider.h"
#include "ir/core/Module.h"

namespace perfc::mapper {

/// "with `shard parameters` it fits" for `train` of `module` as it was built; says so when all such
/// changes together are not enough.
std::string adviceToFit(const ir::Module &module, const ir::Operation &train,
                        ProviderSet &providers, const SourceManager &sources);

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_FITADVICE_H
