// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MeasuredTable.h"

#include "frontend/build/FileBeside.h"
#include "ir/common/JsonText.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/Files.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cmath>

using namespace perfc;

/// A title as a name of the language: what no name may have is `_`.
static std::string columnName(llvm::StringRef title) {
  std::string name = title.empty() || llvm::isDigit(title.front()) ? "_" : "";
  for (char each : title)
    name += llvm::isAlnum(each) ? each : '_';
  return name;
}

static Value cellValue(llvm::StringRef text) {
  llvm::StringRef digits = text, bad;
  bool isNegative = digits.consume_front("-");
  bool mayBeNumber = !digits.empty() && llvm::isDigit(digits.front()) &&
                     digits.find_first_not_of("0123456789.eE+-") == llvm::StringRef::npos;
  llvm::Optional<Quantity> number = mayBeNumber ? parseNumber(digits, bad) : llvm::None;
  if (!number)
    return text.str();
  QuantityError error;
  return isNegative ? *apply("-", Quantity(0), *number, error) : *number;
}

static bool isText(llvm::StringRef cell) { return cellValue(cell).is<std::string>(); }

/// "nan", "-inf", "1e999": what programs write where there is no number. "inf" is a word, such as
/// that of requests that come all at once.
static bool isNoNumber(llvm::StringRef cell) {
  std::string lower = cell.lower();
  double value = 0;
  return lower != "inf" && lower != "infinity" && !llvm::StringRef(lower).getAsDouble(value) &&
         !std::isfinite(value);
}

/// Reports such cells in columns that have numbers, where they would pass for texts; false where
/// there are any.
static bool checkNumbers(const LocatedCsv &csv, DiagnosticEngine &diagnostics) {
  bool good = true;
  for (size_t column = 0; column < csv.titles().size(); ++column) {
    auto cells = llvm::make_filter_range(
        csv.rows(), [=](const CsvRow &row) { return column < row.cells.size(); });
    bool hasNumbers =
        llvm::any_of(cells, [=](const CsvRow &row) { return !isText(row.cells[column].text); });
    for (const CsvRow &row : cells) {
      const CsvCell &cell = row.cells[column];
      if (!hasNumbers || !isNoNumber(cell.text))
        continue;
      diagnostics.report(cell.place, diag::BadCsv, fmt::format("`{}` is no number", cell.text))
          .help("a cell is empty where nothing was measured");
      good = false;
    }
  }
  return good;
}

/// `fields` and the number of the row.
static Value numbered(Value::Record fields, size_t index, SourceRange place) {
  if (!findArgument(fields.fields, "number"))
    fields.fields.push_back(
        makeArgument("number", Quantity(Rational(static_cast<int64_t>(index) + 1)), place));
  return fields;
}

using Columns = std::vector<MeasuredTable::Column>;

static std::vector<MeasuredRow> csvRows(const LocatedCsv &csv, Columns &titles) {
  std::vector<std::string> columns;
  for (const CsvCell &title : csv.titles()) {
    columns.push_back(columnName(title.text));
    titles.push_back({title.text, columns.back()});
  }
  std::vector<MeasuredRow> rows;
  for (const CsvRow &line : csv.rows()) {
    Value::Record record;
    for (auto [column, cell] : llvm::zip(columns, line.cells))
      record.fields.push_back(makeArgument(column, cellValue(cell.text), cell.place));
    std::string mistake;
    if (line.cells.size() != columns.size())
      mistake = fmt::format("the line has {}, not {}", counted(line.cells.size(), "cell"),
                            columns.size());
    rows.push_back({numbered(std::move(record), rows.size(), line.place), line.place, mistake});
  }
  return rows;
}

static Value jsonValue(const llvm::json::Value &value, SourceRange place) {
  if (const llvm::json::Object *object = value.getAsObject()) {
    std::vector<llvm::StringRef> keys; // in an order that is the same everywhere
    for (const auto &entry : *object)
      keys.push_back(entry.first);
    llvm::sort(keys);
    Value::Record record;
    for (llvm::StringRef key : keys)
      record.fields.push_back(
          makeArgument(columnName(key), jsonValue(*object->get(key), place), place));
    return record;
  }
  if (const llvm::json::Array *array = value.getAsArray()) {
    Value::List list;
    for (const llvm::json::Value &each : *array)
      list.values.push_back(jsonValue(each, place));
    return list;
  }
  if (llvm::Optional<bool> truth = value.getAsBoolean())
    return *truth;
  if (llvm::Optional<int64_t> whole = value.getAsInteger())
    return Quantity(Rational(*whole));
  if (llvm::Optional<double> real = value.getAsNumber())
    return cellValue(fmt::format("{}", *real));
  return value.getAsString().getValueOr("").str();
}

/// The only member of a document whose own members are all objects, as a list of these, each with
/// its name as `key`; nothing for none, or several.
static llvm::Optional<llvm::json::Array> listOfNamed(const llvm::json::Value &document) {
  const llvm::json::Object *found = nullptr, *object = document.getAsObject();
  if (!object)
    return llvm::None;
  for (const auto &entry : *object) {
    const llvm::json::Object *inner = entry.second.getAsObject();
    if (!inner || inner->empty() || llvm::any_of(*inner, [](const auto &member) {
          return member.second.getAsObject() == nullptr;
        }))
      continue;
    if (found)
      return llvm::None;
    found = inner;
  }
  if (!found)
    return llvm::None;
  // In an order that is the same everywhere.
  std::map<std::string, const llvm::json::Object *> byName;
  for (const auto &entry : *found)
    byName.emplace(llvm::StringRef(entry.first).str(), entry.second.getAsObject());
  llvm::json::Array list;
  for (const auto &[name, members] : byName) {
    llvm::json::Object row = *members;
    row["key"] = name;
    list.push_back(std::move(row));
  }
  return list;
}

/// The list of objects that a document is, or that one of its members is; null for none.
static const llvm::json::Array *listOfRows(const llvm::json::Value &document) {
  auto isList = [](const llvm::json::Array *list) {
    return list && !list->empty() && llvm::all_of(*list, [](const llvm::json::Value &row) {
             return row.getAsObject() != nullptr;
           });
  };
  if (const llvm::json::Array *list = document.getAsArray())
    return isList(list) ? list : nullptr;
  const llvm::json::Array *found = nullptr;
  if (const llvm::json::Object *object = document.getAsObject())
    for (const auto &entry : *object)
      if (const llvm::json::Array *list = entry.second.getAsArray(); isList(list)) {
        if (found)
          return nullptr; // which one is meant?
        found = list;
      }
  return found;
}

static std::vector<MeasuredRow> jsonRows(const SourceManager &sources, FileId file,
                                         DiagnosticEngine &diagnostics, Columns &titles) {
  JsonProblem problem;
  llvm::Optional<llvm::json::Value> document = parseJson(sources.text(file), problem);
  const llvm::json::Array *list = document ? listOfRows(*document) : nullptr;
  llvm::Optional<llvm::json::Array> named;
  if (document && !list)
    named = listOfNamed(*document);
  if (named)
    list = named.getPointer();
  std::vector<MeasuredRow> rows;
  SourceRange place{file, problem.byte, problem.byte};
  if (!list)
    diagnostics.report(place, diag::BadCsv,
                       document ? "it needs one list of objects" : problem.reason);
  else
    for (const llvm::json::Value &row : *list) {
      Value value = jsonValue(row, place);
      if (rows.empty())
        for (const Argument &field : value.get<Value::Record>().fields)
          titles.push_back({field.name, field.name});
      rows.push_back({numbered(value.get<Value::Record>(), rows.size(), place), place, ""});
    }
  return rows;
}

/// The parameter of the file that names the table; null for a path that stands in the statement.
static const Decl *parameterOf(Program &program, const ast::Expr &path, const Scope &scope) {
  bool isName = path.kind == ast::ExprKind::Name && !scope.find(path.text);
  const Decl *decl = isName ? program.lookup(scope.file(), path.text).decl : nullptr;
  return decl && decl->kind == DeclKind::Param ? decl : nullptr;
}

/// The file that `path`, worth `written`, leads to; 0 after a report. What a parameter was set to
/// from outside counts from there.
static FileId loadTable(Evaluator &evaluator, const ast::Expr &path, std::string written,
                        const Scope &scope) {
  const Decl *parameter = parameterOf(evaluator.program, path, scope);
  const ast::Expr *given = parameter ? evaluator.program.overrideOf(parameter) : nullptr;
  SourceManager &sources = evaluator.program.sourceManager();
  SourceRange place = given ? given->range : path.range;
  if (given && llvm::sys::fs::is_directory(pathBeside(sources, place.file, written))) {
    Value byDefault = evaluator.evaluate(*parameter->value, Scope(*parameter->module));
    llvm::SmallString<128> inFolder(written);
    if (const std::string *name = byDefault.getIf<std::string>())
      llvm::sys::path::append(inFolder, *name);
    written = inFolder.str().str();
  }
  return loadBeside(sources, place, written, evaluator.diagnostics);
}

/// The lines of `file`, and its columns; none after a report.
static std::vector<MeasuredRow> linesOf(Evaluator &evaluator, FileId file, Columns &columns) {
  const SourceManager &sources = evaluator.program.sourceManager();
  DiagnosticEngine &diagnostics = evaluator.diagnostics;
  if (sources.path(file).endswith(".json"))
    return jsonRows(sources, file, diagnostics, columns);
  auto csv = LocatedCsv::read(sources, file, diagnostics);
  if (!csv || !checkNumbers(*csv, diagnostics))
    return {};
  std::vector<MeasuredRow> rows = csvRows(*csv, columns);
  if (rows.empty())
    diagnostics.report({file, 0, 0}, diag::BadCsv, "it needs a line of titles and rows");
  return rows;
}

/// The two sides of `name in "path"`; null for another argument.
static const ast::Expr *namedTable(const ast::Arg &arg) {
  const ast::Expr *in = arg.value;
  bool isPair = in->kind == ast::ExprKind::Binary && in->text == "in" &&
                in->operands[0]->kind == ast::ExprKind::Name && arg.assign.empty();
  return isPair ? in : nullptr;
}

/// The path that `place` is; null after a report, or where it is not known yet.
static llvm::Optional<std::string> pathOf(Evaluator &evaluator, const ast::Expr &place,
                                          const Scope &scope) {
  Value path = evaluator.evaluate(place, scope);
  if (const std::string *written = path.getIf<std::string>())
    return *written;
  if (!path.isUnknown())
    evaluator.diagnostics.report(place.range, diag::BadTableStatement,
                                 "the path of a table, not " + path.describe());
  return llvm::None;
}

static std::string textOf(const Value &record, llvm::StringRef column) {
  const Value *cell = findArgument(record.get<Value::Record>().fields, column);
  return cell ? cell->text() : "";
}

Value MeasuredTable::partsOf(const MeasuredRow &line) const {
  auto found = parts.find(textOf(line.record, partsColumn));
  return found == parts.end() ? Value(Value::List()) : found->second;
}

Value MeasuredTable::cellOf(size_t row) const {
  const MeasuredRow &line = lineOf(row);
  const Column &column = columns[row % columns.size()];
  const Argument *cell = findNamed(line.record.get<Value::Record>().fields, column.name);
  Value::Record record;
  record.fields.push_back(makeArgument("column", column.title, line.place));
  record.fields.push_back(makeArgument("cell", cell ? *cell->value : Value(std::string()),
                                       cell ? cell->range : line.place));
  return record;
}

/// Keeps the columns whose titles have a form such as "*_ms"; false after a report.
static bool chooseColumns(Evaluator &evaluator, const ast::Expr &in, llvm::StringRef form,
                          MeasuredTable &table) {
  auto [head, tail] = form.split('*');
  Columns chosen;
  for (const MeasuredTable::Column &column : table.columns) {
    llvm::StringRef title = column.title;
    if (title.consume_front(head) && title.consume_back(tail))
      chosen.push_back({title.str(), column.name});
  }
  table.columns = std::move(chosen);
  table.columnName = in.operands[0]->text;
  if (table.columns.empty())
    evaluator.diagnostics.report(in.operands[1]->range, diag::BadTableStatement,
                                 fmt::format("a table with columns `{}`", form.str()));
  return !table.columns.empty();
}

/// Reads what stands behind the table: columns of it, or a second table in the folder of the first
/// one; false after a report.
static bool readParts(Evaluator &evaluator, const ast::Item &statement, FileId first,
                      const Scope &scope, MeasuredTable &table) {
  const ast::Expr *in = namedTable(statement.args[1]);
  const ast::Expr *column = nullptr;
  for (const ast::Clause &clause : statement.clauses)
    if (clause.word == "by" && clause.args.size() == 1 &&
        clause.args[0].value->kind == ast::ExprKind::Name)
      column = clause.args[0].value;
  auto written = in ? pathOf(evaluator, *in->operands[1], scope) : llvm::None;
  if (written && !column && llvm::StringRef(*written).contains('*'))
    return chooseColumns(evaluator, *in, *written, table);
  if (!in || !column) {
    evaluator.diagnostics.report(statement.range, diag::BadTableStatement,
                                 "of a second table a name and the column that both have: "
                                 "`validate row in table, layers in \"layers.csv\" by model`");
    return false;
  }
  SourceManager &sources = evaluator.program.sourceManager();
  std::string path = written ? pathBeside(sources, first, *written) : "", error;
  FileId file = written ? sources.find(path) : 0;
  if (written && !file)
    file = sources.load(path, error);
  if (!file) {
    if (written)
      evaluator.diagnostics.report(in->operands[1]->range, diag::CannotRead, path, error);
    return false;
  }
  table.partsName = in->operands[0]->text;
  table.partsColumn = column->text.str();
  std::map<std::string, Value::List> lists;
  Columns columns;
  for (MeasuredRow &row : linesOf(evaluator, file, columns))
    lists[textOf(row.record, table.partsColumn)].values.push_back(std::move(row.record));
  for (auto &[cell, list] : lists)
    table.parts.emplace(cell, std::move(list));
  return true;
}

llvm::Optional<MeasuredTable> perfc::readTable(Evaluator &evaluator, const ast::Item &statement,
                                               const Scope &scope) {
  DiagnosticEngine &diagnostics = evaluator.diagnostics;
  const ast::Expr *in = statement.args.empty() ? nullptr : namedTable(statement.args[0]);
  if (!in || statement.args.size() > 2 || !statement.block) {
    diagnostics.report(statement.range, diag::BadTableStatement,
                       "a name, a table and a block: `validate row in \"runs.csv\" { … }`");
    return llvm::None;
  }
  const ast::Expr &place = *in->operands[1];
  auto written = pathOf(evaluator, place, scope);
  FileId file = written ? loadTable(evaluator, place, *written, scope) : 0;
  if (!file)
    return llvm::None;
  MeasuredTable table;
  table.path = *written;
  table.lineName = in->operands[0]->text;
  table.lines = linesOf(evaluator, file, table.columns);
  if (statement.args.size() > 1 && !readParts(evaluator, statement, file, scope, table))
    return llvm::None;
  return table.lines.empty() ? llvm::None : llvm::Optional<MeasuredTable>(std::move(table));
}
