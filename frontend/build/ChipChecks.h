// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds of the parts of a chip as a whole, once they are built.
#ifndef PERFC_FRONTEND_BUILD_CHIPCHECKS_H
#define PERFC_FRONTEND_BUILD_CHIPCHECKS_H

#include "ir/common/Diagnostics.h"
#include "ir/core/Operation.h"

namespace perfc {

/// Reports parts that share a name, networks that lead nowhere or feed what something else feeds,
/// and warns of memories and arrays that no unit uses.
void checkChip(ir::Operation &chip, DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_CHIPCHECKS_H
