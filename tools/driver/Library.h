// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of the standard library: what `perfc list` and `perfc doc` show of each declaration.
#ifndef PERFC_TOOLS_DRIVER_LIBRARY_H
#define PERFC_TOOLS_DRIVER_LIBRARY_H

#include "frontend/sema/Program.h"

namespace perfc::driver {

/// A public declaration of the library.
struct LibraryEntry {
  std::string module; ///< what to import: "std.ops.conv2d"
  std::string kind;   ///< "op", "workload", "hardware", …
  std::string name;
  std::string signature;    ///< the head as written, on one line
  std::string doc;          ///< the comment above it, without slashes; lines end in newlines
  std::string equations;    ///< of an op: the lines of its block, without its indentation
  std::string requirements; ///< of an op or a workload: its `require` lines
  SourceRange place;
};

/// Every public declaration, by module and then in file order.
std::vector<LibraryEntry> libraryIndex(Program &program);

/// The first sentence of a documentation text, on one line.
std::string firstSentence(llvm::StringRef doc);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_LIBRARY_H
