// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network as a list of layers in YAML, the description that surveys of simulators give several
// tools alike: under `workload` a name, the size of a batch, maybe a number format and a chip, and
// the layers with their types and sizes. It becomes a workload; a layer whose input has the shape
// of what the layer before it makes reads that.
#ifndef PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H
#define PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H

#include "frontend/import/yaml/Document.h"
#include "llvm/ADT/Optional.h"

namespace perfc::layers {

struct Program {
  std::string text;
  std::string workload; ///< its name
  std::string format;   ///< "int8"; "" where it is not said
  std::string chip;     ///< of the library; "" where it is not said
};

/// The program of `file`; nothing after a report.
llvm::Optional<Program> readProgram(FileId file, DiagnosticEngine &diagnostics);

} // namespace perfc::layers

#endif // PERFC_FRONTEND_IMPORT_LAYERS_LAYERS_H
