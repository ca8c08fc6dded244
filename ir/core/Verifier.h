// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a module keeps the rules of its declarations: known attributes of the right kind,
// unit and range, arity, nesting, symbols that exist and are unique, values defined before they are
// used; then each operation's own rules. Passes may assume a verified module.
#ifndef PERFC_IR_CORE_VERIFIER_H
#define PERFC_IR_CORE_VERIFIER_H

#include "ir/core/Module.h"

namespace perfc {
namespace ir {

/// False when something is wrong (reported at the operation's location).
bool verify(const Module &module, DiagnosticEngine &diagnostics);

/// Reports PERF0720, "`op`: reason", at `op`; for verifier functions. Returns false.
bool invalidOp(const Operation &op, DiagnosticEngine &diagnostics, const std::string &reason);

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_VERIFIER_H
