// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MAESTRO's hardware files: pairs of a property and a number,
//   num_pes: 256  l1_size_cstr: 100  l2_size_cstr: 3000  noc_bw_cstr: 1000  offchip_bw_cstr: 50
#ifndef PERFC_FRONTEND_IMPORT_MAESTRO_HARDWAREFILE_H
#define PERFC_FRONTEND_IMPORT_MAESTRO_HARDWAREFILE_H

#include "ir/common/Diagnostics.h"
#include "ir/loopnest/Dataflow.h"

namespace perfc::maestro {

/// Reads a loaded file; what it does not give keeps its default. Nothing when something is wrong
/// (reported).
llvm::Optional<dataflow::Hardware> readHardwareFile(FileId file, DiagnosticEngine &diagnostics);

} // namespace perfc::maestro

#endif // PERFC_FRONTEND_IMPORT_MAESTRO_HARDWAREFILE_H
