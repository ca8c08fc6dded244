// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why something failed, where that is data and no mistake of the program: a row of a table.
#ifndef PERFC_IR_COMMON_FIRSTERROR_H
#define PERFC_IR_COMMON_FIRSTERROR_H

#include "ir/common/Diagnostics.h"

namespace perfc {

/// The message of the first error from the `first`-th diagnostic on; "" when there is none.
inline std::string firstError(const DiagnosticEngine &diagnostics, size_t first) {
  for (const Diagnostic &one : diagnostics.all().drop_front(first))
    if (one.kind->severity == Severity::Error)
      return one.message;
  return "";
}

} // namespace perfc

#endif // PERFC_IR_COMMON_FIRSTERROR_H
