// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MAESTRO's mapping files (`.m`): constants, and networks of layers with their type, strides,
// dimensions and dataflow.
//   Constant tile 16;
//   Network n { Layer l { Type: CONV  Stride { X: 1, Y: 1 }  Dimensions { K: 64, C: 3, … }
//     Dataflow { SpatialMap(1,1) K; TemporalMap(Sz(R),1) Y; Cluster(64, P); … } } }
#ifndef PERFC_FRONTEND_IMPORT_MAESTRO_MAPPINGFILE_H
#define PERFC_FRONTEND_IMPORT_MAESTRO_MAPPINGFILE_H

#include "ir/common/Diagnostics.h"
#include "ir/loopnest/Dataflow.h"
#include "llvm/ADT/Optional.h"

namespace perfc::maestro {

/// Y and X of the layers' dimensions and directives are sizes of the input, whatever the file says:
/// `Y'` is resolved. A layer without dataflow has that of the layer before it.
struct MappingFile {
  std::string network; ///< name of the first one
  std::vector<dataflow::Layer> layers;

  /// The first layer of that name; several may have one.
  const dataflow::Layer *find(llvm::StringRef name) const;
};

/// Reads a loaded file. Each layer that is wrong is reported and left out; nothing when the file as
/// a whole is no mapping file.
llvm::Optional<MappingFile> readMappingFile(FileId file, DiagnosticEngine &diagnostics);

} // namespace perfc::maestro

#endif // PERFC_FRONTEND_IMPORT_MAESTRO_MAPPINGFILE_H
