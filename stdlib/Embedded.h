// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The standard library travels inside the binary: each .perf file of this folder is embedded at
// build time as text and parsed only when something imports it.

#ifndef PERFC_STDLIB_EMBEDDED_H
#define PERFC_STDLIB_EMBEDDED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {

/// One module of the standard library.
struct EmbeddedFile {
  /// Path relative to stdlib/, with forward slashes: "hardware/a100.perf".
  llvm::StringRef path;
  /// The file's bytes; a zero byte follows the last one, as llvm::MemoryBuffer wants.
  llvm::StringRef text;
};

/// All modules, sorted by path.
llvm::ArrayRef<EmbeddedFile> embeddedStdlib();

} // namespace perfc

#endif // PERFC_STDLIB_EMBEDDED_H
