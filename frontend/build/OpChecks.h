// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations of an op that cannot be meant.
#ifndef PERFC_FRONTEND_BUILD_OPCHECKS_H
#define PERFC_FRONTEND_BUILD_OPCHECKS_H

#include "frontend/build/OpModel.h"

namespace perfc {

/// Each condition is about indices of some equation; false after a report.
bool conditionsApply(llvm::ArrayRef<OpStatement> statements, llvm::ArrayRef<AffineExpr> conditions,
                     llvm::ArrayRef<SourceRange> ranges, DiagnosticEngine &diagnostics);

/// No element is set twice: by two points of an equation, or by two equations of which the later
/// does not read it. Domains are known. False after a report.
bool writesOnce(llvm::ArrayRef<OpStatement> statements, DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_OPCHECKS_H
