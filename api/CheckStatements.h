// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistakes of statements that can be known without evaluating them: names, units, shapes, and, by
// lowering to loop nests, mappings that do not fit.
#ifndef PERFC_API_CHECKSTATEMENTS_H
#define PERFC_API_CHECKSTATEMENTS_H

#include "frontend/build/Compilation.h"

namespace perfc::api {

/// Reports what is wrong with the statements of a program that is loaded; of each sweep with its
/// first points.
void checkStatements(Compilation &program, DiagnosticEngine &diagnostics);

} // namespace perfc::api

#endif // PERFC_API_CHECKSTATEMENTS_H
