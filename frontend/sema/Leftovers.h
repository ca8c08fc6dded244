// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The grammar has one form for every item, so that much can be written that nothing reads: a block
// behind an equation, a role outside of a signature. Here that is refused. Words that have a table
// (Words.h) are checked against it where they are elaborated; this is about all others.
#ifndef PERFC_FRONTEND_SEMA_LEFTOVERS_H
#define PERFC_FRONTEND_SEMA_LEFTOVERS_H

#include "frontend/syntax/AST.h"
#include "ir/common/Diagnostics.h"

namespace perfc {

/// Reports the parts of these items of a file that have no meaning where they stand; items of which
/// a line was dropped after a syntax error are left alone.
void reportLeftovers(llvm::ArrayRef<ast::Item *> items, DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_LEFTOVERS_H
