// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the arithmetic does with the operands that reach it. Each of two operands is there and not
// zero, there and zero, or not there at all (its form leaves zeros out); the nine pairs are
// computed, gated or skipped by what the hardware can tell.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_ARITHMETIC_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_ARITHMETIC_H

#include "backends/loopnest/timeloop/Report.h"
#include "backends/loopnest/timeloop/sparse/SparseTiles.h"

namespace perfc::timeloop {

/// Nothing when there are not exactly two operands, or their densities contradict the savings
/// (reported).
llvm::Optional<ComputeActions> sparseCompute(const SparseState &state,
                                             const OperandSavings &savings,
                                             DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_ARITHMETIC_H
