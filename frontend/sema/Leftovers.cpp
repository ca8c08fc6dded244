// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Leftovers.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

/// What encloses an item, as far as it says which parts of it are read.
enum class Place { File, Op, Workload, Other };

static bool isOneOf(llvm::StringRef word, llvm::ArrayRef<llvm::StringRef> words) {
  return llvm::is_contained(words, word);
}

namespace {
class Leftovers {
public:
  explicit Leftovers(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}
  void body(const ast::Body &body, Place place);

private:
  void item(const ast::Item &item, Place place);
  void declaration(const ast::Item &item);
  void signature(const ast::Item &item);
  void noBlock(const ast::Item &item);
  void noClauses(const ast::Item &item);
  void noResults(const ast::Item &item);
  void noAssignment(llvm::ArrayRef<ast::Arg> args);
  void roles(const ast::Expr &expr);
  void roles(llvm::ArrayRef<ast::Arg> args);

  DiagnosticEngine &diagnostics;
};
} // namespace

void Leftovers::noBlock(const ast::Item &item) {
  if (item.block)
    diagnostics.report(item.block->range, diag::NoBlockHere, item.word);
}

void Leftovers::noClauses(const ast::Item &item) {
  for (const ast::Clause &clause : item.clauses)
    diagnostics.report(clause.wordRange, diag::UnknownClause, item.word, clause.word);
}

void Leftovers::noResults(const ast::Item &item) {
  if (!item.results.empty())
    diagnostics.report(item.results.front().range, diag::ResultsNotHere, item.word);
}

void Leftovers::noAssignment(llvm::ArrayRef<ast::Arg> args) {
  for (const ast::Arg &arg : args)
    if (arg.assigned)
      diagnostics.report(arg.assignRange, diag::UnexpectedAssignment);
}

void Leftovers::roles(const ast::Expr &expr) {
  for (const ast::Expr *operand : expr.operands)
    roles(*operand);
  roles(expr.args);
}

void Leftovers::roles(llvm::ArrayRef<ast::Arg> args) {
  for (const ast::Arg &arg : args) {
    if (arg.role)
      diagnostics.report(arg.role->range, diag::UnexpectedRole);
    roles(*arg.value);
    if (arg.assigned)
      roles(*arg.assigned);
  }
}

/// The head of what has tensors: roles stand behind parameters and results.
void Leftovers::signature(const ast::Item &item) {
  auto inner = [&](const ast::Arg &arg) {
    roles(*arg.value);
    if (arg.assigned)
      roles(*arg.assigned);
  };
  if (!item.args.empty() && !item.args[0].role)
    llvm::for_each(item.args[0].value->args, inner);
  else
    roles(item.args);
  llvm::for_each(item.results, inner);
  noAssignment(item.results);
}

void Leftovers::declaration(const ast::Item &item) {
  bool isValue = isOneOf(item.word, {"let", "param", "metric"}) ||
                 (item.word == "fn" && !item.args.empty() && item.args[0].assigned);
  bool isDerived = item.word == "workload" &&
                   llvm::any_of(item.clauses,
                                [](const ast::Clause &clause) { return clause.word == "from"; });
  if (isValue || isDerived)
    noBlock(item);
  for (const ast::Clause &clause : item.clauses) {
    noAssignment(clause.args);
    roles(clause.args);
  }
  if (isOneOf(item.word, {"op", "workload", "collective"}))
    signature(item);
  else
    roles(item.args);
  Place inner = item.word == "op"         ? Place::Op
                : item.word == "workload" ? Place::Workload
                                          : Place::Other;
  if (item.block)
    body(*item.block, inner);
}

void Leftovers::item(const ast::Item &item, Place place) {
  static constexpr llvm::StringLiteral declarations[] = {
      "op",     "workload", "hardware", "system",  "mapping", "mapspace", "dataflow", "algorithm",
      "memory", "compute",  "array",    "network", "runtime", "fn",       "let",      "param",
      "metric", "collective"};
  if (item.isDamaged)
    return;
  if (place == Place::File && item.kind == ast::ItemKind::Line &&
      llvm::is_contained(declarations, item.word))
    return declaration(item);
  roles(item.args);
  for (const ast::Clause &clause : item.clauses)
    roles(clause.args);
  if (item.target)
    roles(*item.target);
  if (item.value)
    roles(*item.value);
  bool isBare = place == Place::Op && (item.kind == ast::ItemKind::Equation || item.word == "where");
  bool isLoop = place != Place::Other && isOneOf(item.word, {"repeat", "for", "sweep"});
  if (isBare || isLoop || item.word == "let")
    noClauses(item);
  if (isLoop || item.word == "where" || item.word == "let")
    noResults(item);
  if (isLoop)
    noAssignment(item.args);
  if (isBare || item.word == "let" || item.word == "phase" ||
      (place == Place::Workload && item.kind == ast::ItemKind::Equation))
    noBlock(item);
  for (const ast::Body *inner : {item.block, item.otherwise})
    if (inner)
      body(*inner, place);
}

void Leftovers::body(const ast::Body &body, Place place) {
  for (const ast::Item *item : body.items)
    this->item(*item, place);
}

void perfc::reportLeftovers(const ast::SyntaxFile &file, DiagnosticEngine &diagnostics) {
  if (!file.isIncomplete)
    Leftovers(diagnostics).body(*file.body, Place::File);
}
