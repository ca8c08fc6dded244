// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network as a list of layers in YAML, the description that surveys of simulators give several
// tools alike: under `workload` a name, the size of a batch, maybe a number format and a chip, and
// the layers with their types and sizes. It becomes a workload; a layer whose input has the shape
// of what the layer before it makes reads that. Without layers it is a workload of the library.
#ifndef PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H
#define PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H

#include "frontend/import/yaml/Document.h"
#include "llvm/ADT/Optional.h"

namespace perfc::layers {

struct Program {
  std::string text;     ///< "" where the file has no layers
  std::string workload; ///< its name
  std::string format;   ///< "int8"; "" where it is not said
  std::string chip;     ///< of the library; "" where it is not said
  int64_t batch = 1;
  SourceRange place; ///< of what stands under `workload`
};

/// The program of `file`; nothing after a report. Without layers its workload goes by the name that
/// the file gives it.
llvm::Optional<Program> readProgram(FileId file, DiagnosticEngine &diagnostics);

} // namespace perfc::layers

#endif // PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H
