// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The headers of files of weights: GGUF (versions 1 to 3) and safetensors. Weights themselves are
// never read, and what a header declares is checked against the bytes that are there before
// anything is kept of it.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_HEADERS_H
#define PERFC_FRONTEND_IMPORT_CONFIG_HEADERS_H

#include "frontend/import/config/Config.h"
#include <map>

namespace perfc::config {

/// How many elements are stored in each format, by its name in the file.
using StoredElements = std::map<std::string, int64_t>;

/// True for a file that is called so, or begins as they do.
bool isGguf(llvm::StringRef path);
/// The metadata of the GGUF file at `path`, and of its other parts where its name says that it is
/// one of several: `model-00001-of-00003.gguf`. Keys of its architecture lose the name of that:
/// `llama.attention.head_count` is `attention.head_count`. `vocab_size`, `tied` (no tensor of its
/// own for the output) and `weight_type` (the format of most elements) are added. Long lists are
/// left out. Nothing after a report.
llvm::Optional<Config> readGguf(llvm::StringRef path, SourceManager &sources,
                                DiagnosticEngine &diagnostics);
/// The same of the bytes of such a file, of which what follows the header may be missing.
llvm::Optional<Config> parseGguf(llvm::StringRef bytes, FileId file, DiagnosticEngine &diagnostics);

/// Adds what the file of safetensors at `path` stores to `stored`. False after a report.
bool addSafetensors(llvm::StringRef path, FileId file, StoredElements &stored,
                    DiagnosticEngine &diagnostics);
/// The same of `header`, the JSON text of such a file, which stands in the file from byte 8 on.
bool addSafetensorsHeader(llvm::StringRef header, FileId file, StoredElements &stored,
                          DiagnosticEngine &diagnostics);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_HEADERS_H
