// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Draws.h"

#include "ir/common/diagnostics/Ops.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;

namespace {
/// A form of `from`, with the arguments that it takes.
struct SpreadForm {
  llvm::StringLiteral kind;
  llvm::SmallVector<std::pair<llvm::StringLiteral, Quantity OpDraw::*>, 2> arguments;
};
} // namespace

static const SpreadForm spreadForms[] = {
    {"uniform", {}},
    {"balanced", {}},
    {"zipf", {{"theta", &OpDraw::theta}}},
    {"power_law", {{"theta", &OpDraw::theta}, {"most", &OpDraw::most}}}};

/// Reads `from uniform` or `from power_law(1.2, 64)`; false when it is no such form.
static bool readSpread(const ast::Expr &expr, const Scope &scope, Evaluator &evaluator,
                       OpDraw &draw) {
  bool isCall = expr.kind == ast::ExprKind::Call && !expr.args.empty();
  const ast::Expr &name = isCall ? *expr.operands[0] : expr;
  const SpreadForm *form = llvm::find_if(spreadForms, [&](const SpreadForm &candidate) {
    return name.kind == ast::ExprKind::Name && name.text == candidate.kind;
  });
  if (form == std::end(spreadForms) || form->arguments.size() != (isCall ? expr.args.size() : 0))
    return false;
  for (size_t i = 0; i < form->arguments.size(); ++i) {
    const ast::Arg &arg = expr.args[i];
    if (!arg.assign.empty() && arg.value->text != form->arguments[i].first)
      return false;
    Value value = evaluator.evaluate(arg.assigned ? *arg.assigned : *arg.value, scope);
    if (value.isUnknown())
      return true;
    const Quantity *number = value.getIf<Quantity>();
    if (!number || !number->dimension().isNumber() || number->sign() < 0)
      return false;
    draw.*(form->arguments[i].second) = *number;
  }
  draw.kind = form->kind.str();
  return true;
}

/// Reads the `k` of `choice[b, t, k] … distinct k`; false when it is no index of `head`.
static bool readDistinct(const ast::Expr &head, const ast::Expr &index, OpDraw &draw) {
  for (size_t rank = 0; rank < head.args.size(); ++rank)
    if (head.args[rank].value->kind == ast::ExprKind::Name &&
        head.args[rank].value->text == index.text)
      draw.distinct = rank;
  return draw.distinct.hasValue();
}

static bool fillDraw(const ast::Item &item, size_t ranks, const Scope &scope, Evaluator &evaluator,
                     OpDraw &draw) {
  const ast::Expr &head = *item.args[0].value;
  bool hasIndices = head.kind == ast::ExprKind::Index;
  if (hasIndices && head.args.size() != ranks)
    return false;
  bool isSpread = false;
  for (const ast::Clause &clause : item.clauses) {
    const ast::Expr *value = clause.args.size() == 1 ? clause.args[0].value : nullptr;
    bool isFrom = clause.word == "from", isDistinct = clause.word == "distinct" && hasIndices;
    if (!value || !(isFrom ? readSpread(*value, scope, evaluator, draw)
                           : isDistinct && readDistinct(head, *value, draw)))
      return false;
    isSpread |= isFrom;
  }
  return isSpread;
}

llvm::StringRef perfc::drawnTensor(const ast::Item &item) {
  const ast::Expr *head = item.args.size() == 1 ? item.args[0].value : nullptr;
  const ast::Expr *name = head && head->kind == ast::ExprKind::Index ? head->operands[0] : head;
  return name && name->kind == ast::ExprKind::Name ? name->text : llvm::StringRef();
}

llvm::Optional<OpDraw> perfc::readDraw(const ast::Item &item, llvm::Optional<size_t> ranks,
                                       const Scope &scope, Evaluator &evaluator) {
  OpDraw draw;
  if (ranks && fillDraw(item, *ranks, scope, evaluator, draw))
    return draw;
  evaluator.diagnostics.report(item.range, diag::BadDraw)
      .help("such as `draw ids from zipf(1.1)` or `draw choice[b, t, k] from uniform distinct k`, "
            "where the values along `k` differ");
  return llvm::None;
}
