// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files of `perfc validate`.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H
#define PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H

#include "ir/common/JsonText.h"
#include "tools/driver/Session.h"
#include "tools/driver/validate/Kind.h"

namespace perfc::driver {

/// Reports, at the beginning of the file at `path` where that has been read, why it is no table of
/// kind `kind`.
void reportBadTable(Session &session, llvm::StringRef path, llvm::StringRef kind,
                    llvm::StringRef reason);

/// The document in file `path` of kind `kind`; nothing when it cannot be read (reported).
llvm::Optional<llvm::json::Value> readJsonFile(Session &session, llvm::StringRef path,
                                               llvm::StringRef kind);

/// `path` itself or, where it is a folder, the files in it whose names end in `suffix`, by name.
/// Empty when there are none (reported).
std::vector<std::string> filesAt(Session &session, llvm::StringRef path, llvm::StringRef suffix,
                                 llvm::StringRef kind);

/// A whole or real number; nothing for null and for what is no number.
llvm::Optional<Number> numberOf(const llvm::json::Value *value);
/// The numbers of the array under `key`; none when there is no array.
std::vector<llvm::Optional<Number>> numbersAt(const llvm::json::Object &object,
                                              llvm::StringRef key);

/// The first error, of a model that has no prediction.
std::string problemOf(const DiagnosticEngine &diagnostics);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H
