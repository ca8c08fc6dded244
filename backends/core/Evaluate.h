// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluation of a study.evaluate: its collective.program runs phase.sequences and collectives in
// order, a sequence runs kernels in order, each costed by the provider of its level. Costs are
// composed upward with labels and places; the IR is only read.
#ifndef PERFC_BACKENDS_CORE_EVALUATE_H
#define PERFC_BACKENDS_CORE_EVALUATE_H

#include "backends/core/CostProvider.h"
#include "backends/core/Outcome.h"
#include "backends/core/StudySum.h"
#include <functional>

namespace perfc {

/// The kernels that an evaluation has run.
struct RanKernels {
  KernelKinds &kinds; ///< gets those that it has not
  KernelRuns runs = {};
  bool isAll = true; ///< false where something else runs, too: exchanges, stages
};

/// What `evaluate` finds, a study.evaluate whose module has been lowered to the collective level.
/// Nothing after a reported error. `ran` may be null.
llvm::Optional<Outcome> evaluateStudy(const ir::Module &module, const ir::Operation &evaluate,
                                      ProviderSet &providers, DiagnosticEngine &diagnostics,
                                      RanKernels *ran = nullptr);

/// Says what `evaluate` would find if its kernels added up to a sum; nothing after a reported
/// error. What is resident at a time is not known then, and the breakdown has no parts. All that it
/// is given stays as it is while it is in use.
using OutcomeOfSum = std::function<llvm::Optional<Outcome>(const StudySum &)>;
OutcomeOfSum outcomesOf(const ir::Module &module, const ir::Operation &evaluate,
                        ProviderSet &providers, DiagnosticEngine &diagnostics);

/// What the study.price of `statement` says; nothing where it has none.
llvm::Optional<Price> priceOf(const ir::Operation &statement);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_EVALUATE_H
