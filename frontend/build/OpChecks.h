// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations of an op that cannot be meant, and what it says of its tensors beside equations.
#ifndef PERFC_FRONTEND_BUILD_OPCHECKS_H
#define PERFC_FRONTEND_BUILD_OPCHECKS_H

#include "frontend/build/OpModel.h"
#include "frontend/build/OpSignature.h"

namespace perfc {

/// Each condition is about indices of some equation; false after a report.
bool conditionsApply(llvm::ArrayRef<OpStatement> statements, llvm::ArrayRef<AffineExpr> conditions,
                     llvm::ArrayRef<SourceRange> ranges, DiagnosticEngine &diagnostics);

/// No element is set twice: by two points of an equation, or by two equations of which the later
/// does not read it. Domains are known. False after a report.
bool writesOnce(llvm::ArrayRef<OpStatement> statements, DiagnosticEngine &diagnostics);

/// Takes out statements that no result depends on.
void dropUnused(std::vector<OpStatement> &statements,
                llvm::function_ref<bool(llvm::StringRef tensor)> isResult);

/// Warns, once for a declaration, of arguments that nothing reads and tensors that nothing uses. An
/// argument which alone has some extent is used for its shape.
void warnUnused(const Decl &op, DiagnosticEngine &diagnostics);

/// `draw choice[b, t, k] from uniform distinct k`; false after a report.
bool readDraw(const ast::Item &item, OpSignature &signature, Evaluator &evaluator,
              llvm::StringMap<OpDraw> &draws);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_OPCHECKS_H
