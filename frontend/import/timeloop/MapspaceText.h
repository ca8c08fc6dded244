// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a mapspace that leaves open what the constraints of an input leave open.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_MAPSPACETEXT_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_MAPSPACETEXT_H

#include "ir/common/Diagnostics.h"
#include "ir/timeloop/Constraints.h"

namespace perfc::timeloop {

/// `indices` are the names of the dimensions, `arrays` those of the arrays below the memories, ""
/// where there is none. Nothing when the language cannot say it (PERF1007): an order of some loops,
/// or factors of a plane whose axes have no dimensions of their own.
llvm::Optional<std::vector<std::string>> mapspaceLines(const Input &input,
                                                       const Constraints &constraints,
                                                       llvm::ArrayRef<std::string> indices,
                                                       llvm::ArrayRef<std::string> arrays,
                                                       DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_MAPSPACETEXT_H
