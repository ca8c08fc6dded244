// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of diagnostics of serving.
#ifndef PERFC_IR_COMMON_DIAGNOSTICS_SERVING_H
#define PERFC_IR_COMMON_DIAGNOSTICS_SERVING_H

#include "ir/common/Diagnostics.h"

namespace perfc::diag {
#define DIAG(NAME, CODE, SEVERITY, MESSAGE)                                                        \
  inline constexpr DiagnosticKind NAME{CODE, Severity::SEVERITY, #NAME, MESSAGE};
#include "ir/common/diagnostics/Serving.def"
#undef DIAG
} // namespace perfc::diag

#endif // PERFC_IR_COMMON_DIAGNOSTICS_SERVING_H
