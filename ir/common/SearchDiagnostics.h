// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of diagnostics of searches and sweeps, apart from the others because few files report
// them.
#ifndef PERFC_IR_COMMON_SEARCHDIAGNOSTICS_H
#define PERFC_IR_COMMON_SEARCHDIAGNOSTICS_H

#include "ir/common/Diagnostics.h"

namespace perfc {
namespace diag {
#define DIAG(NAME, CODE, SEVERITY, MESSAGE)                                                        \
  inline constexpr DiagnosticKind NAME{CODE, Severity::SEVERITY, #NAME, MESSAGE};
#include "ir/common/SearchDiagnostics.def"
#undef DIAG
} // namespace diag
} // namespace perfc

#endif // PERFC_IR_COMMON_SEARCHDIAGNOSTICS_H
