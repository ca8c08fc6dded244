// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/ReportColumns.h"

#include "tools/driver/Report.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

std::vector<ReportColumn> driver::columnsOf(study::ReportOp report) {
  std::vector<ReportColumn> columns;
  for (study::ColumnOp column : report.columns())
    columns.push_back({column.expr(), column.title()});
  return columns;
}

ReportColumn driver::namedColumn(llvm::StringRef metric) { return {metric, metric.str()}; }

std::vector<ReportColumn> driver::reportColumns(const api::Evaluated &evaluated,
                                                std::vector<std::string> &by) {
  for (const ir::Operation &op : evaluated.op.body())
    if (auto report = ir::as<study::ReportOp>(op)) {
      by = report.by();
      return columnsOf(report);
    }
  std::vector<ReportColumn> columns;
  for (llvm::StringRef name : {"latency", "energy", "utilization", "bottleneck"})
    columns.push_back(namedColumn(name));
  return columns;
}

static std::string cellOf(const MetricNames &names, const ReportColumn &column,
                          MissingCells &missing) {
  ExpressionValue value = emit::evaluateExpression(column.expr, names);
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
    cells.push_back(cellOf(names, column, missing));
  return cells;
}
