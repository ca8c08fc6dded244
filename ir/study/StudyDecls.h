// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the declarations of statements have in common; for the tables of this folder alone.
#ifndef PERFC_IR_STUDY_STUDYDECLS_H
#define PERFC_IR_STUDY_STUDYDECLS_H

#include "ir/core/OpDecl.h"

namespace perfc {
namespace study {

/// A region for `names` and for what every statement may hold: what is printed, written and
/// expected of its result.
ir::RegionDecl holding(std::vector<llvm::StringRef> names);

/// `subject` of one of the kinds `subjects`, `on`, those of `own`, and the names of the result.
std::vector<ir::AttrDecl> statementAttrs(std::vector<llvm::StringRef> subjects,
                                         std::vector<ir::AttrDecl> own);

/// False, reported, where a part of `statement` stands twice; those in `several` may.
bool verifyParts(const ir::Operation &statement, llvm::ArrayRef<llvm::StringRef> several,
                 DiagnosticEngine &diagnostics);

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_STUDYDECLS_H
