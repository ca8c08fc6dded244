// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an op or a workload computes or is given, and nothing uses.
#ifndef PERFC_FRONTEND_BUILD_UNUSED_H
#define PERFC_FRONTEND_BUILD_UNUSED_H

#include "frontend/build/BuildContext.h"

namespace perfc {

/// Takes out statements of an op that no result depends on.
void dropUnused(std::vector<OpStatement> &statements,
                llvm::function_ref<bool(llvm::StringRef tensor)> isResult);

/// Takes out of the body of an op.graph what no result of it depends on, and warns of each name
/// that held some of it. Collectives and updates of caches stay: they do more than their results.
void dropUnused(BuildContext &context, ir::Region &graph);

/// Warns, once for a declaration, of arguments that nothing reads and, in an op, of tensors that
/// nothing uses. An argument which alone has some extent is used for its shape.
void warnUnused(const Decl &decl, DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_UNUSED_H
