// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Timeloop's YAML to timeloop::Input: architecture (the `subtree`/`local` form and the `nodes`
// form of v0.4), ERT, problem, mapping and sparse optimizations. Sections that are about searching
// are left alone.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_READINPUT_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_READINPUT_H

#include "frontend/import/yaml/Document.h"
#include "ir/timeloop/Input.h"

namespace perfc::timeloop {

struct ReadOptions {
  /// False: a document without a mapping is fine, and so are its levels without one.
  bool needsMapping = true;
};

/// One document of the sections in `files`; null after a report.
std::unique_ptr<yaml::Document> parseFiles(llvm::ArrayRef<FileId> files,
                                           DiagnosticEngine &diagnostics);

/// Whether the document says how the problem is mapped; an empty list says nothing.
bool hasMapping(const yaml::Document &document);

/// Nothing when the document is wrong (reported).
llvm::Optional<Input> readInput(const yaml::Document &document, DiagnosticEngine &diagnostics,
                                ReadOptions options = {});
/// Parses `files` first, which have the sections.
llvm::Optional<Input> readInput(llvm::ArrayRef<FileId> files, DiagnosticEngine &diagnostics,
                                ReadOptions options = {});

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_READINPUT_H
