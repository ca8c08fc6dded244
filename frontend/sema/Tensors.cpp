// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is written to make a tensor: `weight[M, K]`, `cache[…]`, `tensor[…]` and `token[…]`, with a
// format of its own behind a colon.
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/OtherNames.h"
#include "ir/common/diagnostics/Ops.h"

#include "frontend/sema/Written.h"

using namespace perfc;

bool perfc::makesTensor(const ast::Expr &expr) {
  static constexpr llvm::StringLiteral kinds[] = {"weight", "cache", "tensor", "token"};
  return expr.kind == ast::ExprKind::Index && expr.operands[0]->kind == ast::ExprKind::Name &&
         llvm::is_contained(kinds, expr.operands[0]->text);
}

llvm::Optional<DType> Evaluator::format(const Value &value, SourceRange range) {
  const WordValue *word = value.getIf<WordValue>();
  auto parsed = word ? parseDType(word->word) : llvm::None;
  if (!parsed && !value.isUnknown()) {
    Diagnostic &error = diagnostics.report(range, diag::NotADType, value.describe());
    if (const std::string *text = value.getIf<std::string>()) {
      llvm::StringRef known = parseDType(*text) ? llvm::StringRef(*text) : dtypeCalled(*text);
      if (!known.empty())
        error.help(fmt::format("write `{}`, without quotation marks", known));
    }
  }
  return parsed;
}

llvm::Optional<llvm::SmallVector<int64_t, 6>>
Evaluator::extents(llvm::StringRef kind, const Value::List &shape, SourceRange range) {
  llvm::SmallVector<int64_t, 6> extents;
  for (const Value &extent : shape.values) {
    if (extent.isUnknown())
      return llvm::None;
    const Quantity *size = extent.getIf<Quantity>();
    if (!size || !size->isInteger() || size->sign() <= 0 || !size->dimension().isExtent()) {
      Diagnostic &error = diagnostics.report(range, diag::BadExtent, kind, written(extent));
      if (size && !size->isInteger())
        error.help(
            "it is a whole number where what it is made of divides, as heads divide the features");
      return llvm::None;
    }
    extents.push_back(size->rational().numerator());
  }
  return extents;
}

Value Evaluator::makeTensor(const ast::Expr &expr, const Scope &scope) {
  llvm::StringRef kind = expr.operands[0]->text;
  Value::List shape;
  for (const ast::Arg &arg : expr.args)
    shape.values.push_back(evaluate(*arg.value, scope));
  llvm::Optional<DType> own;
  if (expr.role) {
    Value value = evaluate(*expr.role, scope);
    own = format(value, expr.role->range);
    if (!own && !value.isUnknown())
      return Value();
  }
  if (tensors)
    return tensors->make(kind, shape, own, expr.range);
  auto sizes = extents(kind, shape, expr.range);
  if (!sizes)
    return Value();
  return Tensor{0, std::move(*sizes), own.getValueOr(DType::FP16), kind.str(), own.hasValue()};
}
