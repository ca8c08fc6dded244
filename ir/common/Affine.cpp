// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Affine.h"

#include "ir/common/Rational.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

AffineExpr AffineExpr::variable(llvm::StringRef name, int64_t coefficient) {
  AffineExpr result;
  if (coefficient != 0)
    result.list.push_back({name.str(), coefficient});
  return result;
}

int64_t AffineExpr::coefficient(llvm::StringRef name) const {
  for (const Term &term : list)
    if (term.name == name)
      return term.coefficient;
  return 0;
}

llvm::StringRef AffineExpr::asVariable() const {
  bool single = list.size() == 1 && list[0].coefficient == 1 && offset == 0;
  return single ? llvm::StringRef(list[0].name) : llvm::StringRef();
}

namespace perfc {

llvm::Optional<AffineExpr> add(const AffineExpr &a, const AffineExpr &b) {
  AffineExpr result = a;
  auto constant = checkedAdd(a.offset, b.offset);
  if (!constant)
    return llvm::None;
  result.offset = *constant;
  for (const AffineExpr::Term &term : b.list) {
    auto same =
        llvm::find_if(result.list, [&](const auto &other) { return other.name == term.name; });
    if (same == result.list.end()) {
      result.list.push_back(term);
      continue;
    }
    auto sum = checkedAdd(same->coefficient, term.coefficient);
    if (!sum)
      return llvm::None;
    same->coefficient = *sum;
    if (*sum == 0)
      result.list.erase(same);
  }
  return result;
}

llvm::Optional<AffineExpr> scale(const AffineExpr &a, int64_t factor) {
  if (factor == 0)
    return AffineExpr();
  AffineExpr result = a;
  auto constant = checkedMultiply(a.offset, factor);
  if (!constant)
    return llvm::None;
  result.offset = *constant;
  for (AffineExpr::Term &term : result.list) {
    auto product = checkedMultiply(term.coefficient, factor);
    if (!product)
      return llvm::None;
    term.coefficient = *product;
  }
  return result;
}

} // namespace perfc

std::string AffineExpr::text() const {
  std::string result;
  auto append = [&](int64_t coefficient, llvm::StringRef name) {
    bool negative = coefficient < 0;
    result += result.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    uint64_t size = negative ? 0 - static_cast<uint64_t>(coefficient) : coefficient;
    if (name.empty() || size != 1)
      result += std::to_string(size) + (name.empty() ? "" : "*");
    result += name;
  };
  for (const Term &term : list)
    append(term.coefficient, term.name);
  if (offset != 0 || list.empty())
    append(offset, "");
  return result;
}

/// Reads one `[-] [number *] name` or `[-] number`, removing it from `text`.
static llvm::Optional<AffineExpr> parseTerm(llvm::StringRef &text, bool negative) {
  llvm::StringRef digits = text.take_while(llvm::isDigit);
  int64_t size = 1;
  if (!digits.empty() && digits.getAsInteger(10, size))
    return llvm::None;
  text = text.drop_front(digits.size());
  if (!digits.empty() && !text.consume_front("*"))
    return AffineExpr(negative ? -size : size);
  auto isNameByte = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  llvm::StringRef name = text.take_while(isNameByte);
  if (name.empty() || llvm::isDigit(name[0]))
    return llvm::None;
  text = text.drop_front(name.size());
  return AffineExpr::variable(name, negative ? -size : size);
}

llvm::Optional<AffineExpr> AffineExpr::parse(llvm::StringRef text) {
  text = text.trim();
  bool negative = text.consume_front("-");
  llvm::Optional<AffineExpr> result = AffineExpr();
  while (true) {
    auto term = parseTerm(text, negative);
    result = term ? add(*result, *term) : llvm::None;
    if (!result)
      return llvm::None;
    text = text.ltrim();
    if (text.empty())
      return result;
    negative = text.startswith("-");
    if (!text.consume_front("-") && !text.consume_front("+"))
      return llvm::None;
    text = text.ltrim();
  }
}

llvm::Optional<AffineBounds> perfc::bounds(const AffineExpr &expr,
                                           llvm::function_ref<int64_t(llvm::StringRef)> extent) {
  AffineBounds result{expr.constant(), expr.constant()};
  for (const AffineExpr::Term &term : expr.terms()) {
    auto reach = checkedMultiply(term.coefficient, extent(term.name) - 1);
    int64_t &side = term.coefficient > 0 ? result.high : result.low;
    auto moved = reach ? checkedAdd(side, *reach) : llvm::None;
    if (!moved)
      return llvm::None;
    side = *moved;
  }
  return result;
}
