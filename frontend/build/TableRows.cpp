// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `validate row in "runs.csv" { … }`: each row of a table of measurements is a point, where `row`
// is a record of its cells. A statement whose result has a name is a module of its own, so that a
// mistake is about that result alone; the row ends with its other statement and what was measured.
// A row that cannot be built is skipped and says why.
#include "frontend/build/Compilation.h"

#include "frontend/build/MeasuredTable.h"
#include "frontend/build/StudyBuilder.h"
#include "frontend/sema/Elaborator.h"
#include "frontend/sema/Written.h"
#include "ir/common/FirstError.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "ir/common/diagnostics/Values.h"
#include "ir/study/StudyOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <map>
#include <set>

using namespace perfc;

/// The name that a statement gives its result; "" for none.
static llvm::StringRef resultNameOf(const ast::Item &item) {
  auto nameIn = [](llvm::ArrayRef<ast::Arg> args) {
    return !args.empty() && args[0].value->kind == ast::ExprKind::Name ? args[0].value->text
                                                                       : llvm::StringRef();
  };
  for (const ast::Clause &clause : item.clauses)
    if (clause.word == "as")
      return nameIn(clause.args);
  for (const ast::Item *entry : item.block ? item.block->items : llvm::ArrayRef<ast::Item *>())
    if (entry->kind == ast::ItemKind::Line && entry->word == "as")
      return nameIn(entry->args);
  return "";
}

static bool hasWord(const ast::Body *body, llvm::StringRef word) {
  return body && llvm::any_of(body->items, [&](const ast::Item *item) {
           return item->word == word || hasWord(item->block, word) ||
                  hasWord(item->otherwise, word);
         });
}

namespace perfc {

/// Builds the rows of one table.
class TableBuilder {
public:
  TableBuilder(Compilation &program, const ast::Item &item, const Scope &scope, KeptTable &kept,
               Compilation::Units &units)
      : program(program), diagnostics(program.diagnostics), item(item), scope(scope),
        table(kept.table), groups(kept.groups), graphs(kept.graphs), units(units) {}

  /// True where a row could be built.
  bool build();

private:
  /// A row while it is built.
  struct Row {
    Row(TableBuilder &table, size_t index, const Scope &scope, ir::Module &module);
    size_t index;
    Elaborator elaborator;
    BuildContext context;
    std::vector<ResultName> results;
    Scope &scope;
    ir::Operation *point;
    StudyBuilder builder;
    ir::AttrDict failed; ///< reasons by names of results
    size_t statements = 0;
    ir::Operation *unnamed = nullptr; ///< the statement whose result has no name
  };

  void setRow(Scope &scope, size_t row) const;
  KeptGraph *keptGraph(size_t row, size_t statement);
  void deal();
  void row(size_t index);
  std::string complete(Row &row, bool isShared);
  void incomplete(Row &row, llvm::StringRef reason);
  void declareNames(const ast::Body &body, Row &row);
  void visit(Row &row, llvm::function_ref<void(const ast::Item &, const Scope &)> take);
  bool isLeftOut(const Node &skip);
  void statement(Row &row, const ast::Item &entry, const Scope &scope, bool isShared);
  void named(Row &row, const ast::Item &entry, const Scope &scope, bool isShared);
  void lines(Row &row);

  Compilation &program;
  DiagnosticEngine &diagnostics;
  const ast::Item &item;
  const Scope &scope;
  const MeasuredTable &table;
  decltype(KeptTable::groups) &groups;
  decltype(KeptTable::graphs) &graphs;
  Compilation::Units &units;
  struct Tries {
    size_t all = 0, built = 0;
  };
  std::map<const ast::Item *, Tries> tries; ///< of statements whose results have names
  size_t built = 0;                         ///< rows
  bool isMistaken = false;                  ///< what is wrong with a row is the statement
};

} // namespace perfc

/// Gives the row, and what a second table has for it, their names.
void TableBuilder::setRow(Scope &scope, size_t row) const {
  const MeasuredRow &line = table.lineOf(row);
  scope.set(table.lineName, line.record);
  if (!table.columnName.empty())
    scope.set(table.columnName, table.cellOf(row));
  if (!table.partsName.empty())
    scope.set(table.partsName, table.partsOf(line));
}

/// That of a statement, by its number in the row; null where none are kept.
KeptGraph *TableBuilder::keptGraph(size_t row, size_t statement) {
  return program.keepsGraphs ? &graphs[{row, statement}] : nullptr;
}

//===-- Rows that are dealt out
//-----------------------------------------------------------------===//

/// The same on every machine (FNV-1a).
static uint64_t hashOf(llvm::StringRef text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char byte : text)
    hash = (hash ^ byte) * 0x100000001b3;
  return hash;
}

/// Says which group of each `split` each row belongs to. What is wrong in a row is found when it is
/// built.
void TableBuilder::deal() {
  if (!groups.empty()) // before
    return;
  groups.resize(table.rowCount());
  if (!hasWord(item.block, "split"))
    return;
  struct Card {
    size_t row;
    std::vector<std::string> groups;
    uint64_t hash; ///< of what is together
    bool isTogether;
  };
  std::map<std::pair<const ast::Item *, std::string>, std::vector<Card>> decks;
  size_t first = diagnostics.all().size();
  Evaluator &evaluator = program.evaluator;
  for (size_t row = 0; row < table.rowCount(); ++row) {
    Elaborator elaborator(evaluator);
    Scope inner(scope);
    setRow(inner, row);
    Node nothing;
    auto textOf = [&](const Node *node) {
      std::vector<std::string> texts;
      for (const ast::Arg &arg : node ? node->syntaxArgs() : llvm::None)
        texts.push_back(plainText(evaluator.evaluate(*arg.value, *node->scope)));
      return llvm::join(texts, "\n");
    };
    elaborator.body(*item.block, BlockKind::Validate, elaborator.newScope(inner), nothing,
                    [&](const ast::Item &entry, const Scope &at) {
                      Node *node = entry.word == "split"
                                       ? elaborator.statement(entry, BlockKind::Validate, at)
                                       : nullptr;
                      if (!node || node->args.empty())
                        return true;
                      const Node *together = node->find("together");
                      Card card{row, {}, hashOf(textOf(together)), together != nullptr};
                      for (const NodeArg &group : node->args)
                        card.groups.push_back(group.value.get<WordValue>().word);
                      decks[{&entry, textOf(node->find("by"))}].push_back(std::move(card));
                      return true;
                    });
    diagnostics.truncate(first);
  }
  for (const auto &[place, deck] : decks) {
    std::set<uint64_t> hashes;
    for (const Card &card : deck)
      hashes.insert(card.hash);
    for (const auto &card : llvm::enumerate(deck)) {
      size_t turn = card.index();
      if (card.value().isTogether)
        turn = std::distance(hashes.begin(), hashes.find(card.value().hash));
      const std::vector<std::string> &names = card.value().groups;
      groups[card.value().row][place.first] = names[turn % names.size()];
    }
  }
}

//===-- One row
//---------------------------------------------------------------------------------===//

TableBuilder::Row::Row(TableBuilder &table, size_t index, const Scope &scope, ir::Module &module)
    : index(index), elaborator(table.program.evaluator),
      context(elaborator, module, table.program.registry), scope(elaborator.newScope(scope)),
      point(context.builder.create(module.body(), "study.point", table.item.range)),
      builder(context, point->body()) {
  context.results = &results;
  context.keptChips = &table.program.keptChips;
  llvm::StringRef name = table.table.lineName;
  context.swept.emplace_back(name.str(), *scope.find(name));
  point->setAttr("bindings", ir::AttrDict{{name.str(), index + 1}});
  point->setAttr("table", table.table.path);
}

/// The first mistake since then, as a reason; "" when there is none.
static std::string reasonSince(const DiagnosticEngine &diagnostics, size_t first, size_t errors) {
  if (diagnostics.errorCount() == errors)
    return "";
  std::string reason = firstError(diagnostics, first);
  return reason.empty() ? "what it uses has a mistake of its own" : reason;
}

static bool isStatementOfRow(llvm::StringRef word) {
  static constexpr llvm::StringLiteral others[] = {"name", "skip", "split", "against"};
  return !llvm::is_contained(others, word);
}

void TableBuilder::visit(Row &row,
                         llvm::function_ref<void(const ast::Item &, const Scope &)> take) {
  Node nothing;
  row.elaborator.body(*item.block, BlockKind::Validate, row.elaborator.newScope(row.scope), nothing,
                      [&](const ast::Item &entry, const Scope &scope) {
                        take(entry, scope);
                        return true;
                      });
}

bool TableBuilder::isLeftOut(const Node &skip) {
  const Node *when = skip.find("when");
  if (!when || when->syntaxArgs().empty())
    return true;
  const ast::Expr &condition = *when->syntaxArgs()[0].value;
  Value value = program.evaluator.evaluate(condition, *skip.scope);
  const bool *truth = value.getIf<bool>();
  if (!truth && !value.isUnknown())
    diagnostics.report(condition.range, diag::ExpectedCondition, value.describe());
  return truth && *truth;
}

/// A statement whose result has a name is a module of its own, unless all share one.
void TableBuilder::named(Row &row, const ast::Item &entry, const Scope &scope, bool isShared) {
  std::string name = resultNameOf(entry).str();
  if (!row.context.findResult(name))
    row.results.push_back({name, entry.range});
  if (program.isResultWanted && !program.isResultWanted(name))
    return;
  size_t first = diagnostics.all().size(), errors = diagnostics.errorCount();
  ir::Module own;
  Row part(*this, row.index, row.scope, own);
  part.point->setAttr("open", ir::Attribute::unit());
  KeptGraph *kept = part.context.keptGraph = keptGraph(row.index, row.statements);
  Tries &known = tries[&entry];
  ++known.all;
  if (part.builder.build(entry, BlockKind::Validate, scope)) {
    ++known.built;
    part.context.results = nullptr;
    if (!units.shared)
      units.stop = !units.each(own);
    else if (isShared) {
      row.context.results = nullptr; // rounds of a `for` may share the name
      row.builder.build(entry, BlockKind::Validate, scope);
      row.context.results = &row.results;
    }
    if (kept)
      kept->takeFrom(own);
    return;
  }
  if (kept)
    kept->takeFrom(own);
  isMistaken = known.built == 0 && known.all == table.rowCount();
  if (isMistaken)
    return;
  row.failed.set(name, reasonSince(diagnostics, first, errors));
  diagnostics.truncate(first);
}

void TableBuilder::statement(Row &row, const ast::Item &entry, const Scope &scope, bool isShared) {
  ++row.statements;
  if (!resultNameOf(entry).empty())
    return named(row, entry, scope, isShared);
  if (row.unnamed) {
    diagnostics.report(entry.range, diag::BadTableStatement,
                       "names for the results of several statements: `train … as fast`");
    return;
  }
  if (!row.builder.build(entry, BlockKind::Validate, scope))
    return;
  row.unnamed = &row.point->body().back();
  if (row.unnamed->is(study::CompareOp::opName))
    diagnostics.report(entry.range, diag::BadTableStatement,
                       "statements with one result, not with several");
}

/// What the row is called, which groups it is in, and what was measured of its results.
void TableBuilder::lines(Row &row) {
  if (!row.failed.empty())
    row.point->setAttr("failed", row.failed);
  if (row.unnamed)
    row.builder.setStatement(row.unnamed->name().split('.').second);
  ir::Region &into = row.unnamed ? row.unnamed->body() : row.point->body();
  visit(row, [&](const ast::Item &entry, const Scope &scope) {
    if (entry.word == "skip" || isStatementOfRow(entry.word))
      return;
    if (Node *node = row.elaborator.statement(entry, BlockKind::Validate, scope))
      row.builder.rowLine(*node, groups[row.index][&entry], *row.point, into);
  });
}

/// Builds all of the row. Returns why it is left out, else ""; mistakes are reported.
std::string TableBuilder::complete(Row &row, bool isShared) {
  std::string reason;
  size_t errors = diagnostics.errorCount();
  visit(row, [&](const ast::Item &entry, const Scope &scope) {
    if (!reason.empty() || units.stop || diagnostics.errorCount() != errors)
      return;
    if (isStatementOfRow(entry.word))
      return program.rowStatements ? statement(row, entry, scope, isShared) : void();
    if (entry.word != "skip")
      return;
    Node *skip = row.elaborator.statement(entry, BlockKind::Validate, scope);
    if (skip && !skip->args.empty() && isLeftOut(*skip))
      reason = skip->args[0].value.get<std::string>();
  });
  if (!reason.empty() || diagnostics.errorCount() != errors)
    return reason;
  if (!program.rowStatements)
    declareNames(*item.block, row);
  else if (row.statements == 0)
    diagnostics.report(item.range, diag::BadTableStatement, "a statement in its block");
  lines(row);
  return "";
}

/// The names of all results that a row may have.
void TableBuilder::declareNames(const ast::Body &body, Row &row) {
  for (const ast::Item *entry : body.items) {
    llvm::StringRef name = isStatementOfRow(entry->word) ? resultNameOf(*entry) : "";
    if (!name.empty() && !row.context.findResult(name))
      row.results.push_back({name.str(), entry->range});
    for (const ast::Body *inner : {entry->block, entry->otherwise})
      if (inner && name.empty())
        declareNames(*inner, row);
  }
}

/// The row without its statements, with all else that can be said of it.
void TableBuilder::incomplete(Row &row, llvm::StringRef reason) {
  size_t first = diagnostics.all().size();
  row.point->setAttr("skipped", reason);
  declareNames(*item.block, row);
  lines(row);
  diagnostics.truncate(first);
}

void TableBuilder::row(size_t index) {
  const MeasuredRow &line = table.lineOf(index);
  BlameScope blame(diagnostics, item.range);
  Scope inner(scope);
  setRow(inner, index);
  std::string reason = line.mistake;
  auto own = std::make_unique<ir::Module>();
  KeptGraph *kept = keptGraph(index, 0);
  size_t first = diagnostics.all().size(), errors = diagnostics.errorCount();
  if (reason.empty()) {
    Row whole(*this, index, inner, *own);
    whole.context.keptGraph = kept;
    reason = complete(whole, /*isShared=*/false);
  }
  if (reason.empty()) {
    reason = reasonSince(diagnostics, first, errors);
    // What is wrong with every row is wrong with the statement, and is reported for the last.
    bool isOfAll = isMistaken || (built == 0 && index + 1 == table.rowCount());
    if (!reason.empty() && !isOfAll)
      diagnostics.truncate(first);
    diagnostics.noteSince(first, line.place, "for this row");
  } else {
    diagnostics.truncate(first);
  }
  built += reason.empty();
  if (kept && !reason.empty())
    kept->takeFrom(*own);
  if (!reason.empty() || units.shared) { // what was built of a mistaken row goes
    own = std::make_unique<ir::Module>();
    Row again(*this, index, inner, units.shared ? *units.shared : *own);
    if (reason.empty())
      complete(again, /*isShared=*/true);
    else
      incomplete(again, reason);
  }
  if (!units.shared)
    units.stop = units.stop || !units.each(*own);
  if (kept)
    kept->takeFrom(*own);
}

bool TableBuilder::build() {
  deal();
  size_t first = program.rowCount, asked = 0;
  program.rowCount += table.rowCount();
  for (size_t i = 0; i < table.rowCount() && built < units.pointLimit && !units.stop; ++i)
    if (!program.isRowWanted || program.isRowWanted(first + i)) {
      row(i);
      ++asked;
    }
  return asked == 0 || (built > 0 && !isMistaken) || units.stop;
}

bool Compilation::table(const ast::Item &item, const Scope &scope, Units &units) {
  size_t number = tableCount++;
  std::unique_ptr<KeptTable> own;
  KeptTable *table = number < keptTables.size() ? keptTables[number].get() : nullptr;
  if (!table) {
    auto read = readTable(evaluator, item, scope);
    if (!read)
      return false;
    own = std::make_unique<KeptTable>(KeptTable{std::move(*read), {}});
    table = own.get();
  }
  if (own && isRowWanted) {
    keptTables.resize(std::max(keptTables.size(), number + 1));
    keptTables[number] = std::move(own);
  }
  pointsOfSweep = table->table.rowCount();
  return TableBuilder(*this, item, scope, *table, units).build();
}
