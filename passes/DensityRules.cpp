// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/DensityRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::passes;

namespace {

/// What is known of a part of an expression.
struct Term {
  double density = 1;
  bool isZero = false; ///< the number 0
  std::string tensor;  ///< an access by itself, as written; else ""
};

/// Reads an equation as it was written; what it does not know counts as having no zeros.
class TermReader {
public:
  TermReader(llvm::StringRef text, const Densities &densities) : rest(text), densities(densities) {}

  Term sum() {
    Term left = product();
    while (take('+') || take('-')) {
      Term right = product();
      left = {1 - (1 - left.density) * (1 - right.density), left.isZero && right.isZero, ""};
    }
    return left;
  }

private:
  Term product();
  Term factor();
  Term call(llvm::StringRef function);
  llvm::StringRef skipBrackets(char open, char close);
  bool take(char expected) {
    rest = rest.ltrim();
    return rest.consume_front(llvm::StringRef(&expected, 1));
  }

  llvm::StringRef rest;
  const Densities &densities;
};

} // namespace

Term TermReader::product() {
  Term left = factor();
  while (true) {
    if (take('*')) {
      Term right = factor();
      bool isSquare = !left.tensor.empty() && left.tensor == right.tensor;
      left = {isSquare ? left.density : left.density * right.density, left.isZero || right.isZero,
              ""};
    } else if (take('/')) {
      factor();
      left.tensor.clear();
    } else {
      return left;
    }
  }
}

/// What stands between brackets, which are passed.
llvm::StringRef TermReader::skipBrackets(char open, char close) {
  llvm::StringRef begin = rest;
  size_t depth = 1, at = 0;
  for (; at < rest.size() && depth > 0; ++at)
    depth += (rest[at] == open) - (rest[at] == close ? 1 : 0);
  rest = rest.drop_front(at);
  return begin.take_front(at == 0 ? 0 : at - 1);
}

Term TermReader::call(llvm::StringRef function) {
  static constexpr llvm::StringLiteral preserving[] = {"abs",   "sqrt", "tanh", "erf",  "sin",
                                                       "floor", "ceil", "relu", "sign", "round"};
  std::vector<Term> arguments;
  do
    arguments.push_back(sum());
  while (take(','));
  take(')');
  if (function == "pow" || (arguments.size() == 1 && llvm::is_contained(preserving, function)))
    return {arguments[0].density, arguments[0].isZero, ""};
  if ((function == "max" || function == "min") && arguments.size() == 2) {
    const Term &a = arguments[0], &b = arguments[1];
    return {1 - (1 - a.density) * (1 - b.density), a.isZero && b.isZero, ""};
  }
  return {};
}

Term TermReader::factor() {
  if (take('-'))
    return factor();
  if (take('(')) {
    Term inner = sum();
    take(')');
    return inner;
  }
  rest = rest.ltrim();
  llvm::StringRef word =
      rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  rest = rest.drop_front(word.empty() && !rest.empty() ? 1 : word.size());
  double number = 0;
  if (!word.empty() && llvm::isDigit(word.front()) && !word.getAsDouble(number))
    return {number == 0 ? 0.0 : 1.0, number == 0, ""};
  if (take('('))
    return call(word);
  if (take('[')) {
    llvm::StringRef indices = skipBrackets('[', ']');
    auto known = densities.find(word);
    return {known == densities.end() ? 1 : known->second, false,
            word.str() + "[" + indices.str() + "]"};
  }
  return {};
}

double passes::densityOfTerm(llvm::StringRef text, const Densities &densities) {
  return TermReader(text, densities).sum().density;
}

double passes::densityOfResult(const Statement &statement, const Densities &densities) {
  auto [left, right] = statement.op.text().split('=');
  double term = densityOfTerm(right, densities);
  llvm::StringRef reduction = statement.op.reduce();
  if (reduction.empty())
    return term;
  double points = 1;
  for (unsigned index = 0; index < statement.extents.size(); ++index)
    if (statement.isReduction(index))
      points *= static_cast<double>(statement.extents[index]);
  if (reduction == "*")
    return std::pow(term, points);
  return term >= 1 ? 1 : -std::expm1(points * std::log1p(-term));
}
