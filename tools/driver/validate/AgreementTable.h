// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agreement of predictions with references as text, and the rows as CSV.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_AGREEMENTTABLE_H
#define PERFC_TOOLS_DRIVER_VALIDATE_AGREEMENTTABLE_H

#include "api/Agreement.h"
#include "tools/driver/Session.h"

namespace perfc::driver {

/// A line per group, then what was skipped and why.
void printAgreement(Session &session, llvm::StringRef title,
                    llvm::ArrayRef<api::ValidationRow> rows);

/// One line per row and metric, below a line of titles.
std::string rowsCsv(llvm::ArrayRef<api::ValidationRow> rows);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_AGREEMENTTABLE_H
