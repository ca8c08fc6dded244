// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/ValueRules.h"

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace perfc;
using namespace perfc::config;

using Json = llvm::json::Value;

namespace {

/// What a default is. Of calls of workloads and records nothing is known here.
enum class Kind : uint8_t { Unknown, Number, Truth, Text, List };

} // namespace

struct config::ValueRange {
  bool isShare = false, mayBeZero = false, mayBeNegative = false;
};

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

static bool isNegative(const ast::Expr &expr) {
  return expr.kind == ast::ExprKind::Unary && expr.text == "-";
}

static bool isZero(const ast::Expr &expr) {
  return expr.kind == ast::ExprKind::Number && expr.text == "0";
}

/// True where `is` holds of `byDefault`, or of an element of that list.
static bool has(const ast::Expr *byDefault, bool (*is)(const ast::Expr &)) {
  if (byDefault && byDefault->kind == ast::ExprKind::List)
    return llvm::any_of(byDefault->args, [&](const ast::Arg &each) { return is(*each.value); });
  return byDefault && is(*byDefault);
}

ValueRange ValueRules::rangeOf(const ast::Arg &parameter) const {
  llvm::StringRef name = parameter.value->text;
  const ast::Expr *byDefault = parameter.assigned;
  ValueRange range;
  range.isShare = hasWord(name, shares);
  range.mayBeNegative = has(byDefault, isNegative);
  range.mayBeZero = range.mayBeNegative || has(byDefault, isZero) || hasWord(name, optional);
  return range;
}

/// True of a kind or a boolean, or a list in a list that begins with one.
static bool isNoSize(const ast::Expr &element) {
  const ast::Expr *first = &element;
  if (element.kind == ast::ExprKind::List && !element.args.empty())
    first = element.args.front().value;
  return first->kind == ast::ExprKind::String || first->kind == ast::ExprKind::Name;
}

/// True where `byDefault` is a list of sizes, not one of kinds or booleans or without elements.
static bool isListOfSizes(const ast::Expr *byDefault) {
  return byDefault && byDefault->kind == ast::ExprKind::List && !byDefault->args.empty() &&
         llvm::none_of(byDefault->args, [](const ast::Arg &each) { return isNoSize(*each.value); });
}

/// True where `byDefault` is a list of booleans.
static bool isListOfTruths(const ast::Expr *byDefault) {
  return byDefault && byDefault->kind == ast::ExprKind::List && !byDefault->args.empty() &&
         llvm::all_of(byDefault->args, [](const ast::Arg &each) {
           return each.value->text == "true" || each.value->text == "false";
         });
}

/// What `value`, a number or null for 0, has to be; "" where it is in `range`.
static std::string mistakeOf(const Json &value, const ValueRange &range) {
  double number = value.getAsNumber().getValueOr(0);
  std::string written;
  llvm::raw_string_ostream(written) << value;
  if (!range.isShare && value.getAsNumber() && !value.getAsInteger())
    return fmt::format("a {} number, not {}", number == std::floor(number) ? "smaller" : "whole",
                       written);
  if (range.mayBeNegative || number > 0 || (number == 0 && range.mayBeZero))
    return "";
  if (range.isShare)
    return fmt::format("a number {} 0, not {}", range.mayBeZero ? "of at least" : "above", written);
  return fmt::format("a whole number of at least {}, not {}", range.mayBeZero ? 0 : 1, written);
}

/// The same of the numbers of a list, which has nothing else where it is one of sizes.
static std::string mistakeIn(const llvm::json::Array &list, const ValueRange &range,
                             bool hasSizes) {
  if (hasSizes && list.empty())
    return "a list of numbers";
  std::string mistake;
  for (const Json &element : list) {
    if (const llvm::json::Array *inner = element.getAsArray())
      mistake = mistakeIn(*inner, range, hasSizes);
    else if (element.getAsNumber())
      mistake = mistakeOf(element, range);
    else if (hasSizes)
      mistake = "a list of numbers";
    if (!mistake.empty())
      return mistake;
  }
  return "";
}

/// True where `byDefault` is a list of kinds.
static bool isListOfTexts(const ast::Expr *byDefault) {
  return byDefault && byDefault->kind == ast::ExprKind::List && !byDefault->args.empty() &&
         llvm::all_of(byDefault->args, [](const ast::Arg &each) {
           return each.value->kind == ast::ExprKind::String;
         });
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
  bool hasSizes = isListOfSizes(parameter.assigned);
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
      return list ? "a number, or a list of one number again and again" : "a number";
    break;
  case Kind::List:
    if ((value.getAsBoolean() && isListOfTruths(parameter.assigned)) ||
        (value.getAsString() && isListOfTexts(parameter.assigned)))
      return "";
    if (!list && !(isNumber && hasSizes))
      return "a list";
    break;
  }
  ValueRange range = rangeOf(parameter);
  if (!list)
    return mistakeOf(value, range);
  range.mayBeZero |= !hasSizes; // kinds and places of layers
  return mistakeIn(*list, range, hasSizes);
}

bool ValueRules::isNullZero(const ast::Arg &parameter) const {
  const ast::Expr *byDefault = parameter.assigned;
  ValueRange range = rangeOf(parameter);
  return byDefault && byDefault->kind == ast::ExprKind::Number && range.mayBeZero && !range.isShare;
}
