// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapping file of MAESTRO as a `.perf` program: the accelerator, each different dataflow once,
// and an evaluation per layer. Directives keep MAESTRO's coordinates: Y and X are windows `y` and
// `x` over the ranks of the input.
#ifndef PERFC_FRONTEND_IMPORT_MAESTRO_PERFTEXT_H
#define PERFC_FRONTEND_IMPORT_MAESTRO_PERFTEXT_H

#include "frontend/import/maestro/MappingFile.h"
#include <set>

namespace perfc::maestro {

/// The program. Evaluations named in `byModel` are `using maestro`, the others native. Layers that
/// the library has no op for are reported and left out.
std::string writePerf(const MappingFile &file, const dataflow::Hardware &hardware,
                      const std::set<std::string> &byModel, DiagnosticEngine &diagnostics);

} // namespace perfc::maestro

#endif // PERFC_FRONTEND_IMPORT_MAESTRO_PERFTEXT_H
