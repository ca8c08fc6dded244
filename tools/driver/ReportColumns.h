// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The columns that a `report` asks for, and their cells as text.
#ifndef PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H
#define PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H

#include "api/Evaluation.h"
#include "backends/emit/BreakdownRows.h"
#include <map>

namespace perfc::driver {

using emit::BreakdownRow;
using emit::breakdownRows;
using emit::isBreakdown;

/// A column of `report`: what it is, and how it is written.
struct ReportColumn {
  ir::Attribute expr;
  std::string title;
};

std::vector<ReportColumn> columnsOf(study::ReportOp report);
ReportColumn namedColumn(llvm::StringRef metric);
/// The columns of the first `report` of the statement, and what its rows are; the usual ones
/// without a report.
std::vector<ReportColumn> reportColumns(const api::Evaluated &evaluated,
                                        std::vector<std::string> &by);

/// Why cells are empty, by the title of the column.
using MissingCells = std::map<std::string, std::string>;
/// A value for each column, or "-" with the reason in `missing`.
std::vector<std::string> cellsOf(const emit::MetricNames &names,
                                 llvm::ArrayRef<ReportColumn> columns, MissingCells &missing);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_REPORTCOLUMNS_H
