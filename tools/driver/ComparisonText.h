// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What makes two results differ, as tables.
#ifndef PERFC_TOOLS_DRIVER_COMPARISONTEXT_H
#define PERFC_TOOLS_DRIVER_COMPARISONTEXT_H

#include "api/Comparison.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// In a session without -v those changes that are largest.
void printComparison(Session &session, llvm::raw_ostream &out, const api::Comparison &comparison);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_COMPARISONTEXT_H
