// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON texts that people write. The parser of LLVM is recursive, so the nesting of a text is
// checked before it is parsed: no text can exhaust the stack. Of equal keys of an object it takes
// the last one.
#ifndef PERFC_IR_COMMON_JSONTEXT_H
#define PERFC_IR_COMMON_JSONTEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include "llvm/Support/JSON.h"

namespace perfc {

/// Why a text is no document, and the byte where that is found.
struct JsonProblem {
  std::string reason;
  uint32_t byte = 0;
};

/// The document in `text`; nothing, with the reason in `problem`, when it is no JSON or nests more
/// than 64 deep.
llvm::Optional<llvm::json::Value> parseJson(llvm::StringRef text, JsonProblem &problem);

/// A key that stands twice in one object of a text, with the places of both, without their quotes.
struct RepeatedKey {
  std::string key;
  uint32_t first, second, end;
};
/// The first such key of `text`, which is JSON; nothing where all keys of an object differ.
llvm::Optional<RepeatedKey> repeatedKey(llvm::StringRef text);

/// Bytes [first, second) of the last key of `path` in `text`, which is JSON, without its quotes;
/// the keys before it are those of the objects around. Nothing where there is no such key.
llvm::Optional<std::pair<uint32_t, uint32_t>> placeOfKey(llvm::StringRef text,
                                                         llvm::ArrayRef<llvm::StringRef> path);

} // namespace perfc

#endif // PERFC_IR_COMMON_JSONTEXT_H
