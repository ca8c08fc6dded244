// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Equations.h"

#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Values.h"

using namespace perfc;

const ast::Expr &perfc::stripped(const ast::Expr &expr) {
  bool wrapped = expr.kind == ast::ExprKind::Tuple && expr.args.size() == 1 &&
                 expr.args[0].assign.empty() && !expr.trailingComma;
  return wrapped ? stripped(*expr.args[0].value) : expr;
}

//===-- Subscripts
//-----------------------------------------------------------------------------===//

/// A name in a bracket is an index unless the op (or the workload) knows it as a number.
bool EquationReader::isIndex(llvm::StringRef name) const {
  const Value *known = scope.find(name);
  return !known || known->is<Tensor>();
}

bool EquationReader::mentionsIndex(const ast::Expr &expr) const {
  if (expr.kind == ast::ExprKind::Name)
    return isIndex(expr.text);
  auto operands = expr.kind == ast::ExprKind::Call ? expr.operands.drop_front() : expr.operands;
  return llvm::any_of(operands, [&](const ast::Expr *inner) { return mentionsIndex(*inner); }) ||
         llvm::any_of(expr.args, [&](const ast::Arg &arg) { return mentionsIndex(*arg.value); });
}

llvm::Optional<AffineExpr> EquationReader::affine(const ast::Expr &wrapped) {
  const ast::Expr &expr = stripped(wrapped);
  auto overflow = [&](llvm::Optional<AffineExpr> result) {
    if (!result)
      diagnostics.report(expr.range, diag::SubscriptTooLarge);
    return result;
  };
  if (!mentionsIndex(expr)) {
    auto number = evaluator.integer(expr, scope, "a subscript");
    incomplete |= !number;
    return number ? llvm::Optional<AffineExpr>(*number) : llvm::None;
  }
  if (expr.kind == ast::ExprKind::Name)
    return AffineExpr::variable(expr.text);
  if (expr.kind == ast::ExprKind::Unary && expr.text == "-") {
    auto inner = affine(*expr.operands[0]);
    return inner ? overflow(scale(*inner, -1)) : llvm::None;
  }
  bool linear = expr.kind == ast::ExprKind::Binary &&
                (expr.text == "+" || expr.text == "-" || expr.text == "*");
  if (linear) {
    auto left = affine(*expr.operands[0]);
    auto right = affine(*expr.operands[1]);
    if (!left || !right)
      return llvm::None;
    if (expr.text == "*" && (left->isConstant() || right->isConstant()))
      return overflow(left->isConstant() ? scale(*right, left->constant())
                                         : scale(*left, right->constant()));
    if (expr.text != "*") {
      auto signedRight = expr.text == "-" ? scale(*right, -1) : right;
      return overflow(signedRight ? add(*left, *signedRight) : llvm::None);
    }
  }
  diagnostics.report(expr.range, diag::SubscriptNotAffine)
      .help("a subscript is a sum of indices times constants, such as `p*stride + r`");
  return llvm::None;
}

bool EquationReader::subscript(const ast::Arg &arg, OpAccess &result) {
  const ast::Expr &expr = stripped(*arg.value);
  if (expr.kind == ast::ExprKind::Ellipsis) {
    for (const std::string &name : leading)
      result.map.push_back(AffineExpr::variable(name));
    return true;
  }
  if (isTensorRead(expr)) { // depends on data
    result.map.push_back(llvm::None);
    return true;
  }
  auto map = affine(expr);
  if (!map) {
    result.map.push_back(llvm::None);
    return incomplete;
  }
  result.map.push_back(std::move(*map));
  return true;
}

llvm::Optional<OpAccess> EquationReader::access(const ast::Expr &expr) {
  OpAccess result;
  if (expr.kind == ast::ExprKind::Name) {
    result.tensor = expr.text.str();
    return result;
  }
  assert(expr.kind == ast::ExprKind::Index && expr.operands[0]->kind == ast::ExprKind::Name);
  result.tensor = expr.operands[0]->text.str();
  bool good = true;
  for (const ast::Arg &arg : expr.args)
    good &= subscript(arg, result);
  return good ? llvm::Optional<OpAccess>(std::move(result)) : llvm::None;
}

//===-- Right sides
//----------------------------------------------------------------------------===//

bool EquationReader::isTensorRead(const ast::Expr &expr) {
  if (expr.kind == ast::ExprKind::Name)
    return ranksOf(expr.text) == size_t(0);
  return expr.kind == ast::ExprKind::Index && expr.operands[0]->kind == ast::ExprKind::Name;
}

void EquationReader::reportUnknownTensor(const ast::Expr &name) {
  diagnostics.report(name.range, diag::UnknownTensor, name.text);
}

bool EquationReader::functionCall(const ast::Expr &expr, OpStatement &statement) {
  const ast::Expr &callee = *expr.operands[0];
  if (callee.kind != ast::ExprKind::Name || !isElementFunction(callee.text)) {
    std::vector<llvm::StringRef> candidates;
    for (llvm::StringRef name : builtinFunctions())
      if (isElementFunction(name))
        candidates.push_back(name);
    diagnostics
        .report(callee.range, diag::NotElementFunction,
                evaluator.program.sourceManager().text(callee.range))
        .suggest(callee.text, candidates,
                 callee.text == "sum" ? "`+=` sums over the indices that only its right side has, "
                                        "as `k` in `C[m, n] += A[m, k] * B[k, n]`"
                                      : "");
    return false;
  }
  if (size_t wanted = elementArity(callee.text); expr.args.size() != wanted) {
    diagnostics.report(expr.range, diag::BadFunctionArguments, callee.text,
                       counted(wanted, "plain argument"));
    return false;
  }
  bool good = true;
  for (const ast::Arg &arg : expr.args)
    good &= rightSide(*arg.value, statement);
  ++statement.flops;
  for (auto &[name, count] : statement.functions)
    if (name == callee.text) {
      ++count;
      return good;
    }
  statement.functions.push_back({callee.text.str(), 1});
  return good;
}

/// Collects the reads of a right side and counts its operations per point.
bool EquationReader::rightSide(const ast::Expr &wrapped, OpStatement &statement) {
  const ast::Expr &expr = stripped(wrapped);
  if (isTensorRead(expr)) {
    const ast::Expr &name = expr.kind == ast::ExprKind::Index ? *expr.operands[0] : expr;
    auto ranks = ranksOf(name.text);
    if (!ranks) {
      reportUnknownTensor(name);
      return false;
    }
    auto read = access(expr);
    if (!read)
      return false;
    if (read->map.size() != *ranks) {
      diagnostics.report(expr.range, diag::RankMismatch, name.text, counted(*ranks, "rank"),
                         read->map.size());
      return false;
    }
    for (const ast::Arg &arg : expr.args) // indices that are themselves read from tensors
      if (const ast::Expr &inner = stripped(*arg.value); isTensorRead(inner)) {
        if (!rightSide(inner, statement))
          return false;
        keys.push_back(statement.reads.back().tensor);
      }
    statement.reads.push_back(std::move(*read));
    return true;
  }
  switch (expr.kind) {
  case ast::ExprKind::Number:
  case ast::ExprKind::Member:
    return true;
  case ast::ExprKind::Name:
    if (isIndex(expr.text) && !builtinName(expr.text)) {
      reportUnknownTensor(expr);
      return false;
    }
    return true;
  case ast::ExprKind::Call:
    return functionCall(expr, statement);
  case ast::ExprKind::Unary:
    ++statement.flops;
    return rightSide(*expr.operands[0], statement);
  case ast::ExprKind::Binary:
  case ast::ExprKind::If: {
    bool good = true;
    size_t reads = statement.reads.size();
    int64_t flops = statement.flops;
    for (const ast::Expr *operand : expr.operands)
      good &= rightSide(*operand, statement);
    bool constant = statement.reads.size() == reads && statement.flops == flops;
    if (expr.kind == ast::ExprKind::Binary && !constant)
      ++statement.flops;
    return good;
  }
  default:
    diagnostics.report(expr.range, diag::BadRightSide);
    return false;
  }
}

/// Tensor reads that are multiplied with each other at the top of a right side.
unsigned EquationReader::productReads(const ast::Expr &wrapped) {
  const ast::Expr &expr = stripped(wrapped);
  if (isTensorRead(expr))
    return 1;
  if (expr.kind != ast::ExprKind::Binary || (expr.text != "*" && expr.text != "/"))
    return 0;
  unsigned left = productReads(*expr.operands[0]);
  return expr.text == "*" ? left + productReads(*expr.operands[1]) : left;
}

/// "+" for `+=`, "max" for `max=`, "" for `=`; nothing when it cannot reduce.
static llvm::Optional<std::string> reduction(llvm::StringRef assign) {
  static constexpr llvm::StringLiteral names[] = {"max", "min", "+", ""};
  llvm::StringRef name = assign.drop_back();
  if (!llvm::is_contained(names, name))
    return llvm::None;
  return name.str();
}

/// False, reported, where an index of the right side is not on the left though nothing reduces over
/// it. A subscript on the left that is not known yet may hold any index.
bool EquationReader::reducesOthers(const OpStatement &statement, const ast::Item &item) {
  if (!statement.reduce.empty() ||
      !llvm::all_of(statement.write.map, [](const auto &map) { return map.hasValue(); }))
    return true;
  auto isWritten = [&](llvm::StringRef index) {
    return llvm::any_of(statement.write.map,
                        [&](const auto &map) { return map && map->coefficient(index) != 0; });
  };
  for (const OpAccess &read : statement.reads)
    for (const auto &map : read.map)
      for (const AffineExpr::Term &term : map ? map->terms() : llvm::None)
        if (!isWritten(term.name)) {
          diagnostics
              .report(item.assignRange, diag::IndexNotReduced, term.name,
                      evaluator.program.sourceManager().text(item.target->range))
              .help(fmt::format("`+=` adds up over `{}`, `max=` takes the largest", term.name));
          return false;
        }
  return true;
}

llvm::Optional<OpStatement> EquationReader::equation(const ast::Item &item) {
  OpStatement statement;
  statement.range = item.range;
  statement.text = evaluator.program.sourceManager().text(item.range).str();
  auto reduce = reduction(item.assign);
  if (!reduce) {
    diagnostics.report(item.assignRange, diag::UnknownReduction, item.assign)
        .help("reductions are `+=`, `max=` and `min=`");
    return llvm::None;
  }
  statement.reduce = *reduce;
  auto write = access(*item.target);
  bool good = write.hasValue();
  good &= rightSide(*item.value, statement);
  if (!good)
    return llvm::None;
  if (llvm::any_of(write->map, [](const auto &map) { return !map.hasValue(); }) && !incomplete) {
    diagnostics.report(item.target->range, diag::WriteDependsOnData);
    return llvm::None;
  }
  statement.write = std::move(*write);
  if (!reducesOthers(statement, item))
    return llvm::None;
  if (!statement.reduce.empty())
    ++statement.flops;
  int64_t reads = 0;
  if (llvm::Optional<ir::Attribute> value = valueOf(*item.value, reads))
    statement.value =
        value->is(ir::AttrKind::List) ? value->asList() : ir::AttrList{std::move(*value)};
  statement.mac = statement.reduce == "+" && productReads(*item.value) >= 2;
  return statement;
}

bool EquationReader::condition(const ast::Expr &wrapped, std::vector<AffineExpr> &out) {
  const ast::Expr &expr = stripped(wrapped);
  if (expr.kind == ast::ExprKind::Binary && expr.text == "and")
    return condition(*expr.operands[0], out) && condition(*expr.operands[1], out);
  bool compares = expr.kind == ast::ExprKind::Binary &&
                  (expr.text == "<" || expr.text == "<=" || expr.text == ">" || expr.text == ">=" ||
                   expr.text == "==");
  if (!compares) {
    diagnostics.report(expr.range, diag::BadWhere)
        .help("a condition compares affine expressions, such as `j <= i + S - T`");
    return false;
  }
  auto left = affine(*expr.operands[0]);
  auto right = affine(*expr.operands[1]);
  if (!left || !right)
    return incomplete;
  bool greater = expr.text.startswith(">");
  auto small = greater ? right : left, large = greater ? left : right;
  auto difference = [](const AffineExpr &a, const AffineExpr &b) {
    auto negative = scale(b, -1);
    return negative ? add(a, *negative) : llvm::None;
  };
  auto distance = difference(*large, *small);
  if (distance && (expr.text == "<" || expr.text == ">"))
    distance = add(*distance, AffineExpr(-1));
  auto reverse = expr.text == "==" ? difference(*small, *large) : distance;
  if (!distance || !reverse) {
    diagnostics.report(expr.range, diag::SubscriptTooLarge);
    return false;
  }
  out.push_back(*distance);
  if (expr.text == "==")
    out.push_back(*reverse);
  return true;
}
