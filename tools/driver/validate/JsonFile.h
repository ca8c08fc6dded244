// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files of `perfc validate` and of clusters. The parser of LLVM is recursive, so the nesting
// of a text is checked before it is parsed: no file can exhaust the stack. Of equal keys of an
// object it takes the last one.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H
#define PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H

#include "tools/driver/Session.h"
#include "tools/driver/validate/Kind.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Support/JSON.h"

namespace perfc::driver {

/// Why a text is no document, and the byte where that is found.
struct JsonProblem {
  std::string reason;
  uint32_t byte = 0;
};

/// The document in `text`; nothing, with the reason in `problem`, when it is no JSON or nests more
/// than 64 deep.
llvm::Optional<llvm::json::Value> parseJson(llvm::StringRef text, JsonProblem &problem);

/// Reports, at the beginning of the file at `path` where that has been read, why it is no table of
/// kind `kind`.
void reportBadTable(Session &session, llvm::StringRef path, llvm::StringRef kind,
                    llvm::StringRef reason);

/// A key that stands twice in one object of a text, with the places of both, without their quotes.
struct RepeatedKey {
  std::string key;
  uint32_t first, second, end;
};
/// The first such key of `text`, which is JSON; nothing where all keys of an object differ.
llvm::Optional<RepeatedKey> repeatedKey(llvm::StringRef text);

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

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_JSONFILE_H
