// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `serve` statement: the model is costed on its ranks, its requests are made and served, and what
// came out becomes a cost with its summary. docs/serving.md has the rules.
#ifndef PERFC_BACKENDS_SERVING_SERVE_H
#define PERFC_BACKENDS_SERVING_SERVE_H

#include "backends/core/CostProvider.h"
#include "backends/core/Outcome.h"

namespace perfc::serving {

/// Evaluates the study.serve `serve`; nothing after a report.
llvm::Optional<Outcome> evaluateServing(const ir::Module &module, const ir::Operation &serve,
                                        ProviderSet &providers, DiagnosticEngine &diagnostics);

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SERVE_H
