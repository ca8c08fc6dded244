// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dataflow as a loop nest. Directives are split at their clusters into levels; a temporal map of
// n tiles is a loop of n steps, a spatial one a loop over lanes with a fold, at its place among the
// steps, where tiles outnumber lanes. The steps of the first level run at the memory around the
// array (or further out, where it is too small), those of the other levels between the lanes, where
// nothing is stored, and the tile of the last level in the innermost memory.
#ifndef PERFC_PASSES_DATAFLOWPLAN_H
#define PERFC_PASSES_DATAFLOWPLAN_H

#include "passes/NestPlan.h"

namespace perfc {
namespace passes {

/// The loops of `dataflow`. Nothing when they are no nest of whole steps: tiles that overlap or
/// leave gaps, a cluster's tile that its lanes do not divide, two indices on one lane number
/// (reported).
llvm::Optional<NestPlan> planFromDataflow(const Chip &chip, const Statement &statement,
                                          loopnest::DataflowOp dataflow,
                                          DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DATAFLOWPLAN_H
