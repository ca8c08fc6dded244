// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The index of the standard library: what `perfc list` and `perfc doc` show of each declaration.
#ifndef PERFC_API_LIBRARY_H
#define PERFC_API_LIBRARY_H

#include "frontend/sema/Program.h"

namespace perfc::api {

/// A declaration, of the library or of a program.
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

/// What is known of `decl`, which stands in module `module`.
LibraryEntry entryOf(const Decl &decl, llvm::StringRef module, const SourceManager &sources);

/// Every public declaration, by module and then in file order.
std::vector<LibraryEntry> libraryIndex(perfc::Program &program);

/// A program of the library with a table of measurements, which `perfc validate NAME TABLE` runs.
struct TableProgram {
  std::string name;    ///< "collective" of std.validate.collective
  std::string summary; ///< the first sentence of its comment, without a capital letter
};

/// All of them, by name.
std::vector<TableProgram> tablePrograms();

/// The first sentence of a documentation text, on one line.
std::string firstSentence(llvm::StringRef doc);

} // namespace perfc::api

#endif // PERFC_API_LIBRARY_H
