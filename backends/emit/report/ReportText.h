// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scripts and the style of reports, inside the binary.
#ifndef PERFC_BACKENDS_EMIT_REPORT_REPORTTEXT_H
#define PERFC_BACKENDS_EMIT_REPORT_REPORTTEXT_H

#include "llvm/ADT/StringRef.h"

namespace perfc::emit {

/// The text "charts", "page", "style" or "colors" of this folder; "d3" or "d3_licence".
llvm::StringRef reportText(llvm::StringRef name);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_REPORT_REPORTTEXT_H
