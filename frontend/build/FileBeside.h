// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that a program names: their paths count from the folder of the file that names them.
#ifndef PERFC_FRONTEND_BUILD_FILEBESIDE_H
#define PERFC_FRONTEND_BUILD_FILEBESIDE_H

#include "ir/common/Diagnostics.h"

namespace perfc {

/// Where `written` leads in the file `from`.
std::string pathBeside(const SourceManager &sources, FileId from, llvm::StringRef written);

/// The file that `written` at `place` leads to, loaded once; 0 after a report.
FileId loadBeside(SourceManager &sources, SourceRange place, llvm::StringRef written,
                  DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_FILEBESIDE_H
