// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's configuration as a program: one workload, an instance of a family of the library; of a
// pipeline of diffusers, whose folder has a model_index.json, a workload for each model in it. The
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
  std::vector<NamedModel> models; ///< its workloads, one or more
};

/// True for a folder, a config.json and a model_index.json.
bool isFolder(llvm::StringRef path);

/// Reads what is at `path`: a folder of a model or of a pipeline, a config.json, a GGUF file, or a
/// file of safetensors, beside which config.json stands. Of files of weights only the header is
/// read. Nothing after a report.
llvm::Optional<Program> readProgram(llvm::StringRef path, const ReadOptions &options,
                                    SourceManager &sources, FamilyTable &table,
                                    DiagnosticEngine &diagnostics);

/// The same of the keys of a config.json; its one workload is called `name`.
llvm::Optional<Program> programOf(const Config &config, llvm::StringRef name,
                                  const ReadOptions &options, FamilyTable &table,
                                  DiagnosticEngine &diagnostics);

} // namespace perfc::config

#endif // PERFC_FRONTEND_IMPORT_CONFIG_CONFIGTEXT_H
