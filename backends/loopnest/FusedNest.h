// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of fused statements (loopnest.fused). Each nest is counted by itself, with the shared
// loops outside; then the intermediates that never leave the memory M lose what they would move
// outside it. Statements take turns at every resource, and resources work at the same time:
//     latency = max over resources of the sum over statements + launch,
// Tiles that an array dispatches run in ceil(blocks / units) waves.
#ifndef PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H
#define PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H

#include "backends/core/CostProvider.h"
#include "backends/loopnest/NestAdapter.h"
#include "backends/loopnest/exact/CountVerifier.h"
#include "ir/loopnest/LoopnestOps.h"

namespace perfc {
namespace loopnest {

/// The cost of `query.op`, a loopnest.fused; nothing after a report. `verifier`, which may be null,
/// counts the nests again.
llvm::Optional<Cost> evaluateFused(const CostQuery &query, passes::NormalForms &forms,
                                   CountVerifier *verifier, DiagnosticEngine &diagnostics);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_FUSEDNEST_H
