// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagnostics that were found elsewhere: in another process, or at a place that the user does not
// know.
#ifndef PERFC_API_REPORTAGAIN_H
#define PERFC_API_REPORTAGAIN_H

#include "ir/common/Diagnostics.h"

namespace perfc::api {

/// Adds a copy of `diagnostic`; the reference is valid until the next report.
inline Diagnostic &reportAgain(DiagnosticEngine &diagnostics, const Diagnostic &diagnostic) {
  // The message is there already: nothing is left to fill in.
  DiagnosticKind complete = *diagnostic.kind;
  complete.message = "";
  Diagnostic &copy = diagnostics.report(diagnostic.range, complete);
  copy.kind = diagnostic.kind;
  copy.message = diagnostic.message;
  copy.remarks = diagnostic.remarks;
  return copy;
}

} // namespace perfc::api

#endif // PERFC_API_REPORTAGAIN_H
