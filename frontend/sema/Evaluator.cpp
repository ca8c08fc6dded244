// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names, members, lists and the dispatch of expressions. Values of declarations are in
// DeclaredValues.cpp, operators in Operators.cpp, calls in Calls.cpp.
#include "frontend/sema/Evaluator.h"

#include "frontend/sema/OtherNames.h"
#include "frontend/sema/Words.h"
#include "frontend/sema/Written.h"
#include "ir/common/DType.h"
#include "ir/common/Metrics.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include "ir/common/diagnostics/Words.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"
#include <algorithm>

using namespace perfc;

//===-- Scope
//----------------------------------------------------------------------------------===//

/// Values that are looked through one by one, at most.
static constexpr size_t mostUnindexed = 16;

llvm::Optional<size_t> Scope::indexOf(llvm::StringRef name) const {
  if (indices) {
    auto known = indices->find(name);
    return known == indices->end() ? llvm::None : llvm::Optional<size_t>(known->second);
  }
  auto isIt = [&](const auto &entry) { return entry.first == name; };
  const auto *known = llvm::find_if(values, isIt);
  return known == values.end() ? llvm::None : llvm::Optional<size_t>(known - values.begin());
}

void Scope::set(llvm::StringRef name, Value value) {
  if (auto known = indexOf(name)) {
    values[*known].second = std::move(value);
    return;
  }
  values.push_back({name, std::move(value)});
  if (indices) {
    indices->try_emplace(name, values.size() - 1);
  } else if (values.size() > mostUnindexed) {
    indices = std::make_unique<llvm::StringMap<size_t>>();
    for (size_t i = 0; i < values.size(); ++i)
      indices->try_emplace(values[i].first, i);
  }
}

const Value *Scope::find(llvm::StringRef name) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    if (auto known = scope->indexOf(name))
      return &scope->values[*known].second;
  return nullptr;
}

bool Scope::hasLocal(llvm::StringRef name) const { return indexOf(name).hasValue(); }

void Scope::names(std::vector<llvm::StringRef> &out) const {
  for (const Scope *scope = this; scope; scope = scope->parent)
    for (const auto &entry : scope->values)
      out.push_back(entry.first);
}

//===-- Names
//----------------------------------------------------------------------------------===//

llvm::Optional<Value> perfc::builtinName(llvm::StringRef name) {
  static constexpr llvm::StringLiteral words[] = {"rest",   "input",        "weight",
                                                  "output", "intermediate", "cache"};
  if (name == "any")
    return Value(Value::Any{});
  if (name == "true" || name == "false")
    return Value(name == "true");
  if (llvm::is_contained(words, name) || parseDType(name))
    return Value(WordValue{name.str(), {}});
  return llvm::None;
}

/// Deep enough for any program, and shallow enough for an 8 MB stack in an instrumented build.
static constexpr unsigned maxDepth = 1000;

Value Evaluator::evaluate(const ast::Expr &expr, const Scope &scope) {
  if (depth > maxDepth) {
    diagnostics.report(expr.range, diag::EvaluationTooDeep, maxDepth);
    return Value();
  }
  if (depth == 0)
    callsMade = 0;
  if (!constants.empty())
    if (auto set = constants.find(&expr); set != constants.end())
      return ++uses.constants, set->second;
  llvm::SaveAndRestore<unsigned> deeper(depth, depth + 1);
  return dispatch(expr, scope);
}

Value Evaluator::number(const ast::Expr &expr) {
  if (auto known = numbers.find(&expr); known != numbers.end())
    return known->second;
  llvm::StringRef bad;
  if (auto number = parseNumber(expr.text, bad))
    return numbers.try_emplace(&expr, *number).first->second;
  if (bad.empty()) {
    diagnostics.report(expr.range, diag::NumberTooLarge, expr.text);
    return Value();
  }
  auto &error = diagnostics.report(expr.range, diag::UnknownUnit, bad);
  if (bad.size() > 1 && bad[0] == 'x' && llvm::all_of(bad.drop_front(), llvm::isDigit))
    error.help("a product is `16 * 16`; axes of an array are `[x = 16, y = 16]`");
  else if (std::string meant = unitHelp(expr.text, bad); !meant.empty())
    error.help(std::move(meant));
  else
    error.suggest(bad, unitNames(),
                  expr.text.contains('/') ? "put spaces around `/` to divide" : "");
  return Value();
}

Value Evaluator::dispatch(const ast::Expr &expr, const Scope &scope) {
  using ast::ExprKind;
  switch (expr.kind) {
  case ExprKind::Number:
    return number(expr);
  case ExprKind::String:
    // `emit json "a.json"`: the words that take a format read it themselves.
    if (!expr.format.empty())
      diagnostics.report(expr.range, diag::FormatNotHere, expr.format);
    return text(expr, scope);
  case ExprKind::Name:
    return name(expr, scope);
  case ExprKind::Ellipsis:
    return WordValue{"...", {}};
  case ExprKind::Unary:
    return unary(expr, scope);
  case ExprKind::Binary:
    return binary(expr, scope);
  case ExprKind::Range:
    return rangeOf(expr, scope);
  case ExprKind::If: {
    auto chosen = condition(*expr.operands[0], scope);
    if (!chosen)
      return Value();
    return evaluate(*expr.operands[*chosen ? 1 : 2], scope);
  }
  case ExprKind::Call:
    return call(expr, scope);
  case ExprKind::Index:
    return index(expr, scope);
  case ExprKind::Member:
    return member(expr, scope);
  case ExprKind::Tuple:
  case ExprKind::List:
    return list(expr, scope);
  }
  return Value();
}

Value Evaluator::name(const ast::Expr &expr, const Scope &scope) {
  if (const Value *local = scope.find(expr.text))
    return *local;
  NameResult found = program.lookup(scope.file(), expr.text);
  if (found.second) {
    diagnostics.report(expr.range, diag::AmbiguousName, expr.text)
        .note(found.first->range, "`" + found.first->module->name + "` has one")
        .note(found.second->range, "`" + found.second->module->name + "` has one")
        .help("import one of them with `as`");
    return Value();
  }
  if (found.decl)
    return valueOf(*found.decl, expr.range);
  if (auto builtin = builtinName(expr.text))
    return *builtin;
  if (found.alias)
    return diagnostics.report(expr.range, diag::ModuleIsNoValue, expr.text), Value();
  if (found.isLost)
    return diagnostics.meetAgain(), Value();
  if (choicesAreValues && isChoiceWord(expr.text)) // sweep s in [vllm, orca] { … scheduler s … }
    return WordValue{expr.text.str(), {}};
  return unknownName(expr, scope);
}

/// A help lists at most so many names.
static constexpr size_t shownNames = 4;

Value Evaluator::unknownName(const ast::Expr &expr, const Scope &scope) {
  if (isSpeculative) {
    diagnostics.report(expr.range, diag::UnknownName, expr.text);
    return Value();
  }
  std::string hint =
      findMetric(expr.text)
          ? "`" + expr.text.str() +
                "` is a metric: it stands in a statement's block or after a result's name"
          : program.importHint(scope.file(), expr.text);
  if (hint.empty())
    hint = nameHelp(program.sourceManager(), expr.range);
  if (!hint.empty()) {
    diagnostics.report(expr.range, diag::UnknownName, expr.text).help(std::move(hint));
    return Value();
  }
  std::vector<llvm::StringRef> candidates = program.visibleNames(scope.file());
  scope.names(candidates);
  llvm::append_range(candidates, builtinFunctions());
  // `H100` for `h100_sxm`.
  std::vector<llvm::StringRef> longer;
  for (llvm::StringRef candidate : candidates)
    if (candidate.startswith_insensitive(expr.text) && longer.size() < shownNames)
      longer.push_back(candidate);
  diagnostics.report(expr.range, diag::UnknownName, expr.text)
      .suggest(expr.text, candidates,
               longer.empty() || expr.text.size() < 3
                   ? ""
                   : "there is `" + llvm::join(longer, "`, `") + "`");
  return Value();
}

Value Evaluator::member(const ast::Expr &expr, const Scope &scope) {
  const ast::Expr &outer = *expr.operands[0];
  // `lib.grid`: a name of a module that is visible under an alias.
  if (outer.kind == ast::ExprKind::Name && !scope.find(outer.text)) {
    NameResult found = program.lookup(scope.file(), outer.text);
    if (!found.decl && found.alias) {
      const Decl *inner = program.find(*found.alias, expr.text);
      if (inner && !inner->isPrivate())
        return valueOf(*inner, expr.range);
      if (isLost(*found.alias, expr.text))
        return diagnostics.meetAgain(), Value();
      program.reportNotInModule(scope.file(), *found.alias, expr.text, expr.opRange);
      return Value();
    }
  }
  Value value = evaluate(outer, scope);
  if (value.isUnknown())
    return Value();
  if (const Value::Record *record = value.getIf<Value::Record>())
    if (const Value *field = findArgument(record->fields, expr.text))
      return *field;
  const Instance *instance = value.getIf<Instance>();
  if (instance && instance->decl->kind == DeclKind::Workload) {
    Instance result = *instance;
    // A phase of a workload; whether it exists is known to the builder, which reads its body.
    result.phase = result.phase.empty() ? expr.text.str() : result.phase + "." + expr.text.str();
    result.range = expr.range;
    return result;
  }
  diagnostics.report(expr.opRange, diag::NoMember, value.describe(), expr.text);
  return Value();
}

//===-- Lists, ranges, strings
//-----------------------------------------------------------------===//

Value Evaluator::list(const ast::Expr &expr, const Scope &scope) {
  bool tuple = expr.kind == ast::ExprKind::Tuple;
  if (tuple && expr.args.size() == 1 && expr.args[0].assign.empty() && !expr.trailingComma)
    return evaluate(*expr.args[0].value, scope);
  bool record = tuple && !expr.args.empty() &&
                llvm::all_of(expr.args, [](const ast::Arg &arg) { return !arg.assign.empty(); });
  if (record)
    return bounded(Value::Record{arguments(expr.args, scope)}, expr.range);
  Value::List values;
  values.isTuple = tuple;
  for (const ast::Arg &arg : expr.args) {
    if (!arg.assign.empty())
      diagnostics.report(arg.assignRange, diag::UnexpectedAssignment);
    values.values.push_back(arg.assign.empty() ? evaluate(*arg.value, scope) : Value());
  }
  return bounded(std::move(values), expr.range);
}

Value Evaluator::bounded(Value value, SourceRange range) {
  constexpr size_t most = 1'000'000;
  if (value.size() <= most + 1)
    return value;
  diagnostics.report(range, diag::ValueTooLarge, most, "elements");
  return Value();
}

Value Evaluator::rangeOf(const ast::Expr &expr, const Scope &scope) {
  Value bounds[3];
  for (size_t i = 0; i < expr.operands.size(); ++i) {
    bounds[i] = evaluate(*expr.operands[i], scope);
    if (bounds[i].isUnknown())
      return Value();
    if (!bounds[i].is<Quantity>()) {
      diagnostics.report(expr.operands[i]->range, diag::ExpectedQuantity, bounds[i].describe());
      return Value();
    }
  }
  RangeValue range{bounds[0].get<Quantity>(), bounds[1].get<Quantity>(), llvm::None, false};
  if (!compatible(range.first.dimension(), range.last.dimension())) {
    diagnostics.report(expr.range, diag::DimensionMismatch, "..", bounds[0].describe(),
                       bounds[1].describe());
    return Value();
  }
  if (expr.operands.size() > 2) {
    range.step = bounds[2].get<Quantity>();
    const ast::Expr &step = *expr.operands[2];
    range.multiplies = step.kind == ast::ExprKind::Number && step.text.endswith("x");
    if (range.multiplies ? range.step->toDouble() <= 1 : range.step->sign() <= 0) {
      diagnostics.report(step.range, diag::BadStep);
      return Value();
    }
  }
  return range;
}

std::vector<Value> Evaluator::members(const Value &domain, SourceRange range) {
  constexpr size_t limit = 1000000;
  if (domain.isUnknown())
    return {};
  if (const Value::List *list = domain.getIf<Value::List>())
    return list->values;
  if (const RangeValue *values = domain.getIf<RangeValue>()) {
    if (auto expanded = expandRange(*values, limit))
      return *expanded;
    diagnostics.report(range, diag::TooManyMembers, limit);
    return {};
  }
  if (domain.is<Value::Any>()) {
    diagnostics.report(range, diag::HoleInDomain);
    return {};
  }
  auto &error = diagnostics.report(range, diag::NotADomain, domain.describe());
  if (domain.is<Quantity>())
    error.help("a range is written `0..3`, a list `[1, 2]`");
  return {};
}

bool Evaluator::isMember(const Value &value, const Value &domain, SourceRange range) {
  const RangeValue *values = domain.getIf<RangeValue>();
  if (!values)
    return llvm::is_contained(members(domain, range), value);
  const Quantity *quantity = value.getIf<Quantity>();
  return quantity && contains(*values, *quantity);
}

/// The value of `{name}` or `{name.member}` in a string.
Value Evaluator::embedded(llvm::StringRef path, SourceRange range, const Scope &scope) {
  auto [outer, last] = path.rsplit('.');
  ast::Expr expr{ast::ExprKind::Name, path};
  expr.range = expr.opRange = range;
  if (last.empty())
    return evaluate(expr, scope);
  Value value = embedded(outer, range, scope);
  const Value::Record *record = value.getIf<Value::Record>();
  const Value *field = record ? findArgument(record->fields, last) : nullptr;
  if (!field && !value.isUnknown())
    diagnostics.report(range, diag::NoMember, value.describe(), last);
  return field ? *field : Value();
}

Value Evaluator::text(const ast::Expr &expr, const Scope &scope) {
  bool isKnown = true;
  std::string result = string(expr, scope, &isKnown);
  return isKnown ? Value(std::move(result)) : Value();
}

std::string Evaluator::string(const ast::Expr &expr, const Scope &scope, bool *isKnown) {
  constexpr size_t most = 1'000'000;
  std::string result;
  llvm::StringRef text = expr.text;
  for (size_t i = 0; i < text.size(); ++i) {
    if (result.size() > most) {
      diagnostics.report(expr.range, diag::ValueTooLarge, most, "characters");
      return "";
    }
    if (text[i] == '\\' && i + 1 < text.size()) {
      char next = text[++i];
      result += next == 'n' ? '\n' : next;
      continue;
    }
    size_t close = text[i] == '{' ? text.find('}', i) : llvm::StringRef::npos;
    if (close == llvm::StringRef::npos) {
      result += text[i];
      continue;
    }
    uint32_t begin = static_cast<uint32_t>(expr.text.data() + i + 1 -
                                           program.sourceManager().text(expr.range.file).data());
    Value value =
        embedded(text.slice(i + 1, close).trim(),
                 {expr.range.file, begin, begin + static_cast<uint32_t>(close - i - 1)}, scope);
    const std::string *string = value.getIf<std::string>();
    result += string ? *string : written(value);
    if (isKnown)
      *isKnown &= !value.isUnknown();
    i = close;
  }
  return result;
}

std::vector<Argument> Evaluator::arguments(llvm::ArrayRef<ast::Arg> args, const Scope &scope) {
  std::vector<Argument> result;
  bool named = false;
  for (const ast::Arg &arg : args) {
    if (arg.assign.empty()) {
      if (named)
        diagnostics.report(arg.range, diag::PositionalAfterNamed);
      result.push_back(makeArgument("", evaluate(*arg.value, scope), arg.range));
      result.back().isMistaken = named;
      continue;
    }
    named = true;
    if (arg.assign != "=" || arg.value->kind != ast::ExprKind::Name) {
      diagnostics.report(arg.range, diag::BadArgumentName);
      result.push_back(makeArgument("", Value(), arg.range));
      result.back().isMistaken = true;
      continue;
    }
    std::string name = arg.value->text.str();
    if (findArgument(result, name))
      diagnostics.report(arg.range, diag::DuplicateArgument, name);
    else
      result.push_back(makeArgument(name, evaluate(*arg.assigned, scope), arg.range));
  }
  return result;
}

llvm::Optional<int64_t> Evaluator::integer(const ast::Expr &expr, const Scope &scope,
                                           llvm::StringRef what) {
  Value value = evaluate(expr, scope);
  if (value.isUnknown())
    return llvm::None;
  const Quantity *quantity = value.getIf<Quantity>();
  if (!quantity || !quantity->dimension().isExtent()) {
    diagnostics.report(expr.range, diag::ExpectedInteger, what, value.describe());
    return llvm::None;
  }
  if (!quantity->isInteger()) {
    diagnostics.report(expr.range, diag::NotWhole, what, written(*quantity))
        .help("write `ceil` or `floor` where a whole number is needed");
    return llvm::None;
  }
  return quantity->rational().numerator();
}
