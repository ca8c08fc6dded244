// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that perfc writes appear whole or not at all: the text goes to a new file beside the
// target, which then takes the target's name.
#ifndef PERFC_API_OUTPUTFILE_H
#define PERFC_API_OUTPUTFILE_H

#include "ir/common/Diagnostics.h"

namespace perfc::api {

/// Writes `text` to `path`, making the folders it stands in; "-" is standard output. False when
/// that fails (reported at `place`), or when `path` is a file that the command has read.
bool writeOutput(llvm::StringRef path, llvm::StringRef text, SourceRange place,
                 DiagnosticEngine &diagnostics);

/// The same for what may take the place of a file that was read.
bool replaceFile(llvm::StringRef path, llvm::StringRef text, SourceRange place,
                 DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_OUTPUTFILE_H
