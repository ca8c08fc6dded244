// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The right side of an equation as a value of the IR: operators and functions of numbers, which are
// evaluated here, and of what is read, which is counted in the order of the equation's reads.
#include "frontend/build/Equations.h"

using namespace perfc;

bool EquationReader::readsTensors(const ast::Expr &wrapped) {
  const ast::Expr &expr = stripped(wrapped);
  auto operands = expr.kind == ast::ExprKind::Call ? expr.operands.drop_front() : expr.operands;
  return isTensorRead(expr) ||
         llvm::any_of(operands, [&](const ast::Expr *inner) { return readsTensors(*inner); }) ||
         llvm::any_of(expr.args, [&](const ast::Arg &arg) { return readsTensors(*arg.value); });
}

/// A plain number.
llvm::Optional<ir::Attribute> EquationReader::constantOf(const ast::Expr &expr) {
  Value value = evaluator.evaluate(expr, scope);
  const Quantity *number = value.getIf<Quantity>();
  if (!number || !number->dimension().isNumber())
    return llvm::None;
  return ir::Attribute(*number);
}

llvm::Optional<ir::Attribute> EquationReader::valueOf(const ast::Expr &wrapped, int64_t &reads) {
  const ast::Expr &expr = stripped(wrapped);
  if (isTensorRead(expr)) {
    for (const ast::Arg &arg : expr.args)
      if (isTensorRead(stripped(*arg.value)))
        valueOf(*arg.value, reads); // where to read
    return ir::Attribute(ir::AttrDict{{"read", reads++}});
  }
  if (!readsTensors(expr))
    return constantOf(expr);
  ir::AttrList list;
  auto add = [&](const ast::Expr &operand) {
    llvm::Optional<ir::Attribute> value = valueOf(operand, reads);
    if (value)
      list.push_back(std::move(*value));
    return value.hasValue();
  };
  if (expr.kind == ast::ExprKind::Call) {
    list.push_back(expr.operands[0]->text);
    for (const ast::Arg &arg : expr.args)
      if (!add(*arg.value))
        return llvm::None;
    return ir::Attribute(std::move(list));
  }
  // Which branch is taken may depend on elements.
  if (expr.kind != ast::ExprKind::Unary && expr.kind != ast::ExprKind::Binary)
    return llvm::None;
  list.push_back(expr.text);
  for (const ast::Expr *operand : expr.operands)
    if (!add(*operand))
      return llvm::None;
  return ir::Attribute(std::move(list));
}
