// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/ReportColumns.h"

#include "tools/driver/Report.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

std::vector<ReportColumn> driver::reportColumns(const ir::Operation &statement,
                                                std::vector<std::string> &by) {
  for (const ir::Operation &op : statement.body())
    if (auto report = ir::as<study::ReportOp>(op)) {
      by = report.by();
      return columnsOf(report);
    }
  return usualColumns();
}

std::string driver::cellText(const ReportColumn &column, const ExpressionValue &value,
                             MissingCells &missing) {
  if (std::string why = emit::whyNotGiven(value); !why.empty()) {
    missing[column.title] = std::move(why);
    return "-";
  }
  bool isName = column.expr.is(ir::AttrKind::String);
  if (isName && column.expr.asString() == "utilization" && value.number &&
      value.number->toUncertain().isCertain())
    return percent(value.number->toDouble());
  return emit::describe(value);
}

std::vector<std::string> driver::cellsOf(const MetricNames &names,
                                         llvm::ArrayRef<ReportColumn> columns,
                                         MissingCells &missing) {
  std::vector<std::string> cells;
  for (const ReportColumn &column : columns)
    cells.push_back(cellText(column, emit::evaluateExpression(column.expr, names), missing));
  return cells;
}
