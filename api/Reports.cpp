// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Reports.h"

#include "api/statements/Statements.h"
#include "backends/emit/BreakdownRows.h"
#include "backends/mapper/SweepRows.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using Results = std::vector<const emit::Result *>;

std::vector<ReportColumn> api::columnsOf(study::ReportOp report) {
  std::vector<ReportColumn> columns;
  for (study::ColumnOp column : report.columns())
    columns.push_back({column.expr(), column.title()});
  return columns;
}

std::vector<ReportColumn> api::usualColumns() {
  std::vector<ReportColumn> columns;
  for (llvm::StringRef name : {"latency", "energy", "utilization", "bottleneck"})
    columns.push_back({name, name.str()});
  return columns;
}

std::string api::namedRow(llvm::StringRef name, const emit::Result &result, bool isOne,
                          llvm::ArrayRef<std::string> by) {
  ir::AttrDict point;
  for (const std::string &swept : by)
    if (const ir::Attribute *value = result.point.find(swept))
      point.set(swept, *value);
  std::string text = mapper::bindingsText(by.empty() ? result.point : point);
  if (isOne && by.empty())
    return name.str();
  return name.str() + (text.empty() ? " on " + result.on : ", " + text);
}

static ReportTable::Row rowOf(std::string label, const MetricNames &names,
                              llvm::ArrayRef<ReportColumn> columns) {
  ReportTable::Row row{std::move(label), {}};
  for (const ReportColumn &column : columns)
    row.cells.push_back(emit::evaluateExpression(column.expr, names));
  return row;
}

llvm::Optional<ReportTable> api::partsTable(const emit::Result &result, MetricNames names,
                                            std::vector<ReportColumn> columns, llvm::StringRef by,
                                            size_t limit) {
  ReportTable table;
  auto parts = emit::breakdownRows(result, by, limit, table.others);
  if (!parts)
    return llvm::None;
  table.name = namedRow(result.name, result, result.point.empty(), llvm::None);
  table.whole = &result;
  table.by = by.str();
  for (const emit::BreakdownRow &part : *parts) {
    names.part = part.metric;
    table.rows.push_back(rowOf(part.label, names, columns));
  }
  table.columns = std::move(columns);
  return table;
}

std::vector<ReportTable> api::blockTables(const Evaluation &evaluation, const Evaluated &evaluated,
                                          const emit::Result &result) {
  std::vector<ReportTable> tables;
  MetricNames names = evaluation.names(evaluated.module, &result);
  for (const ir::Operation &op : evaluated.op.body()) {
    auto report = ir::as<study::ReportOp>(op);
    if (!report)
      continue;
    std::vector<ReportColumn> columns = columnsOf(report);
    size_t before = tables.size();
    for (const std::string &by : report.by())
      if (auto table = partsTable(result, names, columns, by))
        tables.push_back(std::move(*table));
    if (tables.size() > before)
      continue;
    ReportTable &whole = tables.emplace_back();
    whole.isOfResults = true;
    whole.name = result.name;
    whole.rows.push_back(rowOf(result.label, names, columns));
    whole.columns = std::move(columns);
  }
  return tables;
}

//===-- At file level -----------------------------------------------------------------------===//

/// The result that a column names; "" of an expression.
static std::string resultNamed(const ReportColumn &column) {
  return column.expr.is(ir::AttrKind::String) ? column.expr.asString().str() : "";
}

/// The rows of a column: of each result that it names, or of the figure for each of those that it
/// is about.
static ReportTable columnTable(const Evaluation &evaluation, const Evaluated &evaluated,
                               const ReportColumn &column, llvm::ArrayRef<std::string> by) {
  MetricNames names = evaluation.names(evaluated.module, nullptr);
  std::string name = resultNamed(column);
  Results named = evaluation.named(name);
  ReportTable table;
  table.name = column.title;
  table.isOfResults =
      !named.empty() || evaluation.isUnsupported(llvm::StringRef(name).split('.').first);
  if (table.isOfResults) {
    table.columns = usualColumns();
    for (const emit::Result *result : named)
      table.rows.push_back(rowOf(namedRow(name, *result, named.size() == 1, by),
                                 evaluation.names(evaluated.module, result), table.columns));
    return table;
  }
  table.columns = {column};
  std::vector<std::string> several = emit::severalResults(column.expr, names);
  if (several.empty())
    table.rows.push_back(rowOf(column.title, names, column));
  else
    for (const emit::Result *result : evaluation.named(several.front()))
      table.rows.push_back(rowOf(namedRow(column.title, *result, false, by),
                                 emit::withOne(names, several.front(), result), column));
  return table;
}

static bool isOfParts(study::ReportOp report) {
  std::vector<std::string> by = report.by();
  return !by.empty() && emit::isBreakdown(by.front());
}

std::vector<ReportTable> api::fileTables(const Evaluation &evaluation, const Evaluated &evaluated) {
  std::vector<ReportTable> tables;
  auto report = ir::as<study::ReportOp>(evaluated.op);
  std::vector<std::string> by = report.by();
  for (const ReportColumn &column : columnsOf(report)) {
    if (!isOfParts(report)) {
      tables.push_back(columnTable(evaluation, evaluated, column, by));
      continue;
    }
    for (const emit::Result *result : evaluation.named(resultNamed(column)))
      for (const std::string &parts : by)
        if (auto table = partsTable(*result, evaluation.names(evaluated.module, result),
                                    usualColumns(), parts))
          tables.push_back(std::move(*table));
  }
  return tables;
}

/// What sweeps set of the results that the columns are about; nothing where they are about none.
static llvm::Optional<std::vector<llvm::StringRef>>
sweptNames(const Evaluation &evaluation, study::ReportOp report, const MetricNames &names) {
  llvm::Optional<std::vector<llvm::StringRef>> swept;
  for (const ReportColumn &column : columnsOf(report)) {
    std::vector<std::string> about = emit::severalResults(column.expr, names);
    about.push_back(resultNamed(column));
    for (const std::string &name : about)
      for (const emit::Result *result : evaluation.named(name)) {
        if (!swept)
          swept.emplace();
        for (const auto &[set, value] : result->point.entries())
          swept->push_back(set);
      }
  }
  return swept;
}

/// Reports rows that no result of `named` has parts for.
static void checkParts(const Evaluation &evaluation, study::ReportOp report, const Results &named) {
  for (const std::string &by : report.by())
    if (llvm::any_of(named, [&, others = size_t(0)](const emit::Result *result) mutable {
          return !emit::breakdownRows(*result, by, /*limit=*/0, others);
        }))
      evaluation.context.diagnostics.report(report->range(), diag::NotSupportedYet,
                                            "`report` by " + by);
}

static void checkFileReport(const Evaluation &evaluation, const Evaluated &evaluated,
                            study::ReportOp report) {
  DiagnosticEngine &diagnostics = evaluation.context.diagnostics;
  if (isOfParts(report)) {
    for (const ReportColumn &column : columnsOf(report)) {
      Results named = evaluation.named(resultNamed(column));
      if (named.empty())
        diagnostics.report(report->range(), diag::UnknownResult, column.title);
      checkParts(evaluation, report, named);
    }
    return;
  }
  auto swept = sweptNames(evaluation, report, evaluation.names(evaluated.module, nullptr));
  for (const std::string &by : report.by())
    if (swept && !llvm::is_contained(*swept, llvm::StringRef(by)))
      return (void)diagnostics.report(report->range(), diag::UnknownRows, by)
          .suggest(by, *swept, "rows are by what a sweep sets, or by `kernel`, `memory`, …");
}

bool api::checkReports(const Evaluation &evaluation, const Evaluated &evaluated) {
  size_t errors = evaluation.context.diagnostics.errorCount();
  if (auto report = ir::as<study::ReportOp>(evaluated.op))
    checkFileReport(evaluation, evaluated, report);
  else if (!evaluated.point && findStatementKind(evaluated.op)) // points may be by what sweeps set
    for (const ir::Operation &op : evaluated.op.body())
      if (auto report = ir::as<study::ReportOp>(op))
        checkParts(evaluation, report, evaluated.results);
  return evaluation.context.diagnostics.errorCount() == errors;
}
