// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats of models that become programs with one workload, or a workload for each model of a
// pipeline: what `import FORMAT "…" as net` and the
// command read. A format is a row of the table in ModelFormats.cpp.
#ifndef PERFC_FRONTEND_SEMA_MODELFORMATS_H
#define PERFC_FRONTEND_SEMA_MODELFORMATS_H

#include "frontend/import/config/ConfigText.h"
#include "frontend/import/graph/GraphText.h"
#include "frontend/sema/Program.h"

namespace perfc {

struct ModelOptions {
  graph::ReadOptions graph;   ///< of graphs; its place is that of any format
  config::ReadOptions config; ///< of configurations
};

struct ModelProgram {
  std::string text;
  std::vector<config::NamedModel> models; ///< its workloads: one, or several of a pipeline
  std::vector<std::string> open;          ///< what may be given and has no default
  std::vector<graph::Origin> origins;     ///< of a graph
  std::string chip; ///< that it is for, as the file says; "" where it says none
};

struct ModelFormat {
  llvm::StringLiteral name;
  /// True for a file or folder whose name says that it is one.
  bool (*claims)(llvm::StringRef path);
  /// Nothing after a report. `library` is where families are looked up.
  llvm::Optional<ModelProgram> (*read)(llvm::StringRef path, const ModelOptions &options,
                                       Program &library);
  bool namesChips = false; ///< its files may say what they run on
};

/// `name` of a workload of the library, or `name.phase` of one that has phases, as a program that
/// imports it; nothing where there is none. That it has this phase is left to what runs it.
llvm::Optional<ModelProgram> libraryModel(llvm::StringRef path, Program &library);

/// The format `name`; null where there is none.
const ModelFormat *modelFormat(llvm::StringRef name);
/// The format of the model at `path`, by its name; null where it is none.
const ModelFormat *modelFormatOf(llvm::StringRef path);

} // namespace perfc

#endif // PERFC_FRONTEND_SEMA_MODELFORMATS_H
