// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool that a statement asks by `using tool("…")`.
#ifndef PERFC_FRONTEND_BUILD_TOOLCHOICE_H
#define PERFC_FRONTEND_BUILD_TOOLCHOICE_H

#include "frontend/sema/Value.h"
#include "ir/common/Diagnostics.h"
#include "ir/core/Operation.h"

namespace perfc {

/// Sets `tool` of `made`, a study.evaluate or a study.serve, to the one that `by` names, and
/// `using` to the provider whose place it takes. False after a report.
bool chooseTool(const WordValue &by, SourceRange range, ir::Operation &made,
                DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_TOOLCHOICE_H
