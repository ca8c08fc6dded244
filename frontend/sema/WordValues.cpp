// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values behind a word: how many there may be, of which kind and in which dimension, as the
// word's table says.
#include "frontend/sema/Elaborator.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"

#include "frontend/sema/Written.h"

using namespace perfc;

/// The whole numbers that a name stands for: `stages layers_of`; null for others.
static const Value::List *namedList(const WordSpec &spec, const ast::Arg &arg, const Scope &scope) {
  bool isOne = spec.kind == ArgKind::Integer && spec.maxArgs == anyNumber && arg.assign.empty() &&
               arg.value->kind == ast::ExprKind::Name;
  const Value *value = isOne ? scope.find(arg.value->text) : nullptr;
  const Value::List *list = value ? value->getIf<Value::List>() : nullptr;
  auto isWhole = [](const Value &each) {
    return each.is<Quantity>() && each.get<Quantity>().isInteger();
  };
  return list && llvm::all_of(list->values, isWhole) ? list : nullptr;
}

void Elaborator::values(Node &node, llvm::ArrayRef<ast::Arg> args, const Scope &scope) {
  const WordSpec &spec = *node.spec;
  bool blockInstead = node.item && node.item->block && spec.minArgs == 0;
  bool noMeasure = args.empty() && spec.minArgs == 0 && spec.kind == ArgKind::Measure &&
                   node.item && !node.item->block;
  if ((args.size() < spec.minArgs && !blockInstead) || noMeasure)
    diagnostics.report(node.wordRange.after(), diag::TooFewValues, node.word)
        .help("`" + node.word.str() + "`: " + spec.doc.str());
  if (spec.maxArgs != anyNumber && args.size() > spec.maxArgs)
    diagnostics.report(args[spec.maxArgs].range, diag::TooManyValues, node.word,
                       atMost(spec.maxArgs, "value"));
  for (const ast::Arg &arg : args)
    if (spec.kind == ArgKind::Choice && arg.assign.empty() && isVariable(spec, *arg.value, scope))
      chosenByValue(node, arg, scope);
    else if (const Value::List *list = namedList(spec, arg, scope))
      for (const Value &one : list->values)
        node.args.push_back({"", one, &arg, arg.range});
    else if (auto result = value(node, arg, scope))
      node.args.push_back(std::move(*result));
}

/// A whole number, a hole where the word may be one, or what is unknown yet; nothing after a
/// report.
static llvm::Optional<Value> whole(const Node &node, const ast::Arg &arg, Evaluator &evaluator,
                                   const Scope &scope) {
  Value value = evaluator.evaluate(*arg.value, scope);
  if ((value.is<Value::Any>() && node.spec->isHole) || value.isUnknown())
    return value;
  const Quantity *quantity = value.getIf<Quantity>();
  if (quantity && !accepts(node.spec->dims, quantity->dimension())) {
    evaluator.diagnostics.report(arg.range, diag::WrongDimension, node.word,
                                 describe(node.spec->dims), written(*quantity));
    return llvm::None;
  }
  auto number = evaluator.integer(*arg.value, scope, "`" + node.word.str() + "`");
  return number ? llvm::Optional<Value>(Quantity(Rational(*number))) : llvm::None;
}

llvm::Optional<NodeArg> Elaborator::value(const Node &node, const ast::Arg &arg,
                                          const Scope &scope) {
  NodeArg result{"", Value(), &arg, arg.range};
  ArgKind kind = node.spec->kind;
  // `expect latency = 5ms` is a comparison gone wrong, which is said where it is read.
  bool isCondition = node.word == "expect" || node.word == "require";
  bool isMistake = kind == ArgKind::Metric
                       ? !isCondition || arg.value->kind == ast::ExprKind::Binary
                       : kind == ArgKind::Syntax && !node.spec->assigns;
  if (arg.assigned && isMistake)
    diagnostics.report(arg.assignRange, diag::UnexpectedAssignment);
  if (kind == ArgKind::Syntax || kind == ArgKind::Metric)
    return result;
  if (kind == ArgKind::Pairs) {
    if (arg.assign != "=" || arg.value->kind != ast::ExprKind::Name) {
      diagnostics.report(arg.range, diag::ExpectedPair, node.word);
      return llvm::None;
    }
    result.name = arg.value->text.str();
    if (!isChoice(*node.spec, node.word, result.name, arg.value->range))
      return llvm::None;
    result.value = evaluator.evaluate(*arg.assigned, scope);
    bool isOpen = result.value.isUnknown() || result.value.is<Value::Any>() ||
                  result.value.is<RangeValue>() || result.value.is<Value::List>();
    if (isOpen || node.spec->dims != Dims::Any) // a measure is checked by the owner of the word
      return result;
    return evaluator.integer(*arg.assigned, scope, "`" + result.name + "`")
               ? llvm::Optional<NodeArg>(std::move(result))
               : llvm::None;
  }
  if (node.word == "with" && arg.assign == "=" && arg.value->kind == ast::ExprKind::Name) {
    result.name = arg.value->text.str(); // all_gather = ring
    if (llvm::any_of(node.args, [&](const NodeArg &known) { return known.name == result.name; })) {
      diagnostics.report(arg.range, diag::DuplicateArgument, result.name);
      return llvm::None;
    }
    result.value = evaluator.evaluate(*arg.assigned, scope);
    return result;
  }
  if (!arg.assign.empty()) {
    diagnostics.report(arg.assignRange, diag::UnexpectedAssignment);
    return llvm::None;
  }
  llvm::Optional<Value> value;
  switch (kind) {
  case ArgKind::Measure:
    value = measure(node, arg, scope);
    break;
  case ArgKind::Choice:
    value = chosen(node, arg, scope);
    break;
  case ArgKind::Integer:
    value = whole(node, arg, evaluator, scope);
    break;
  case ArgKind::Name:
    if (arg.value->kind == ast::ExprKind::Name)
      value = Value(WordValue{arg.value->text.str(), {}});
    else
      diagnostics.report(arg.range, diag::ExpectedName, node.word);
    break;
  case ArgKind::Text:
    if (arg.value->kind == ast::ExprKind::String)
      value = Value(evaluator.string(*arg.value, scope));
    else
      diagnostics.report(arg.range, diag::ExpectedText, node.word);
    break;
  default:
    value = evaluator.evaluate(*arg.value, scope);
  }
  if (!value)
    return llvm::None;
  result.value = std::move(*value);
  return result;
}

/// What times are divided by: nothing happens at a rate of zero.
static bool isRate(Dims dims) {
  return dims == Dims::Frequency || dims == Dims::Bandwidth || dims == Dims::Rate;
}

llvm::Optional<Value> Elaborator::measure(const Node &node, const ast::Arg &arg,
                                          const Scope &scope) {
  Value value = evaluator.evaluate(*arg.value, scope);
  if (value.isUnknown())
    return value;
  const Quantity *quantity = value.getIf<Quantity>();
  if (!quantity || !accepts(*node.spec, quantity->dimension())) {
    diagnostics.report(arg.range, diag::WrongDimension, node.word, describe(node.spec->dims),
                       value.describe());
    return llvm::None;
  }
  if (quantity->sign() < 0) {
    diagnostics.report(arg.range, diag::NegativeValue, node.word);
    return llvm::None;
  }
  if (quantity->sign() == 0 && isRate(node.spec->dims)) {
    diagnostics.report(arg.range, diag::ZeroValue, node.word);
    return llvm::None;
  }
  return value;
}
