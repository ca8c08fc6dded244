// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `validate row in "runs.csv" { … }`: each row of a table of measurements is a point, where `row`
// is a record of its cells. A row that cannot be built is skipped and says why.
#include "frontend/build/Compilation.h"

#include "frontend/build/FileBeside.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/sema/Elaborator.h"
#include "ir/common/FirstError.h"
#include "ir/common/LocatedCsv.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

namespace {

struct Table {
  std::string path;                 ///< as written
  llvm::StringRef rowName;          ///< what each row is called in the block
  LocatedCsv csv;                   ///< has rows
  std::vector<std::string> columns; ///< the titles as names
};

} // namespace

/// A title as a name of the language: what no name may have is `_`.
static std::string columnName(llvm::StringRef title) {
  std::string name = title.empty() || llvm::isDigit(title.front()) ? "_" : "";
  for (char each : title)
    name += llvm::isAlnum(each) ? each : '_';
  return name;
}

/// A number without a unit is one, everything else a string.
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

/// The table that the statement names; nothing after a report.
static llvm::Optional<Table> readTable(Evaluator &evaluator, const ast::Item &item,
                                       const Scope &scope) {
  DiagnosticEngine &diagnostics = evaluator.diagnostics;
  const ast::Expr *in = item.args.size() == 1 ? item.args[0].value : nullptr;
  bool isPair = in && in->kind == ast::ExprKind::Binary && in->text == "in" &&
                in->operands[0]->kind == ast::ExprKind::Name && item.args[0].assign.empty();
  if (!isPair || !item.block) {
    diagnostics.report(item.range, diag::BadTableStatement,
                       "a name, a table and a block: `validate row in \"runs.csv\" { … }`");
    return llvm::None;
  }
  const ast::Expr &place = *in->operands[1];
  Value path = evaluator.evaluate(place, scope);
  const std::string *written = path.getIf<std::string>();
  if (!written) {
    if (!path.isUnknown())
      diagnostics.report(place.range, diag::BadTableStatement,
                         "the path of a table, not " + path.describe());
    return llvm::None;
  }
  SourceManager &sources = evaluator.program.sourceManager();
  FileId file = loadBeside(sources, place.range, *written, diagnostics);
  auto csv = file ? LocatedCsv::read(sources, file, diagnostics) : llvm::None;
  if (!csv)
    return llvm::None;
  if (csv->rows().empty()) {
    diagnostics.report({file, 0, 0}, diag::BadCsv, "it needs a line of titles and rows");
    return llvm::None;
  }
  Table table{*written, in->operands[0]->text, std::move(*csv), {}};
  for (const CsvCell &title : table.csv.titles())
    table.columns.push_back(columnName(title.text));
  return table;
}

/// The point of a row without a statement, with what can be said of its measurements.
void Compilation::skippedRow(const ast::Item &item, const Scope &scope, const ir::AttrDict &about,
                             ir::Module &module) {
  size_t first = diagnostics.all().size();
  Elaborator elaborator(evaluator);
  BuildContext context(elaborator, module, registry);
  ir::Operation *op = context.builder.create(module.body(), "study.point", item.range);
  for (const auto &[name, value] : about.entries())
    op->setAttr(name, value);
  StudyBuilder builder(context, op->body());
  Node nothing;
  elaborator.body(*item.block, BlockKind::Validate, elaborator.newScope(scope), nothing,
                  [&](const ast::Item &entry, const Scope &inner) {
                    if (entry.word == "against")
                      if (Node *node = elaborator.statement(entry, BlockKind::Validate, inner))
                        builder.against(*node, op->body());
                    return true;
                  });
  diagnostics.truncate(first);
}

/// A record of the cells, each by the name of its column.
static Value recordOf(const Table &table, const CsvRow &row) {
  Value::Record record;
  for (auto [column, cell] : llvm::zip(table.columns, row.cells))
    record.fields.push_back(makeArgument(column, cellValue(cell.text), cell.place));
  return record;
}

bool Compilation::table(const ast::Item &item, const Scope &scope, Units &units) {
  llvm::Optional<Table> table = readTable(evaluator, item, scope);
  if (!table)
    return false;
  llvm::ArrayRef<CsvRow> rows = table->csv.rows();
  pointsOfSweep = rows.size();
  size_t named = results.size(), built = 0;
  for (size_t i = 0; i < rows.size() && built < units.pointLimit && !units.stop; ++i) {
    Scope inner(scope);
    inner.set(table->rowName, recordOf(*table, rows[i]));
    ir::AttrDict about{{"bindings", ir::AttrDict{{table->rowName.str(), i + 1}}},
                       {"table", table->path}};
    std::string mistake;
    if (rows[i].cells.size() != table->columns.size())
      mistake = fmt::format("the line has {}, not {}", counted(rows[i].cells.size(), "cell"),
                            table->columns.size());
    auto build = [&](ir::Module &module) {
      results.resize(named); // each row names its results anew
      if (mistake.empty())
        return point(item, inner, about, module);
      about.set("skipped", mistake);
      skippedRow(item, inner, about, module);
      return true;
    };
    auto own = std::make_unique<ir::Module>();
    size_t first = diagnostics.all().size();
    if (!build(*own)) {
      mistake = firstError(diagnostics, first);
      if (mistake.empty())
        mistake = "what it uses has a mistake of its own";
      // What is wrong with every row is wrong with the statement, and is reported for the last.
      if (built > 0 || i + 1 < rows.size())
        diagnostics.truncate(first);
      diagnostics.noteSince(first, rows[i].place, "for this row");
      own = std::make_unique<ir::Module>();
      build(*own);
    } else {
      built += mistake.empty();
    }
    if (!units.shared)
      units.stop = !units.each(*own);
    else
      build(*units.shared);
  }
  return built > 0 || units.stop;
}
