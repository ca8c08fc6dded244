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

void Report::addRows(Table &table, const ReportTable &rows) {
  for (const ReportTable::Row &row : rows.rows) {
    std::vector<std::string> texts{row.label};
    for (const auto &[column, value] : llvm::zip(rows.columns, row.cells))
      texts.push_back(cellText(column, value, missing));
    table.addRow(std::move(texts));
  }
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

/// A row for each part, and one for those that have none.
void Report::printParts(const Evaluated &evaluated, const emit::Result &result,
                        llvm::ArrayRef<ReportColumn> columns, llvm::StringRef by) {
  size_t limit = session.isVerbose() ? SIZE_MAX : kernelLimit;
  auto parts =
      partsTable(result, evaluation.names(evaluated.module, &result), columns.vec(), by, limit);
  if (!parts)
    return;
  std::vector<TableColumn> titles{{parts->by, Align::Left}};
  for (const ReportColumn &column : columns) {
    bool isWord = column.expr.is(ir::AttrKind::String) && column.expr.asString() == "bottleneck";
    titles.push_back({column.title, isWord ? Align::Left : Align::Right});
  }
  Table table(std::move(titles));
  addRows(table, *parts);
  if (parts->others) {
    std::vector<std::string> left(columns.size() + 1);
    left[0] = fmt::format("{} others", parts->others);
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
      printParts(evaluated, *result, columns, rows);
    printTotals(*result);
    printFindings(*result);
  }
}

/// `report` at file level: first the rows of results, then figures of them; or parts of results.
void Report::printFileReport(const Evaluated &evaluated) {
  if (!evaluated.op.is(study::ReportOp::opName))
    return;
  Table results({{"", Align::Left}, {"latency"}, {"energy"}, {"util"}, {"bound", Align::Left}});
  Table figures({{"", Align::Left}, {""}});
  const emit::Result *whole = nullptr;
  for (const ReportTable &table : evaluated.tables) {
    if (table.whole && table.whole != whole)
      title(namedRow(table.whole->label, *table.whole, table.whole->point.empty(), llvm::None),
            details(table.whole->cost));
    whole = table.whole;
    if (whole)
      printParts(evaluated, *whole, table.columns, table.by);
    else if (table.rows.empty())
      results.addRow({table.name, "not supported yet", "", "", ""});
    else
      addRows(table.isOfResults ? results : figures, table);
  }
  if (whole)
    return;
  if (!results.empty())
    results.print(out, session.tableWidth(), session.colorOut);
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
  PointTable point;
  bool isNew = sweep != evaluated.point->range();
  if (isNew)
    lines = std::make_unique<PointLines>(evaluated, evaluation);
  if (!isNew && evaluated.summedFrom > 0)
    point.results = lines->of(evaluated, point.missing);
  else
    point = isNew ? lines->table(evaluated, session.sources)
                  : pointTable(evaluated, evaluation, session.sources);
  if (isNew) { // later rows have no place for why a cell of theirs is empty
    startSweep(evaluated, point);
    title(point.title, evaluated.summedFrom == 0
                           ? "sweep"
                           : fmt::format("sweep, sums of the kernels of {}",
                                         counted(evaluated.summedFrom, "point")));
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
