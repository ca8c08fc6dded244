// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/PointTable.h"

#include "backends/emit/BreakdownRows.h"
#include "tools/driver/ReportColumns.h"
#include "tools/driver/RowNames.h"
#include "llvm/Support/JSON.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using mapper::StoredRow;

/// What the sweep sets, first the names that the rows are by.
static std::vector<std::pair<std::string, ir::Attribute>>
orderedPoint(study::PointOp point, llvm::ArrayRef<std::string> by) {
  std::vector<std::pair<std::string, ir::Attribute>> entries;
  for (const std::string &name : by)
    if (const ir::Attribute *value = point.bindings().find(name))
      entries.emplace_back(name, *value);
  for (const auto &[name, value] : point.bindings().entries())
    if (!llvm::is_contained(by, name))
      entries.emplace_back(name, value);
  return entries;
}

static TableColumn textColumn(std::string title) {
  return {std::move(title), Align::Left, 16, /*wraps=*/true};
}

PointTable driver::pointTable(const api::Evaluated &evaluated, const api::Evaluation &evaluation,
                              const SourceManager &sources) {
  auto point = ir::as<study::PointOp>(*evaluated.point);
  PointTable table;
  llvm::StringRef written = sources.text(evaluated.op.range());
  table.title = written.split('{').first.split('\n').first.rtrim().str();
  std::vector<std::string> by, before;
  std::vector<ReportColumn> columns = reportColumns(evaluated, by);
  for (const auto &[name, value] : orderedPoint(point, by)) {
    table.columns.push_back({name, Align::Right, 8, /*wraps=*/false, /*stays=*/true});
    before.push_back(mapper::bindingText(value));
  }
  table.columns.push_back(textColumn("on"));
  auto parts = llvm::find_if(by, [](const std::string &rows) { return emit::isBreakdown(rows); });
  if (parts != by.end())
    table.columns.push_back(textColumn(*parts));
  for (const ReportColumn &column : columns)
    table.columns.push_back({column.title, Align::Right, 12, /*wraps=*/false,
                             /*stays=*/&column == &columns.front()});
  std::vector<std::string> labels = pointNames(evaluated.results);
  for (size_t i = 0; i < labels.size(); ++i) {
    const emit::Result &result = *evaluated.results[i];
    MetricNames names = evaluation.names(evaluated.module, &result);
    std::vector<emit::BreakdownRow> rows{{"", nullptr}};
    size_t others = 0;
    if (parts != by.end())
      if (auto found = emit::breakdownRows(result, *parts, SIZE_MAX, others))
        rows = std::move(*found);
    PointTable::Lines &lines = table.results.emplace_back();
    for (const emit::BreakdownRow &row : rows) {
      names.part = row.metric;
      std::vector<std::string> &line = lines.emplace_back(before);
      line.push_back(labels[i]);
      if (parts != by.end())
        line.push_back(row.label);
      llvm::append_range(line, cellsOf(names, columns, table.missing));
    }
  }
  return table;
}

//===-- In a file of results
//----------------------------------------------------------------------===//

void driver::keepLines(llvm::ArrayRef<StoredRow *> rows, const PointTable &table) {
  llvm::json::Array columns;
  for (const TableColumn &column : table.columns)
    columns.push_back(llvm::json::Object{{"title", column.title},
                                         {"width", static_cast<int64_t>(column.width)},
                                         {"is_text", column.align == Align::Left},
                                         {"stays", column.stays}});
  for (auto [row, ofResult] : llvm::zip(rows, table.results)) {
    llvm::json::Array lines;
    for (const std::vector<std::string> &line : ofResult)
      lines.push_back(llvm::json::Array(line));
    mapper::keep(*row, "table",
                 llvm::json::Object{{"title", table.title},
                                    {"columns", llvm::json::Array(columns)},
                                    {"lines", std::move(lines)}});
  }
}

static std::vector<TableColumn> keptColumns(const llvm::json::Object &kept) {
  std::vector<TableColumn> columns;
  if (const llvm::json::Array *list = kept.getArray("columns"))
    for (const llvm::json::Value &entry : *list)
      if (const llvm::json::Object *column = entry.getAsObject()) {
        std::string title = column->getString("title").getValueOr("").str();
        if (column->getBoolean("is_text").getValueOr(false))
          columns.push_back(textColumn(std::move(title)));
        else
          columns.push_back({std::move(title), Align::Right,
                             static_cast<unsigned>(column->getInteger("width").getValueOr(0)),
                             /*wraps=*/false, column->getBoolean("stays").getValueOr(false)});
      }
  return columns;
}

static void addKept(Table &table, const llvm::json::Object &kept, size_t width) {
  const llvm::json::Array *lines = kept.getArray("lines");
  for (const llvm::json::Value &entry : lines ? *lines : llvm::json::Array()) {
    std::vector<std::string> cells;
    for (const llvm::json::Value &cell :
         entry.getAsArray() ? *entry.getAsArray() : llvm::json::Array())
      cells.push_back(cell.getAsString().getValueOr("").str());
    cells.resize(width);
    table.addRow(std::move(cells));
  }
}

void driver::printKept(llvm::raw_ostream &out, llvm::ArrayRef<StoredRow> rows, unsigned width,
                       bool color) {
  while (!rows.empty()) {
    llvm::ArrayRef<StoredRow> sweep = rows.take_while(
        [&](const StoredRow &row) { return row.statement == rows.front().statement; });
    rows = rows.drop_front(sweep.size());
    llvm::Optional<Table> table;
    size_t columnCount = 0;
    for (const StoredRow &row : sweep) {
      llvm::Optional<llvm::json::Object> kept = mapper::keptIn(row, "table");
      if (!kept)
        continue;
      if (!table) {
        printTitle(out, kept->getString("title").getValueOr(""), "sweep, kept", color);
        std::vector<TableColumn> columns = keptColumns(*kept);
        columnCount = columns.size();
        table.emplace(std::move(columns));
      }
      addKept(*table, *kept, columnCount);
    }
    if (table)
      table->print(out, width, color);
  }
}
