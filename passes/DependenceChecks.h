// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that run a point before, or beside, one that it depends on (analysis/Dependences.h) are a
// mistake of the mapping that has them.
#ifndef PERFC_PASSES_DEPENDENCECHECKS_H
#define PERFC_PASSES_DEPENDENCECHECKS_H

#include "passes/NestPlan.h"
#include "passes/analysis/Dependences.h"

namespace perfc {
namespace passes {

/// The loops of `plan` in their order. Those of tiles that overlap run some points twice, which
/// has no order of points: nothing.
llvm::Optional<std::vector<OrderedLoop>> orderedLoops(const NestPlan &plan);

/// Reports the first dependence of its statement that `plan` breaks, at the loop that does, else at
/// `written`; false if there is one.
bool checkDependences(const NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics);

/// Reports, at `where`, a statement that no order of its loops serves; false if it is one.
bool checkSomeOrder(const Statement &statement, SourceRange where, DiagnosticEngine &diagnostics);

/// Reports `broken`, at `where`; `what` runs the points.
void reportBroken(const Statement &statement, const BrokenDependence &broken, bool isBeside,
                  llvm::StringRef what, SourceRange where, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_DEPENDENCECHECKS_H
