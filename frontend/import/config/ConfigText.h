// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's configuration as a program: one workload, an instance of a family of the library. The
// program is text, so what is printed, formatted and changed is what runs.
#ifndef PERFC_FRONTEND_IMPORT_CONFIG_CONFIGTEXT_H
#define PERFC_FRONTEND_IMPORT_CONFIG_CONFIGTEXT_H

#include "frontend/import/config/CallNames.h"
#include "frontend/import/config/Config.h"

namespace perfc::config {

struct ReadOptions {
  SourceRange place; ///< that names the model, or nowhere
  std::string as;    ///< the type that the model counts as, or "" for its own
  std::string alike; ///< names of the library to propose where there is no such file, or ""
};

struct Program {
  std::string text;
  std::string workload; ///< its name
  std::string format;   ///< of its activations: "bf16"; "" where it is not said
  std::string family;   ///< of the library that it is an instance of
  /// What the workload may be given; keys of the configuration are the file's to say.
  CallNames names;

  /// True where tokens follow others.
  bool isDecoder() const { return names.hasPhase("prefill"); }
  /// True where it takes the length of a text.
  bool hasContext() const { return names.hasParameter("context"); }
};

/// True for a folder and for a config.json.
bool isFolder(llvm::StringRef path);

/// Reads what is at `path`: a folder, a config.json, a GGUF file, or a file of safetensors, beside
/// which config.json stands. Of files of weights only the header is read. Nothing after a report.
llvm::Optional<Program> readProgram(llvm::StringRef path, const ReadOptions &options,
                                    SourceManager &sources, FamilyTable &table,
                                    DiagnosticEngine &diagnostics);

/// The same of the keys of a config.json; the workload is called `name`.
llvm::Optional<Program> programOf(const Config &config, llvm::StringRef name,
                                  const ReadOptions &options, FamilyTable &table,
                                  DiagnosticEngine &diagnostics);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_CONFIGTEXT_H
