// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that `perfc validate` and `perfc calibrate` are given: a file, or a kind of the
// library; a second argument is its parameter `table`.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_TABLEFILE_H
#define PERFC_TOOLS_DRIVER_VALIDATE_TABLEFILE_H

#include "tools/driver/Session.h"
#include "llvm/ADT/Optional.h"

namespace perfc::driver {

struct TableFile {
  FileId file = 0;
  std::string kind; ///< "" for a file of the user
  std::vector<std::pair<std::string, std::string>> defines;
};

/// True when the first argument is a file or a kind that the library has a program for.
bool isTableProgram(const Arguments &arguments);
/// Nothing after a report.
llvm::Optional<TableFile> loadTableFile(Session &session, const Arguments &arguments);
/// `--threads`, or as many as there are cores; 0 after a report.
unsigned threadsOf(Session &session, const Arguments &arguments);
void reportUnknownKind(Session &session, llvm::StringRef name);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_TABLEFILE_H
