// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading of equations: from syntax to accesses, counts of operations and affine conditions. What a
// name in a bracket is (a known number or an index) and which tensors exist is asked of the caller.
#ifndef PERFC_FRONTEND_BUILD_EQUATIONS_H
#define PERFC_FRONTEND_BUILD_EQUATIONS_H

#include "frontend/build/OpModel.h"
#include <functional>

namespace perfc {

/// The expression inside redundant parentheses.
const ast::Expr &stripped(const ast::Expr &expr);

class EquationReader {
public:
  EquationReader(Evaluator &evaluator, const Scope &scope)
      : evaluator(evaluator), diagnostics(evaluator.diagnostics), scope(scope) {}

  /// Indices that `[...]` stands for.
  std::vector<std::string> leading;
  /// Ranks of a tensor, or nothing when there is no such tensor (yet).
  std::function<llvm::Optional<size_t>(llvm::StringRef)> ranksOf;
  /// Tensors that are read as subscripts of others.
  std::vector<std::string> keys;
  /// True when a subscript could not be read because a parameter is unknown.
  bool incomplete = false;

  /// `O[n, m] += …`. Nothing when it is wrong (reported).
  llvm::Optional<OpStatement> equation(const ast::Item &item);
  /// `j <= i + S - T` as expressions that are >= 0.
  bool condition(const ast::Expr &expr, std::vector<AffineExpr> &out);

private:
  llvm::Optional<OpAccess> access(const ast::Expr &expr);
  bool subscript(const ast::Arg &arg, OpAccess &access);
  llvm::Optional<AffineExpr> affine(const ast::Expr &expr);
  bool mentionsIndex(const ast::Expr &expr) const;
  bool isIndex(llvm::StringRef name) const;
  bool isTensorRead(const ast::Expr &expr);
  bool rightSide(const ast::Expr &expr, OpStatement &statement);
  bool functionCall(const ast::Expr &expr, OpStatement &statement);
  unsigned productReads(const ast::Expr &expr);
  llvm::Optional<ir::Attribute> valueOf(const ast::Expr &expr, int64_t &reads);
  llvm::Optional<ir::Attribute> constantOf(const ast::Expr &expr);
  bool readsTensors(const ast::Expr &expr);
  void reportUnknownTensor(const ast::Expr &name);
  bool reducesOthers(const OpStatement &statement, const ast::Item &item);

  Evaluator &evaluator;
  DiagnosticEngine &diagnostics;
  const Scope &scope;
};

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_EQUATIONS_H
