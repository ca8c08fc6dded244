// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns that a `report` asks for, and their cells as text.
#ifndef PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H
#define PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H

#include "api/Reports.h"
#include <map>

namespace perfc::driver {

using api::ReportColumn;

/// The columns of the first `report` of `statement`, and what its rows are; the usual ones without
/// a report.
std::vector<ReportColumn> reportColumns(const ir::Operation &statement,
                                        std::vector<std::string> &by);

/// Why cells are empty, by the title of the column.
using MissingCells = std::map<std::string, std::string>;
/// The text of a cell, or "-" with the reason in `missing`.
std::string cellText(const ReportColumn &column, const api::ExpressionValue &value,
                     MissingCells &missing);
/// The same of each column, where its names lead to.
std::vector<std::string> cellsOf(const emit::MetricNames &names,
                                 llvm::ArrayRef<ReportColumn> columns, MissingCells &missing);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H
