// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What leaks while something runs: energy = latency * sum over the chip's parts of copies * leak,
// whether a part works or not (docs/cost-model.md, energy per action).
#ifndef PERFC_BACKENDS_CORE_LEAKAGE_H
#define PERFC_BACKENDS_CORE_LEAKAGE_H

#include "backends/core/Chip.h"

namespace perfc {

/// Energy of what leaks in `seconds`: of every instance on the whole chip, working or not; nothing
/// when no part of it leaks.
llvm::Optional<Figure> leakage(const Chip &chip, const Uncertain &seconds);

/// Adds the leakage of the whole latency of `cost` to its energy and, by part, to its breakdown.
void addLeakage(const Chip &chip, Cost &cost);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_LEAKAGE_H
