// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sparse inputs: from the dense counts to what is done, gated and skipped, to the energy of
// metadata, and to the arithmetic that is left.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSE_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSE_H

#include "backends/loopnest/timeloop/Report.h"

namespace perfc::timeloop {

/// The actions of a sparse input, and `tiles` with the sizes that are stored. `compute` gets the
/// computes and cycles that are left. Nothing when the input cannot be modelled (reported).
llvm::Optional<Actions> applySparsity(const Input &input, const LoopList &list, Tiles &tiles,
                                      ComputeResult &compute, DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_SPARSE_H
