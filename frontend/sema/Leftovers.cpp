// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Leftovers.h"

#include "frontend/sema/Evaluator.h"
#include "frontend/sema/Program.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

/// What encloses an item, as far as it says which parts of it are read.
enum class Place { File, Op, Workload, Function, Other };

namespace {
class Leftovers {
public:
  explicit Leftovers(DiagnosticEngine &diagnostics) : diagnostics(diagnostics) {}
  void items(llvm::ArrayRef<ast::Item *> list, Place place);

private:
  void item(const ast::Item &item, Place place);
  void equation(const ast::Item &item, Place place);
  void line(const ast::Item &item, Place place);
  void declaration(const ast::Item &item, DeclKind kind);
  void signature(const ast::Item &item);
  void collectiveResults(const ast::Item &item);
  void noBlock(const ast::Item &item);
  /// None but one, where `but` is its word.
  void noClauses(const ast::Item &item, llvm::StringRef but = "");
  void noResults(const ast::Item &item);
  void noAssignment(llvm::ArrayRef<ast::Arg> args);
  void role(const ast::Expr &expr, bool mayAssign);
  void rolesInside(const ast::Expr &expr);
  void roles(const ast::Expr &expr, bool mayAssign = true);
  void roles(llvm::ArrayRef<ast::Arg> args, bool mayAssign = true);

  DiagnosticEngine &diagnostics;
};
} // namespace

void Leftovers::noBlock(const ast::Item &item) {
  if (item.block)
    diagnostics.report(item.block->range, diag::NoBlockHere, item.word);
}

void Leftovers::noClauses(const ast::Item &item, llvm::StringRef but) {
  for (const ast::Clause &clause : item.clauses)
    if (but.empty() || clause.word != but)
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

/// Reports the role of `expr` itself; behind `weight[8, 16]` it is a format.
void Leftovers::role(const ast::Expr &expr, bool mayAssign) {
  if (!expr.role || makesTensor(expr))
    return;
  Diagnostic &error = diagnostics.report(expr.role->range, diag::UnexpectedRole);
  if (mayAssign && expr.kind == ast::ExprKind::Name)
    error.help(fmt::format("`=` gives a value to a name: `{} = {}`", expr.text,
                           diagnostics.sourceManager().text(expr.role->range)));
}

void Leftovers::rolesInside(const ast::Expr &expr) {
  for (const ast::Expr *operand : expr.operands)
    roles(*operand);
  roles(expr.args);
}

void Leftovers::roles(const ast::Expr &expr, bool mayAssign) {
  role(expr, mayAssign);
  rolesInside(expr);
}

void Leftovers::roles(llvm::ArrayRef<ast::Arg> args, bool mayAssign) {
  for (const ast::Arg &arg : args) {
    roles(*arg.value, mayAssign);
    if (arg.assigned)
      roles(*arg.assigned);
  }
}

/// The head of what has tensors: roles stand behind parameters, and behind results that have ranks.
void Leftovers::signature(const ast::Item &item) {
  auto inner = [&](const ast::Arg &arg) {
    rolesInside(*arg.value);
    if (arg.assigned)
      roles(*arg.assigned);
  };
  if (!item.args.empty() && !item.args[0].value->role)
    llvm::for_each(item.args[0].value->args, inner);
  else
    roles(item.args, false);
  if (item.word != "op")
    roles(item.results, false);
  else
    llvm::for_each(item.results, inner);
  noAssignment(item.results);
}

/// A collective has no body that says what its results are.
void Leftovers::collectiveResults(const ast::Item &item) {
  for (const ast::Arg &arg : item.results)
    if (arg.value->kind != ast::ExprKind::Index ||
        arg.value->operands[0]->kind != ast::ExprKind::Name)
      diagnostics.report(arg.range, diag::ResultNotTensor);
}

void Leftovers::declaration(const ast::Item &item, DeclKind kind) {
  if (kind == DeclKind::Collective) {
    noBlock(item);
    collectiveResults(item);
  }
  bool isValue = kind == DeclKind::Let || kind == DeclKind::Param || kind == DeclKind::Metric ||
                 (kind == DeclKind::Function && !item.args.empty() && item.args[0].assigned);
  bool isDerived =
      kind == DeclKind::Workload &&
      llvm::any_of(item.clauses, [](const ast::Clause &clause) { return clause.word == "from"; });
  if (isValue || isDerived)
    noBlock(item);
  for (const ast::Clause &clause : item.clauses) {
    noAssignment(clause.args);
    roles(clause.args, false);
  }
  if (kind == DeclKind::Op || kind == DeclKind::Workload || kind == DeclKind::Collective)
    signature(item);
  else
    roles(item.args, kind == DeclKind::Let || kind == DeclKind::Param || kind == DeclKind::Metric);
  Place inner = kind == DeclKind::Op         ? Place::Op
                : kind == DeclKind::Workload ? Place::Workload
                : kind == DeclKind::Function ? Place::Function
                                             : Place::Other;
  if (item.block)
    items(item.block->items, inner);
}

void Leftovers::equation(const ast::Item &item, Place place) {
  noBlock(item);
  if (place == Place::Op)
    noClauses(item);
  for (const ast::Clause &clause : item.clauses)
    noAssignment(clause.args);
}

void Leftovers::line(const ast::Item &item, Place place) {
  bool isWhere = place == Place::Op && item.word == "where";
  bool isRepeat = place == Place::Workload && item.word == "repeat";
  bool isPhase = place == Place::Workload && item.word == "phase";
  bool inFunction = place == Place::Function && item.word == "return";
  bool isRequired = item.word == "require" &&
                    (place == Place::Function || place == Place::Op || place == Place::Workload);
  bool isDraw = item.word == "draw" && (place == Place::Op || place == Place::Workload);
  // In a mapping's place, `for p = 8` is a loop of the op.
  bool isMapped = place == Place::Other && !item.args.empty() && item.args[0].assigned;
  bool isLoop = (item.word == "for" && !isMapped) ||
                ((item.word == "sweep" || item.word == "validate") && place != Place::Other);
  if (item.word == "let" || isWhere || isPhase || isRepeat || inFunction || isRequired || isDraw ||
      isLoop) {
    if (!isDraw)
      noClauses(item, item.word == "validate" ? "by" : "");
    noResults(item);
    if (!isRepeat && !isLoop)
      noBlock(item);
  }
  if (isPhase && item.args.size() > 1)
    diagnostics.report(item.args[1].range, diag::BadPhase);
  // `where i = 0` is a condition gone wrong, which is said where it is read.
  bool isCondition =
      isWhere && !item.args.empty() && item.args[0].value->kind == ast::ExprKind::Binary;
  if (isCondition || isRepeat)
    noAssignment(item.args);
}

void Leftovers::item(const ast::Item &item, Place place) {
  // A `for` without braces is said where it would be unrolled.
  if (item.isDamaged || (item.word == "for" && place != Place::Other && !item.block))
    return;
  auto kind =
      place == Place::File && item.kind == ast::ItemKind::Line ? declKind(item.word) : llvm::None;
  if (kind)
    return declaration(item, *kind);
  roles(item.args);
  for (const ast::Clause &clause : item.clauses)
    roles(clause.args);
  if (item.target)
    roles(*item.target);
  if (item.value)
    roles(*item.value);
  if (item.kind == ast::ItemKind::Equation && place != Place::Other)
    equation(item, place);
  if (item.kind == ast::ItemKind::Line)
    line(item, place);
  for (const ast::Body *inner : {item.block, item.otherwise})
    if (inner)
      items(inner->items, place);
}

void Leftovers::items(llvm::ArrayRef<ast::Item *> list, Place place) {
  for (const ast::Item *each : list)
    item(*each, place);
}

void perfc::reportLeftovers(llvm::ArrayRef<ast::Item *> items, DiagnosticEngine &diagnostics) {
  Leftovers(diagnostics).items(items, Place::File);
}
