// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts of the manual inside the binary: what `perfc explain` and `perfc doc` print.
#ifndef PERFC_TOOLS_DRIVER_EMBEDDEDTEXT_H
#define PERFC_TOOLS_DRIVER_EMBEDDEDTEXT_H

#include "llvm/ADT/StringRef.h"

namespace perfc::driver {

/// The text "diagnostics" (docs/diagnostics.md), "lexer" or "parser" (grammar/), or "starter_KIND"
/// of starters/; "" for others.
llvm::StringRef embeddedText(llvm::StringRef name);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_EMBEDDEDTEXT_H
