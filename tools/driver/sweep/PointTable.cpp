// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/sweep/PointTable.h"

#include "api/statements/Statements.h"
#include "backends/emit/BreakdownRows.h"
#include "ir/study/StudyOps.h"
#include "tools/driver/ReportColumns.h"
#include "tools/driver/RowNames.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using mapper::StoredRow;

/// What the sweep sets, first the names that the rows are by.
static std::vector<std::string> orderedNames(study::PointOp point, llvm::ArrayRef<std::string> by) {
  std::vector<std::string> names;
  for (const std::string &name : by)
    if (point.bindings().find(name))
      names.push_back(name);
  for (const auto &[name, value] : point.bindings().entries())
    if (!llvm::is_contained(by, name))
      names.push_back(name);
  return names;
}

static TableColumn textColumn(std::string title) {
  return {std::move(title), Align::Left, 16, /*wraps=*/true};
}

/// What a statement is called among others: its name, or the whole label where it has none.
static std::string labelOf(const ir::Operation &statement) {
  llvm::StringRef rest = study::resultName(statement);
  bool isMade = rest.consume_front(statement.name().split('.').second) &&
                (rest.empty() || rest.front() == '_');
  return (isMade ? statement.stringAttr("label") : study::resultName(statement)).str();
}

namespace {

/// The columns of a point's statements, which stand in one table: a row has those of its own.
struct PointColumns {
  explicit PointColumns(const ir::Operation &point) {
    for (const ir::Operation &op : point.body())
      if (findStatementKind(op))
        add(op);
  }

  void add(const ir::Operation &statement) {
    ++statementCount;
    labelWidth = std::max<unsigned>(labelWidth, displayWidth(labelOf(statement)));
    std::vector<std::string> rows;
    for (ReportColumn &column : reportColumns(statement, rows))
      if (llvm::none_of(all, [&](const ReportColumn &one) { return one.title == column.title; }))
        all.push_back(std::move(column));
    for (std::string &row : rows)
      if (!llvm::is_contained(by, row))
        by.push_back(std::move(row));
  }

  size_t statementCount = 0;
  unsigned labelWidth = 0; ///< of the longest
  std::vector<ReportColumn> all;
  std::vector<std::string> by;
};

} // namespace

/// The names that tell results of a point apart: what they run on, or of several statements what
/// each is called.
static std::vector<std::string> rowLabels(const api::Evaluated &evaluated, bool isOneOfSeveral) {
  std::vector<std::string> labels = pointNames(evaluated.results);
  if (!isOneOfSeveral)
    return labels;
  std::string name = labelOf(evaluated.op);
  for (std::string &label : labels)
    label = labels.size() > 1 ? name + " " + label : name;
  return labels;
}

struct PointLines::Columns {
  Columns(const api::Evaluated &evaluated)
      : ofPoint(*evaluated.point), isOneOfSeveral(ofPoint.statementCount > 1),
        names(orderedNames(ir::as<study::PointOp>(*evaluated.point), ofPoint.by)),
        labels(rowLabels(evaluated, isOneOfSeveral)), own(reportColumns(evaluated.op, by)) {
    auto found =
        llvm::find_if(ofPoint.by, [](const std::string &rows) { return emit::isBreakdown(rows); });
    if (found != ofPoint.by.end())
      parts = *found;
    for (const ReportColumn &column : ofPoint.all) {
      auto same =
          llvm::find_if(own, [&](const ReportColumn &one) { return one.title == column.title; });
      cells.push_back(same == own.end() ? nullptr : &*same);
    }
  }

  PointColumns ofPoint;
  bool isOneOfSeveral;
  std::vector<std::string> names, labels, by;
  std::string parts; ///< what lines are of each result; "" for one line
  std::vector<ReportColumn> own;
  std::vector<const ReportColumn *> cells; ///< of `own`; null where the statement has none
};

PointLines::PointLines(const api::Evaluated &evaluated, const api::Evaluation &evaluation)
    : evaluation(evaluation), columns(std::make_unique<Columns>(evaluated)) {}

PointLines::~PointLines() = default;

std::vector<PointTable::Lines> PointLines::of(const api::Evaluated &evaluated,
                                              MissingCells &missing) const {
  const ir::AttrDict &bindings = ir::as<study::PointOp>(*evaluated.point).bindings();
  std::vector<std::string> before;
  for (const std::string &name : columns->names)
    before.push_back(mapper::bindingText(*bindings.find(name)));
  std::vector<PointTable::Lines> results;
  for (size_t i = 0; i < columns->labels.size(); ++i) {
    const emit::Result &result = *evaluated.results[i];
    MetricNames names = evaluation.names(evaluated.module, &result);
    std::vector<emit::BreakdownRow> rows{{"", nullptr}};
    size_t others = 0;
    if (llvm::is_contained(columns->by, columns->parts))
      if (auto found = emit::breakdownRows(result, columns->parts, SIZE_MAX, others))
        rows = std::move(*found);
    PointTable::Lines &lines = results.emplace_back();
    for (const emit::BreakdownRow &row : rows) {
      names.part = row.metric;
      std::vector<std::string> &line = lines.emplace_back(before);
      line.push_back(columns->labels[i]);
      if (!columns->parts.empty())
        line.push_back(row.label);
      for (const ReportColumn *column : columns->cells)
        line.push_back(
            column ? cellText(*column, emit::evaluateExpression(column->expr, names), missing)
                   : "");
    }
  }
  return results;
}

PointTable PointLines::table(const api::Evaluated &evaluated, const SourceManager &sources) const {
  PointTable table;
  llvm::StringRef written =
      sources.text(columns->isOneOfSeveral ? evaluated.point->range() : evaluated.op.range());
  table.title = written.split('{').first.split('\n').first.rtrim().str();
  for (const std::string &name : columns->names)
    table.columns.push_back({name, Align::Right, 8, /*wraps=*/false, /*stays=*/true});
  table.columns.push_back(textColumn(columns->isOneOfSeveral ? "result" : "on"));
  if (columns->isOneOfSeveral) // as later rows stand below earlier ones
    table.columns.back().width = std::max(table.columns.back().width, columns->ofPoint.labelWidth);
  if (!columns->parts.empty())
    table.columns.push_back(textColumn(columns->parts));
  for (const ReportColumn &column : columns->ofPoint.all)
    table.columns.push_back({column.title, Align::Right, 12, /*wraps=*/false,
                             /*stays=*/&column == &columns->ofPoint.all.front()});
  table.results = of(evaluated, table.missing);
  return table;
}

PointTable driver::pointTable(const api::Evaluated &evaluated, const api::Evaluation &evaluation,
                              const SourceManager &sources) {
  return PointLines(evaluated, evaluation).table(evaluated, sources);
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
