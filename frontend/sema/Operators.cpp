// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Evaluator.h"
#include "ir/common/diagnostics/Values.h"

#include "frontend/sema/OtherNames.h"
#include "frontend/sema/Written.h"

using namespace perfc;

Value Evaluator::unary(const ast::Expr &expr, const Scope &scope) {
  if (expr.text == "not") {
    auto truth = condition(*expr.operands[0], scope);
    return truth ? Value(!*truth) : Value();
  }
  Value value = evaluate(*expr.operands[0], scope);
  if (value.isUnknown())
    return Value();
  if (value.is<Tensor>() && tensors)
    return tensors->elementwise("-", {value}, expr.range);
  if (!value.is<Quantity>()) {
    diagnostics.report(expr.operands[0]->range, diag::ExpectedQuantity, value.describe());
    return Value();
  }
  QuantityError error = QuantityError::None;
  const Quantity &quantity = value.get<Quantity>();
  auto negated = apply("-", Quantity(Rational(0), quantity.dimension()), quantity, error);
  return negated ? Value(*negated) : quantityError(error, "-", value, value, expr);
}

llvm::Optional<bool> Evaluator::condition(const ast::Expr &expr, const Scope &scope) {
  Value value = evaluate(expr, scope);
  if (value.isUnknown())
    return llvm::None;
  if (const bool *truth = value.getIf<bool>())
    return *truth;
  diagnostics.report(expr.range, diag::ExpectedCondition, value.describe());
  return llvm::None;
}

Value Evaluator::logical(const ast::Expr &expr, const Scope &scope) {
  auto left = condition(*expr.operands[0], scope);
  bool decides = expr.text == "or";
  if (left && *left == decides)
    return decides;
  auto right = condition(*expr.operands[1], scope);
  return left && right ? Value(*right) : Value();
}

Value Evaluator::binary(const ast::Expr &expr, const Scope &scope) {
  if (expr.text == "and" || expr.text == "or")
    return logical(expr, scope);
  Value left = evaluate(*expr.operands[0], scope);
  Value right = evaluate(*expr.operands[1], scope);
  if (left.isUnknown() || right.isUnknown())
    return Value();
  if (expr.text == "in")
    return isMember(left, right, expr.operands[1]->range);
  bool compares = expr.text == "==" || expr.text == "!=" || expr.text == "<" || expr.text == "<=" ||
                  expr.text == ">" || expr.text == ">=";
  if (compares)
    return comparison(expr.text, left, right, expr);
  if (expr.text == "+-")
    return plusMinus(left, right, expr);
  return arithmetic(expr.text, left, right, expr);
}

static std::string quoted(const Value &value) { return value.describe(); }

Value Evaluator::quantityError(QuantityError error, llvm::StringRef op, const Value &left,
                               const Value &right, const ast::Expr &expr) {
  switch (error) {
  case QuantityError::Dimension: {
    auto &report =
        diagnostics.report(expr.range, diag::DimensionMismatch, op, quoted(left), quoted(right));
    if (expr.operands.size() == 2)
      report.note(expr.operands[0]->range, "this is " + quoted(left))
          .note(expr.operands[1]->range, "this is " + quoted(right));
    const Value *sides[] = {&left, &right};
    for (size_t i = 0; op != "^" && i < expr.operands.size() && i < 2; ++i)
      if (const Quantity *other = sides[1 - i]->getIf<Quantity>())
        if (std::string help = unitNeeded(expr.operands[i]->text, other->dimension());
            !help.empty())
          report.help(std::move(help));
    return Value();
  }
  case QuantityError::Overflow:
    diagnostics.report(expr.range, diag::IntegerOverflow, written(left), op, written(right));
    return Value();
  case QuantityError::DivisionByZero:
    diagnostics.report(expr.operands.back()->range, diag::DivisionByZero);
    return Value();
  default:
    diagnostics.report(expr.range, diag::OutsideFunctionDomain, op, written(right));
    return Value();
  }
}

Value Evaluator::arithmetic(llvm::StringRef op, const Value &left, const Value &right,
                            const ast::Expr &expr) {
  if ((left.is<Tensor>() || right.is<Tensor>()) && tensors)
    return tensors->elementwise(op, {left, right}, expr.range);
  if (left.is<Quantity>() && right.is<Quantity>()) {
    QuantityError error = QuantityError::None;
    auto result = apply(op, left.get<Quantity>(), right.get<Quantity>(), error);
    return result ? Value(*result) : quantityError(error, op, left, right, expr);
  }
  auto isGroup = [](const Value &value) { return value.is<Instance>() || value.is<Multiple>(); };
  if (op == "*" && left.is<Quantity>() && isGroup(right))
    return multiply(left, right, expr);
  if (op == "+" && isGroup(left) && isGroup(right))
    return bounded(addGroups(left, right), expr.range);
  const ast::Expr &culprit = *expr.operands[left.is<Quantity>() ? 1 : 0];
  diagnostics.report(culprit.range, diag::BadOperand, op,
                     (left.is<Quantity>() ? right : left).describe());
  return Value();
}

/// `8 * chip`: members of a group.
Value Evaluator::multiply(const Value &left, const Value &right, const ast::Expr &expr) {
  const Quantity &count = left.get<Quantity>();
  const Dimension &dimension = count.dimension();
  bool isMembers =
      dimension.isNumber() || dimension == BaseUnit::Chip || dimension == BaseUnit::Node;
  if (!count.isInteger() || count.sign() <= 0 || !isMembers) {
    diagnostics.report(expr.operands[0]->range, diag::BadGroupCount, written(count));
    return Value();
  }
  int64_t number = count.rational().numerator();
  return Multiple{{{number, std::make_shared<const Value>(right)}}};
}

Value Evaluator::addGroups(const Value &left, const Value &right) {
  Multiple sum;
  for (const Value *side : {&left, &right}) {
    if (const Multiple *multiple = side->getIf<Multiple>())
      sum.parts.insert(sum.parts.end(), multiple->parts.begin(), multiple->parts.end());
    else
      sum.parts.push_back({1, std::make_shared<const Value>(*side)});
  }
  return sum;
}

Value Evaluator::comparison(llvm::StringRef op, const Value &left, const Value &right,
                            const ast::Expr &expr) {
  if (left.is<Quantity>() && right.is<Quantity>()) {
    const Quantity &a = left.get<Quantity>(), &b = right.get<Quantity>();
    if (!compatible(a.dimension(), b.dimension()))
      return quantityError(QuantityError::Dimension, op, left, right, expr);
    int order = compare(a, b);
    return op == "=="   ? order == 0
           : op == "!=" ? order != 0
           : op == "<"  ? order < 0
           : op == "<=" ? order <= 0
           : op == ">"  ? order > 0
                        : order >= 0;
  }
  if (op == "==" || op == "!=")
    return (left == right) == (op == "==");
  if (left.is<std::string>() && right.is<std::string>()) { // as a dictionary has them
    int order = left.get<std::string>().compare(right.get<std::string>());
    return op[0] == '<' ? order < 0 || (order == 0 && op == "<=")
                        : order > 0 || (order == 0 && op == ">=");
  }
  diagnostics.report(expr.range, diag::NotOrdered, left.describe(), right.describe());
  return Value();
}

/// `v +- d`: d in v's unit, or a share of v when it is written in % and v is not.
Value Evaluator::plusMinus(const Value &left, const Value &right, const ast::Expr &expr) {
  if (!left.is<Quantity>() || !right.is<Quantity>()) {
    const Value &culprit = left.is<Quantity>() ? right : left;
    diagnostics.report(expr.range, diag::ExpectedQuantity, culprit.describe());
    return Value();
  }
  const Quantity &value = left.get<Quantity>(), &width = right.get<Quantity>();
  auto inPercent = [](const ast::Expr &side) {
    return side.kind == ast::ExprKind::Number && side.text.endswith("%");
  };
  bool share = width.dimension().isNumber() &&
               (!value.dimension().withoutCounts().isNumber() ||
                (inPercent(*expr.operands[1]) && !inPercent(*expr.operands[0])));
  if (!share && !compatible(value.dimension(), width.dimension()))
    return quantityError(QuantityError::Dimension, "+-", left, right, expr);
  double half = share ? width.toDouble() * value.toDouble() : width.toDouble();
  if (half < 0) {
    diagnostics.report(expr.operands[1]->range, diag::NegativeUncertainty);
    return Value();
  }
  auto source = uncertaintySource(program.sourceManager().path(expr.range.file), expr.range.begin);
  Uncertain sum = value.toUncertain() + Uncertain(0, half, source);
  return Quantity(sum, value.dimension());
}
