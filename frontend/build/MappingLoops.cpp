// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/MappingLoops.h"

#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Mappings.h"
#include "llvm/ADT/SetVector.h"

using namespace perfc;

llvm::Optional<PlaceName> perfc::readPlaceName(DiagnosticEngine &diagnostics, const Node &at) {
  const ast::Expr &head = *at.item->args[0].value;
  if (head.kind == ast::ExprKind::Name)
    return PlaceName{head.text, ""};
  if (head.kind == ast::ExprKind::Member && head.operands[0]->kind == ast::ExprKind::Name)
    return PlaceName{head.operands[0]->text, head.text};
  diagnostics.report(head.range, diag::BadPlace);
  return llvm::None;
}

llvm::SmallVector<const ast::Expr *, 2> perfc::readIndices(DiagnosticEngine &diagnostics,
                                                           const ast::Arg &loop) {
  llvm::SmallVector<const ast::Expr *, 2> names;
  if (loop.value->kind == ast::ExprKind::Tuple)
    for (const ast::Arg &name : loop.value->args)
      names.push_back(name.value);
  else
    names.push_back(loop.value);
  bool good = loop.assign == "=" && llvm::all_of(names, [](const ast::Expr *name) {
                return name->kind == ast::ExprKind::Name;
              });
  if (good)
    return names;
  if (!loop.value->role) // which was reported
    diagnostics.report(loop.range, diag::BadLoop);
  return {};
}

void perfc::reportHole(DiagnosticEngine &diagnostics, SourceRange where) {
  diagnostics.report(where, diag::HoleInMapping)
      .help("a mapping with holes is a `mapspace`, which `search` fills");
}

llvm::Optional<LoopFactor> perfc::readFactor(DiagnosticEngine &diagnostics, const ast::Arg &loop,
                                             const Value &value, bool allowHoles) {
  if (value.isUnknown())
    return llvm::None;
  SourceRange where = loop.assigned->range;
  if (value.is<Value::Any>() || value.is<RangeValue>() || value.is<Value::List>()) {
    if (allowHoles)
      return LoopFactor{};
    reportHole(diagnostics, where);
    return llvm::None;
  }
  const WordValue *word = value.getIf<WordValue>();
  if (word && word->word == "rest")
    return LoopFactor{llvm::None, true};
  const Quantity *factor = value.getIf<Quantity>();
  bool isCount =
      factor && factor->isInteger() && factor->sign() > 0 && factor->dimension().isExtent();
  if (isCount)
    return LoopFactor{factor->rational().numerator(), false};
  llvm::StringRef names = diagnostics.sourceManager().text(loop.value->range);
  diagnostics.report(where, diag::BadFactor, names, written(value));
  return llvm::None;
}

//===-- Checks without extents
//-----------------------------------------------------------------===//

using Names = llvm::SmallSetVector<llvm::StringRef, 8>;

/// The names of `expr` that stand in brackets.
static void collectIndices(const ast::Expr &expr, bool inBrackets, Names &names) {
  if (expr.kind == ast::ExprKind::Name && inBrackets)
    names.insert(expr.text);
  bool isAccess = expr.kind == ast::ExprKind::Index;
  bool isCall = expr.kind == ast::ExprKind::Call;
  for (const ast::Expr *operand : expr.operands)
    if (!isCall && !(isAccess && operand == expr.operands[0]))
      collectIndices(*operand, inBrackets, names);
  for (const ast::Arg &arg : expr.args)
    collectIndices(*arg.value, inBrackets || isAccess, names);
}

static void collectIndices(const ast::Body &body, Names &names) {
  for (const ast::Item *item : body.items) {
    if (item->kind == ast::ItemKind::Equation) {
      collectIndices(*item->target, false, names);
      collectIndices(*item->value, false, names);
    }
    for (const ast::Body *inner : {item->block, item->otherwise})
      if (inner)
        collectIndices(*inner, names);
  }
}

/// The indices of an op, by the habit that they are no names of its signature.
static Names indicesOf(const Decl *op) {
  Names names;
  if (op && op->item->block)
    collectIndices(*op->item->block, names);
  if (op)
    for (const Parameter &parameter : op->parameters)
      names.remove(parameter.name);
  return names;
}

static void checkIndex(DiagnosticEngine &diagnostics, const ast::Expr &name, const Names &known) {
  // Leading ranks have indices too, which the compiler names.
  if (known.empty() || known.count(name.text) || name.text.startswith("_"))
    return;
  diagnostics.report(name.range, diag::UnknownIndex, name.text)
      .help(fmt::format("its indices are `{}`", fmt::join(known, "`, `")));
}

namespace {

class LineChecker {
public:
  LineChecker(Evaluator &evaluator, const Decl *op, bool allowHoles)
      : evaluator(evaluator), diagnostics(evaluator.diagnostics), indices(indicesOf(op)),
        allowHoles(allowHoles) {}

  void place(const Node &at);

private:
  void loop(const ast::Arg &arg, const Scope &scope);

  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  Names indices;
  bool allowHoles;
  llvm::StringMap<SourceRange> rests; ///< by index
};

void LineChecker::loop(const ast::Arg &arg, const Scope &scope) {
  if (allowHoles && arg.assign.empty() && arg.value->kind == ast::ExprKind::Name &&
      arg.value->text == "any")
    return; // admits other loops
  auto names = readIndices(diagnostics, arg);
  for (const ast::Expr *name : names)
    checkIndex(diagnostics, *name, indices);
  if (names.empty())
    return;
  auto factor = readFactor(diagnostics, arg, evaluator.evaluate(*arg.assigned, scope), allowHoles);
  if (!factor || !factor->isRest)
    return;
  for (const ast::Expr *name : names) {
    auto [first, isNew] = rests.try_emplace(name->text, arg.range);
    if (!isNew)
      diagnostics.report(arg.range, diag::TwoRests, name->text)
          .note(first->second, "the first is here");
  }
}

void LineChecker::place(const Node &at) {
  readPlaceName(diagnostics, at);
  for (const Node *child : at.children) {
    if (child->word == "order" && !allowHoles)
      reportHole(diagnostics, child->range);
    if (child->word == "for" || child->word == "parallel")
      for (const ast::Arg &arg : child->syntaxArgs())
        loop(arg, *child->scope);
  }
}

} // namespace

llvm::SmallVector<RankName, 2> perfc::ranksNamed(const Decl *op, llvm::StringRef name) {
  llvm::SmallVector<RankName, 2> found;
  const ast::Expr *head = op && !op->item->args.empty() ? op->item->args[0].value : nullptr;
  if (!head || head->kind != ast::ExprKind::Call || name != name.lower())
    return found;
  for (const ast::Arg &tensor : head->args) {
    if (tensor.value->kind != ast::ExprKind::Index)
      continue;
    llvm::ArrayRef<ast::Arg> ranks = tensor.value->args;
    for (size_t i = 0; i < ranks.size(); ++i)
      if (ranks[i].value->kind == ast::ExprKind::Name && ranks[i].value->text.lower() == name)
        found.push_back({tensor.value->operands[0]->text, ranks.size() - 1 - i});
  }
  return found;
}

void perfc::checkMappingLines(Evaluator &evaluator, const Node &block, const Decl *op,
                              bool allowHoles) {
  LineChecker checker(evaluator, op, allowHoles);
  for (const Node *child : block.children)
    if (child->word == "at" && !child->item->args.empty())
      checker.place(*child);
}

void perfc::checkDataflowLines(Evaluator &evaluator, const Node &block, const Decl *op) {
  DiagnosticEngine &diagnostics = evaluator.diagnostics;
  Names indices = indicesOf(op);
  for (const Node *child : block.children) {
    if (child->word != "temporal" && child->word != "spatial")
      continue;
    for (const ast::Arg &arg : child->syntaxArgs()) {
      const ast::Expr &head = *arg.value;
      bool isDirective = arg.assign.empty() && head.kind == ast::ExprKind::Call &&
                         head.operands[0]->kind == ast::ExprKind::Name;
      if (!isDirective) {
        diagnostics.report(arg.range, diag::BadDirective, child->word);
        continue;
      }
      if (ranksNamed(op, head.operands[0]->text).empty())
        checkIndex(diagnostics, *head.operands[0], indices);
      evaluator.arguments(head.args, *child->scope);
    }
  }
}
