// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statements that share loops run one after the other in each of their steps. What they do to one
// tensor has to come in the order that it has without fusing: all of an earlier statement before
// all that a later one does to the same elements.
#ifndef PERFC_PASSES_FUSEDORDER_H
#define PERFC_PASSES_FUSEDORDER_H

#include "passes/FusedFrame.h"
#include "passes/StatementGroups.h"

namespace perfc {
namespace passes {

/// Reports, at the shared loop that does it, the first element that two of `groups` would touch in
/// the wrong order under `nests` and `frames`, theirs; false if there is one. Tensors that
/// `isKnown` says are looked at elsewhere: tiles that stay at a memory, and running results that
/// are put right.
bool checkFusedOrder(llvm::ArrayRef<StatementGroup> groups, llvm::ArrayRef<NestPlan> nests,
                     llvm::ArrayRef<Frame> frames,
                     llvm::function_ref<bool(llvm::StringRef)> isKnown,
                     DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDORDER_H
