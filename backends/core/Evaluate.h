// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of a study.evaluate: its collective.program runs phase.sequences and collectives in
// order, a sequence runs kernels in order, each costed by the provider of its level. Costs are
// composed upward with labels and places; the IR is only read.
#ifndef PERFC_BACKENDS_CORE_EVALUATE_H
#define PERFC_BACKENDS_CORE_EVALUATE_H

#include "backends/core/CostProvider.h"
#include "backends/core/Outcome.h"

namespace perfc {

/// What `evaluate` finds, a study.evaluate whose module has been lowered to the collective level.
/// Nothing after a reported error.
llvm::Optional<Outcome> evaluateStudy(const ir::Module &module, const ir::Operation &evaluate,
                                      ProviderSet &providers, DiagnosticEngine &diagnostics);

/// What the study.price of `statement` says; nothing where it has none.
llvm::Optional<Price> priceOf(const ir::Operation &statement);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_EVALUATE_H
