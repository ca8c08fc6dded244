// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Draws.h"

#include "ir/common/diagnostics/Ops.h"

using namespace perfc;

/// Reads `from uniform` or `from zipf(1.1)`; false when it is neither.
static bool readSpread(const ast::Expr &expr, const Scope &scope, Evaluator &evaluator,
                       OpDraw &draw) {
  if (expr.kind == ast::ExprKind::Name && expr.text == "uniform") {
    draw.kind = "uniform";
    return true;
  }
  bool isZipf = expr.kind == ast::ExprKind::Call && expr.operands[0]->kind == ast::ExprKind::Name &&
                expr.operands[0]->text == "zipf" && expr.args.size() == 1 &&
                (expr.args[0].assign.empty() || expr.args[0].value->text == "theta");
  if (!isZipf)
    return false;
  const ast::Arg &arg = expr.args[0];
  Value theta = evaluator.evaluate(arg.assigned ? *arg.assigned : *arg.value, scope);
  const Quantity *number = theta.getIf<Quantity>();
  if (theta.isUnknown())
    return true;
  if (!number || !number->dimension().isNumber() || number->sign() < 0)
    return false;
  draw.kind = "zipf";
  draw.theta = *number;
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
