// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `report` asks for: rows of results and of their parts, at file level and for the points of a
// sweep.
#include "api/statements/Statements.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Files.h"
#include "tools/driver/Report.h"

#include "ir/common/diagnostics/Clauses.h"
#include "tools/driver/RowNames.h"
#include "tools/driver/sweep/PointTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

std::vector<std::string> Report::cells(const MetricNames &names,
                                       llvm::ArrayRef<ReportColumn> columns,
                                       std::vector<std::string> before) {
  llvm::append_range(before, cellsOf(names, columns, missing));
  return before;
}

/// Why the table that was printed has cells without a value.
void Report::printMissing() {
  for (const auto &[title, why] : missing)
    out << "  note: " << title << " has no value where there is `-`: " << why << '\n';
  missing.clear();
}

void Report::printResultRows(const Evaluated &evaluated, llvm::ArrayRef<ReportColumn> columns) {
  const StatementKind *kind = findStatementKind(evaluated.op);
  bool isSearch = kind && kind->isSearch;
  const emit::Result &first = *evaluated.results.front();
  if (isSearch)
    title(first.label, details(first.cost));
  std::vector<TableColumn> titles{{"result", Align::Left}};
  for (const ReportColumn &column : columns)
    titles.push_back({column.title});
  Table table(std::move(titles));
  for (const emit::Result *result : evaluated.results)
    table.addRow(cells(evaluation.names(evaluated.module, result), columns, {result->label}));
  table.print(out, session.tableWidth(), session.colorOut);
  printMissing();
  if (isSearch)
    printFindings(first);
  else if (evaluated.results.size() > 1)
    for (const emit::Result *result : evaluated.results)
      printExpectations(*result, result->label);
}

void Report::printBreakdown(const Evaluated &evaluated, study::ReportOp report,
                            const emit::Result &result, llvm::ArrayRef<ReportColumn> columns,
                            llvm::StringRef rows) {
  size_t others = 0, limit = session.isVerbose() ? SIZE_MAX : kernelLimit;
  llvm::Optional<std::vector<BreakdownRow>> lines = breakdownRows(result, rows, limit, others);
  if (!lines) {
    session.diagnostics.report(report->range(), diag::NotSupportedYet, "`report` by " + rows.str());
    return;
  }
  std::vector<TableColumn> titles{{rows.str(), Align::Left}};
  for (const ReportColumn &column : columns) {
    bool isWord = column.expr.is(ir::AttrKind::String) && column.expr.asString() == "bottleneck";
    titles.push_back({column.title, isWord ? Align::Left : Align::Right});
  }
  Table table(std::move(titles));
  MetricNames names = evaluation.names(evaluated.module, &result);
  for (const BreakdownRow &line : *lines) {
    names.part = line.metric;
    table.addRow(cells(names, columns, {line.label}));
  }
  if (others) {
    std::vector<std::string> left(columns.size() + 1);
    left[0] = fmt::format("{} others", others);
    table.addRow(std::move(left));
  }
  table.print(out, session.tableWidth(), session.colorOut);
  printMissing();
}

void Report::printReport(const Evaluated &evaluated, study::ReportOp report) {
  std::vector<ReportColumn> columns = columnsOf(report);
  std::vector<std::string> by = report.by();
  if (by.empty())
    return printResultRows(evaluated, columns);
  for (const emit::Result *result : evaluated.results) {
    title(result->label, details(result->cost));
    for (const std::string &rows : by)
      printBreakdown(evaluated, report, *result, columns, rows);
    printTotals(*result);
    printFindings(*result);
  }
}

/// `report e by kernel` at file level: the parts of each named result.
void Report::printFileBreakdown(const Evaluated &evaluated, study::ReportOp report,
                                llvm::ArrayRef<ReportColumn> columns) {
  for (const ReportColumn &column : columnsOf(report)) {
    std::string name = column.expr.is(ir::AttrKind::String) ? column.expr.asString().str() : "";
    std::vector<const emit::Result *> named = evaluation.named(name);
    if (named.empty())
      session.diagnostics.report(report->range(), diag::UnknownResult, column.title);
    for (const emit::Result *result : named) {
      title(namedRow(result->label, *result, result->point.empty(), llvm::None),
            details(result->cost));
      for (const std::string &rows : report.by())
        printBreakdown(evaluated, report, *result, columns, rows);
    }
  }
}

/// Whether what the report at file level is by is set by a sweep of one of its results; false after
/// a report.
bool Report::checkRows(study::ReportOp report, const MetricNames &names) {
  std::vector<llvm::StringRef> known;
  bool hasResults = false;
  for (const ReportColumn &column : columnsOf(report)) {
    std::vector<std::string> about = emit::severalResults(column.expr, names);
    if (column.expr.is(ir::AttrKind::String))
      about.push_back(column.expr.asString().str());
    for (const std::string &name : about)
      for (const emit::Result *result : evaluation.named(name)) {
        hasResults = true;
        for (const auto &[set, value] : result->point.entries())
          known.push_back(set);
      }
  }
  for (const std::string &rows : report.by())
    if (hasResults && !llvm::is_contained(known, llvm::StringRef(rows))) {
      session.diagnostics.report(report->range(), diag::UnknownRows, rows)
          .suggest(rows, known, "rows are by what a sweep sets, or by `kernel`, `memory`, …");
      return false;
    }
  return true;
}

/// `report` at file level: rows are named results and figures of them.
void Report::printFileReport(const Evaluated &evaluated) {
  auto report = ir::as<study::ReportOp>(evaluated.op);
  if (!report)
    return;
  Table table({{"", Align::Left}, {"latency"}, {"energy"}, {"util"}, {"bound", Align::Left}});
  Table figures({{"", Align::Left}, {""}});
  std::vector<ReportColumn> standard;
  for (llvm::StringRef name : {"latency", "energy", "utilization", "bottleneck"})
    standard.push_back(namedColumn(name));
  MetricNames names = evaluation.names(evaluated.module, nullptr);
  std::vector<std::string> by = report.by();
  if (!by.empty() && isBreakdown(by.front()))
    return printFileBreakdown(evaluated, report, standard);
  if (!checkRows(report, names))
    return;
  for (const ReportColumn &column : columnsOf(report)) {
    bool isResult = column.expr.is(ir::AttrKind::String);
    std::vector<std::string> several = emit::severalResults(column.expr, names);
    std::string name = isResult ? column.expr.asString().str() : "";
    std::vector<const emit::Result *> named = evaluation.named(name);
    if (evaluation.isUnsupported(llvm::StringRef(name).split('.').first)) {
      table.addRow({name, "not supported yet", "", "", ""});
    } else if (!named.empty()) {
      for (const emit::Result *result : named)
        table.addRow(cells(evaluation.names(evaluated.module, result), standard,
                           {namedRow(name, *result, named.size() == 1, by)}));
    } else if (several.empty()) {
      figures.addRow(cells(names, column, {column.title}));
    } else {
      for (const emit::Result *result : evaluation.named(several.front())) {
        figures.addRow(cells(emit::withOne(names, several.front(), result), column,
                             {namedRow(column.title, *result, false, by)}));
      }
    }
  }
  if (!table.empty())
    table.print(out, session.tableWidth(), session.colorOut);
  figures.print(out, session.tableWidth(), session.colorOut, /*titles=*/false);
  printMissing();
  out << '\n';
}

/// True for the first point of a sweep, which decides about the columns.
bool Report::startSweep(const Evaluated &evaluated, const PointTable &table) {
  if (sweep == evaluated.point->range())
    return false;
  sweep = evaluated.point->range();
  sweepColumns = table.columns;
  return true;
}

void Report::goOnWith(const Evaluated &point) {
  startSweep(point, pointTable(point, evaluation, session.sources));
}

/// One row per result of the point, or per part of it; the titles come with the first point of a
/// sweep.
void Report::printPoint(const Evaluated &evaluated) {
  PointTable point = pointTable(evaluated, evaluation, session.sources);
  bool isNew = startSweep(evaluated, point);
  if (isNew) { // later rows have no place for why a cell of theirs is empty
    title(point.title, "sweep");
    missing = std::move(point.missing);
    printMissing();
  }
  // Later rows stand below the figures of earlier ones.
  for (const PointTable::Lines &lines : point.results)
    for (const std::vector<std::string> &line : lines)
      for (auto [column, cell] : llvm::zip(sweepColumns, line))
        if (column.align == Align::Right)
          column.width = std::max<unsigned>(column.width, displayWidth(cell));
  Table table(sweepColumns);
  for (PointTable::Lines &lines : point.results)
    for (std::vector<std::string> &line : lines) {
      line.resize(sweepColumns.size());
      table.addRow(std::move(line));
    }
  table.print(out, session.tableWidth(), session.colorOut, isNew);
  sweepColumns = table.shape();
  out.flush();
}
