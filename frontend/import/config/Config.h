// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a file says about a model: keys with values, as config.json has them. The header of a GGUF
// file becomes one as well.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_CONFIG_H
#define PERFC_FRONTEND_IMPORT_CONFIG_CONFIG_H

#include "ir/common/Diagnostics.h"
#include "llvm/Support/JSON.h"

namespace perfc::config {

/// Keys from the outermost object inwards.
using KeyPath = llvm::ArrayRef<llvm::StringRef>;

struct Config {
  llvm::json::Object keys;
  FileId file = 0;
  /// The document, with which places of keys are found; "" for a file of bytes.
  llvm::StringRef text;

  /// Where the last key of `path` stands, else the beginning of the file.
  SourceRange place(KeyPath path) const;
  /// The text under `key`, or "".
  llvm::StringRef string(llvm::StringRef key) const { return keys.getString(key).getValueOr(""); }
};

/// The object in `file`; nothing when it is none (reported there). `Infinity` and `NaN`, which JSON
/// does not have but Python writes, count as 0.
llvm::Optional<Config> readConfig(FileId file, const SourceManager &sources,
                                  DiagnosticEngine &diagnostics);

/// bf16 and so on by the names of PyTorch and of safetensors; "" for others.
llvm::StringRef formatOf(llvm::StringRef name);
/// The format of the numbers of the model that `keys` describes, or of its text model; "" where
/// they do not say.
llvm::StringRef formatOf(const llvm::json::Object &keys);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_CONFIG_H
