// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/ValueRules.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace perfc;
using namespace perfc::config;

using Json = llvm::json::Value;

namespace {

/// What a default is. Of calls of workloads and records nothing is known here.
enum class Kind : uint8_t { Unknown, Number, Truth, Text, List };

} // namespace

bool config::hasWord(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> words) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  name.split(parts, '_');
  parts.push_back(name);
  return llvm::any_of(parts, [&](llvm::StringRef part) { return llvm::is_contained(words, part); });
}

const ast::Arg *config::findParameter(llvm::ArrayRef<const ast::Arg *> parameters,
                                      llvm::StringRef name) {
  auto found = llvm::find_if(
      parameters, [&](const ast::Arg *parameter) { return parameter->value->text == name; });
  return found == parameters.end() ? nullptr : *found;
}

static Kind kindOf(const ast::Expr &expr, llvm::ArrayRef<const ast::Arg *> all, size_t links = 0) {
  static constexpr llvm::StringLiteral arithmetic[] = {"+", "-", "*", "/", "%", "^"};
  static constexpr llvm::StringLiteral functions[] = {"floor", "ceil", "round", "min", "max"};
  switch (expr.kind) {
  case ast::ExprKind::Number:
    return Kind::Number;
  case ast::ExprKind::Unary:
  case ast::ExprKind::Binary:
    return llvm::is_contained(arithmetic, expr.text) ? Kind::Number : Kind::Truth;
  case ast::ExprKind::String:
    return Kind::Text;
  case ast::ExprKind::List:
  case ast::ExprKind::Range:
    return Kind::List;
  case ast::ExprKind::If:
    return kindOf(*expr.operands[1], all, links);
  case ast::ExprKind::Tuple:
    return expr.args.size() == 1 ? kindOf(*expr.args[0].value, all, links) : Kind::Unknown;
  case ast::ExprKind::Call:
    return llvm::is_contained(functions, expr.operands[0]->text) ? Kind::Number : Kind::Unknown;
  case ast::ExprKind::Name: {
    if (expr.text == "true" || expr.text == "false")
      return Kind::Truth;
    const ast::Arg *other = findParameter(all, expr.text);
    bool isKnown = other && other->assigned && links < longestChain;
    return isKnown ? kindOf(*other->assigned, all, links + 1) : Kind::Unknown;
  }
  default:
    return Kind::Unknown;
  }
}

/// True of a negative number and of a list with one.
static bool isNegative(const ast::Expr *expr) {
  if (expr && expr->kind == ast::ExprKind::List)
    return llvm::any_of(expr->args, [](const ast::Arg &each) { return isNegative(each.value); });
  return expr && expr->kind == ast::ExprKind::Unary && expr->text == "-";
}

ValueRange ValueRules::rangeOf(const ast::Arg &parameter) const {
  llvm::StringRef name = parameter.value->text;
  const ast::Expr *byDefault = parameter.assigned;
  ValueRange range;
  range.isShare = hasWord(name, shares);
  range.mayBeNegative = isNegative(byDefault);
  range.mayBeZero =
      range.isShare || range.mayBeNegative || hasWord(name, optional) ||
      (byDefault && (byDefault->text == "0" || byDefault->kind == ast::ExprKind::List));
  return range;
}

/// What `value`, a number or null for 0, has to be; "" where it is in `range`.
static std::string mistakeOf(const Json &value, const ValueRange &range) {
  double number = value.getAsNumber().getValueOr(0);
  llvm::StringRef kind = range.isShare ? "a number" : "a whole number";
  int least = range.mayBeZero ? 0 : 1;
  std::string written;
  llvm::raw_string_ostream(written) << value;
  if (!range.isShare && value.getAsNumber() && !value.getAsInteger())
    return fmt::format("{}, not {}", kind, written);
  if (number < least && !range.mayBeNegative)
    return fmt::format("{} of at least {}, not {}", kind, least, written);
  return "";
}

/// The same of the numbers of a list; an element of one may be 0.
static std::string mistakeIn(const llvm::json::Array &list, ValueRange range) {
  range.mayBeZero = true;
  std::string mistake;
  for (const Json &element : list) {
    if (const llvm::json::Array *inner = element.getAsArray())
      mistake = mistakeIn(*inner, range);
    else if (element.getAsNumber())
      mistake = mistakeOf(element, range);
    if (!mistake.empty())
      return mistake;
  }
  return "";
}

static Kind kindOf(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all) {
  return parameter.assigned ? kindOf(*parameter.assigned, all) : Kind::Unknown;
}

const Json &ValueRules::plain(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all,
                              const Json &value) {
  const llvm::json::Array *list = value.getAsArray();
  bool isOne =
      kindOf(parameter, all) == Kind::Number && list && !list->empty() && llvm::is_splat(*list);
  return isOne ? list->front() : value;
}

std::string ValueRules::mistake(const ast::Arg &parameter, llvm::ArrayRef<const ast::Arg *> all,
                                const Json &value) const {
  const llvm::json::Array *list = value.getAsArray();
  bool isNumber = value.getAsNumber() || value.kind() == Json::Null;
  switch (kindOf(parameter, all)) {
  case Kind::Unknown: // a number where an argument is needed
    if (parameter.assigned)
      return "";
    if (!list && !isNumber)
      return "a number";
    break;
  case Kind::Truth:
    return value.getAsBoolean() ? "" : "true or false";
  case Kind::Text:
    return value.getAsString() ? "" : "a text";
  case Kind::Number:
    if (!isNumber)
      return "a number";
    break;
  case Kind::List:
    if (!list && !isNumber)
      return "a list";
    break;
  }
  return list ? mistakeIn(*list, rangeOf(parameter)) : mistakeOf(value, rangeOf(parameter));
}

bool ValueRules::isNullZero(const ast::Arg &parameter) const {
  const ast::Expr *byDefault = parameter.assigned;
  return byDefault && byDefault->kind == ast::ExprKind::Number &&
         !hasWord(parameter.value->text, shares);
}
