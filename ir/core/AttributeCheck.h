// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a declaration says of one value: its kind, unit, range and the words that it may be. The
// parser checks each value where it stands, the verifier those of modules that passes made.
#ifndef PERFC_IR_CORE_ATTRIBUTECHECK_H
#define PERFC_IR_CORE_ATTRIBUTECHECK_H

#include "ir/core/Operation.h"

namespace perfc {
namespace ir {

/// False, reported at `where`, when `op` cannot have `value` as its attribute `decl`. Whether
/// symbols exist is not looked at.
bool checkAttribute(const Operation &op, const AttrDecl &decl, const Attribute &value,
                    SourceRange where, DiagnosticEngine &diagnostics);

/// Reports at `where` that `op` has no attribute `name`, and which one may be meant. Returns false.
bool unknownAttribute(const Operation &op, SourceRange where, llvm::StringRef name,
                      DiagnosticEngine &diagnostics);

} // namespace ir
} // namespace perfc

#endif // PERFC_IR_CORE_ATTRIBUTECHECK_H
