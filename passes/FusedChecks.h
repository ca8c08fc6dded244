// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What loops of a fused mapping may not be: over indices of no statement or of several at once, of
// one statement only where steps are shared, or such that steps come back to tiles that were left.
#ifndef PERFC_PASSES_FUSEDCHECKS_H
#define PERFC_PASSES_FUSEDCHECKS_H

#include "passes/FusedFrame.h"

namespace perfc {
namespace passes {

/// Checks that every loop of `mapping` is one of a nest in `nests`. All mistakes are reported.
bool checkSharedIndices(loopnest::MappingOp mapping, llvm::ArrayRef<NestPlan> nests,
                        DiagnosticEngine &diagnostics);

/// Checks that the loops of `plan` down to `position` are those of `frame`, which it joins.
bool checkSharedLoops(const NestPlan &plan, size_t position, const Frame &frame,
                      DiagnosticEngine &diagnostics);

/// What `maker` makes in tiles is there for one tile only: a loop that leaves the tensor where it
/// is must not come back to tiles that were left, which `reader` needs.
bool checkRevisits(llvm::ArrayRef<StatementGroup> groups, size_t maker, const Frame &frame,
                   llvm::StringRef reader, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDCHECKS_H
