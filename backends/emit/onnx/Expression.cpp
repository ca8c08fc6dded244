// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/onnx/Expression.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::emit::onnx;

namespace {

class Reader {
public:
  explicit Reader(llvm::StringRef text) : rest(text) {}

  llvm::Optional<Expression> whole() {
    llvm::Optional<Expression> result = sum();
    skipSpace();
    return rest.empty() ? result : llvm::None;
  }

private:
  void skipSpace() { rest = rest.ltrim(); }
  /// One of `signs`, or 0.
  char sign(llvm::StringRef signs) {
    skipSpace();
    if (rest.empty() || !signs.contains(rest.front()))
      return 0;
    char found = rest.front();
    rest = rest.drop_front();
    return found;
  }

  /// Operands of `signs`, joined from the left.
  template <typename Part> llvm::Optional<Expression> joined(llvm::StringRef signs, Part part) {
    llvm::Optional<Expression> left = part();
    while (left) {
      char found = sign(signs);
      if (!found)
        return left;
      llvm::Optional<Expression> right = part();
      if (!right)
        return llvm::None;
      Expression both;
      both.kind = Expression::Binary;
      both.name = found;
      both.operands = {std::move(*left), std::move(*right)};
      left = std::move(both);
    }
    return left;
  }
  llvm::Optional<Expression> sum() {
    constexpr unsigned mostNested = 64;
    if (++depth > mostNested)
      return llvm::None;
    auto result = joined("+-", [&] { return joined("*/", [&] { return factor(); }); });
    --depth;
    return result;
  }

  llvm::Optional<Expression> factor() {
    if (sign("(")) {
      llvm::Optional<Expression> inner = sum();
      return sign(")") ? inner : llvm::None;
    }
    if (sign("-")) {
      llvm::Optional<Expression> inner = factor();
      if (!inner)
        return llvm::None;
      Expression minus;
      minus.kind = Expression::Minus;
      minus.operands = {std::move(*inner)};
      return minus;
    }
    skipSpace();
    bool isNumber = !rest.empty() && (llvm::isDigit(rest.front()) || rest.front() == '.');
    return isNumber ? number() : name();
  }

  llvm::Optional<Expression> number() {
    size_t length = 0;
    for (char before = 0; length < rest.size(); before = rest[length++]) {
      char c = rest[length];
      bool isSign = (c == '-' || c == '+') && (before == 'e' || before == 'E');
      if (!llvm::isDigit(c) && c != '.' && c != 'e' && c != 'E' && !isSign)
        break;
    }
    Expression result;
    if (rest.take_front(length).getAsDouble(result.number))
      return llvm::None;
    rest = rest.drop_front(length);
    return result;
  }

  llvm::Optional<Expression> name() {
    llvm::StringRef word = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (word.empty())
      return llvm::None;
    rest = rest.drop_front(word.size());
    Expression result;
    result.name = word.str();
    result.kind = Expression::Name;
    if (sign("[")) {
      size_t close = rest.find(']');
      // An index that is an element itself depends on data.
      if (close == llvm::StringRef::npos || rest.take_front(close).contains('['))
        return llvm::None;
      rest = rest.drop_front(close + 1);
      result.kind = Expression::Access;
      result.read = reads++;
    } else if (sign("(")) {
      result.kind = Expression::Call;
      do {
        llvm::Optional<Expression> argument = sum();
        if (!argument)
          return llvm::None;
        result.operands.push_back(std::move(*argument));
      } while (sign(","));
      if (!sign(")"))
        return llvm::None;
    }
    return result;
  }

  llvm::StringRef rest;
  size_t reads = 0;
  unsigned depth = 0;
};

} // namespace

llvm::Optional<Expression> emit::onnx::rightSideOf(llvm::StringRef text) {
  size_t bracket = text.find(']');
  size_t sign = bracket == llvm::StringRef::npos ? bracket : text.find('=', bracket);
  if (sign == llvm::StringRef::npos)
    return llvm::None;
  return Reader(text.drop_front(sign + 1)).whole();
}
