// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a strategy does not divide: kernels that all ranks along an axis run alike, or in fewer
// parts than there are ranks. Their time stays what it is on one rank.
#ifndef PERFC_BACKENDS_CORE_ALIKERANKS_H
#define PERFC_BACKENDS_CORE_ALIKERANKS_H

#include "backends/core/Cost.h"

namespace perfc {

/// Adds a note to `cost` for each axis of more than one rank (`degree`) along which those kernels
/// of `parts` that ranks run alike take 0.5 % of `seconds`, which are the time of all, or more:
/// which, and how much.
void noteAlikeRanks(Cost &cost, llvm::ArrayRef<CostPart> parts, double seconds,
                    llvm::function_ref<int64_t(llvm::StringRef axis)> degree);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_ALIKERANKS_H
