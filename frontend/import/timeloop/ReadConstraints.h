// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a Timeloop document that narrow a search down: `mapspace`, `constraints`,
// `mapspace_constraints` and `architecture_constraints`, each a list of directives per target, and
// the `constraints` that stand in the nodes of an architecture of v0.4.
#ifndef PERFC_FRONTEND_IMPORT_TIMELOOP_READCONSTRAINTS_H
#define PERFC_FRONTEND_IMPORT_TIMELOOP_READCONSTRAINTS_H

#include "frontend/import/yaml/Document.h"
#include "ir/timeloop/Constraints.h"

namespace perfc::timeloop {

/// Nothing when a directive is wrong or says something that the search does not know (reported).
llvm::Optional<Constraints> readConstraints(const yaml::Document &document, const Input &input,
                                            DiagnosticEngine &diagnostics);

} // namespace perfc::timeloop

#endif // PERFC_FRONTEND_IMPORT_TIMELOOP_READCONSTRAINTS_H
