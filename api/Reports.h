// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables that `report` asks for, and what it names in vain.
#ifndef PERFC_API_REPORTS_H
#define PERFC_API_REPORTS_H

#include "api/Evaluation.h"
#include "api/ReportTable.h"

namespace perfc::api {

std::vector<ReportColumn> columnsOf(study::ReportOp report);
/// Latency, energy, utilization and bottleneck: of a result that no column is asked of.
std::vector<ReportColumn> usualColumns();

/// The parts of `result`, the `limit` longest of them; nothing where rows are never by `by`.
llvm::Optional<ReportTable> partsTable(const emit::Result &result, MetricNames names,
                                       std::vector<ReportColumn> columns, llvm::StringRef by,
                                       size_t limit = SIZE_MAX);
/// What `report` in the block of a statement asks for of one of its results.
std::vector<ReportTable> blockTables(const Evaluation &evaluation, const Evaluated &evaluated,
                                     const emit::Result &result);
/// What `report` at file level asks for, a table for each of its columns, or for the parts of each
/// result that it names; none for a name that no result has. A result that is not supported yet has
/// no rows.
std::vector<ReportTable> fileTables(const Evaluation &evaluation, const Evaluated &evaluated);
/// Reports what `report` names in vain, at file level or in the block of a statement. False after a
/// report.
bool checkReports(const Evaluation &evaluation, const Evaluated &evaluated);

/// What tells the results of one name apart, "e, b = 64", "d on h100_sxm": the values of the names
/// in `by`, or of all that are swept. The name alone for the only one.
std::string namedRow(llvm::StringRef name, const emit::Result &result, bool isOne,
                     llvm::ArrayRef<std::string> by);

} // namespace perfc::api

#endif // PERFC_API_REPORTS_H
