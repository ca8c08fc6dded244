// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an `emit` statement or `perfc emit` writes: one file, or the files of a folder.
#ifndef PERFC_API_EMITTED_H
#define PERFC_API_EMITTED_H

#include "backends/emit/Emit.h"

namespace perfc::api {

/// Writes `input` as `emitter` says: a folder of files when `path` ends in `/` and the format has
/// one, else one file ("-": standard output), which stays as it was when something of it cannot be
/// written. `input` has diagnostics; formats of several files ask for a folder at `place`.
void writeEmitted(const emit::Emitter &emitter, const emit::Input &input, llvm::StringRef path,
                  SourceRange place);
/// The same, each file by `write`.
void writeEmitted(const emit::Emitter &emitter, const emit::Input &input, llvm::StringRef path,
                  SourceRange place, emit::FileSink write);

/// "it is one of json, csv, …", the help for a format that is none.
std::string knownFormats();

} // namespace perfc::api

#endif // PERFC_API_EMITTED_H
