// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Built-in functions of strings, such as the cells of a table of measurements:
//   matches("nccl-2.27.3", "nccl-*")       true; `*` stands for any characters
//   lookup(gpu, [("A100*", a), ("H*", h)])   what stands beside the first case that matches
//   lookup("pad", (stride = 2), 0)           the member of that name, if there is one
//   parts("nccl-2.27.3", "-")                ["nccl", "2.27.3"]
//   parts("357", "")                         ["3", "5", "7"]
//   named("a100_sxm_80gb")                   what has this name
//   named("192")                             192
#include "frontend/sema/Evaluator.h"

#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

llvm::Optional<llvm::StringRef> perfc::textFunctionArguments(llvm::StringRef name) {
  if (name == "named")
    return llvm::StringRef("a name as a string");
  if (name == "matches")
    return llvm::StringRef("a string and a pattern");
  if (name == "parts")
    return llvm::StringRef("a string and what stands between its parts");
  if (name == "lookup")
    return llvm::StringRef("a value and a list of pairs, and what it is otherwise");
  return llvm::None;
}

/// Whether `pattern`, in which `*` stands for any characters, is all of `text`.
static bool hasForm(llvm::StringRef text, llvm::StringRef pattern) {
  auto [head, rest] = pattern.split('*');
  if (head.size() == pattern.size())
    return text == pattern;
  if (!text.consume_front(head))
    return false;
  // The first place of each part leaves most for those behind it; the last one stands at the end.
  while (rest.contains('*')) {
    std::tie(head, rest) = rest.split('*');
    size_t at = text.find(head);
    if (at == llvm::StringRef::npos)
      return false;
    text = text.drop_front(at + head.size());
  }
  return text.endswith(rest);
}

static bool isCase(const Value &value, const Value &pattern) {
  const std::string *text = value.getIf<std::string>(), *form = pattern.getIf<std::string>();
  return text && form ? hasForm(*text, *form) : value == pattern;
}

llvm::Optional<Value> Evaluator::textFunction(llvm::StringRef name, llvm::ArrayRef<Value> operands,
                                              SourceRange range, const Scope &scope) {
  auto textAt = [&](size_t i) {
    return i < operands.size() ? operands[i].getIf<std::string>() : nullptr;
  };
  const std::string *first = textAt(0), *second = textAt(1);
  if (name == "named" && operands.size() == 1 && first) {
    llvm::StringRef bad;
    bool mayBeNumber = !first->empty() && llvm::isDigit(first->front());
    if (auto number = mayBeNumber ? parseNumber(*first, bad) : llvm::None)
      return Value(*number);
    ast::Expr wanted{ast::ExprKind::Name, *first};
    wanted.range = range;
    return this->name(wanted, scope);
  }
  if (name == "matches" && operands.size() == 2 && second)
    return Value(isCase(operands[0], operands[1]));
  if (name == "parts" && operands.size() == 2 && first && second) {
    Value::List list;
    if (second->empty())
      for (char letter : *first)
        list.values.push_back(std::string(1, letter));
    else
      for (llvm::StringRef part : llvm::split(*first, *second))
        list.values.push_back(part.str());
    return Value(std::move(list));
  }
  if (name == "lookup" && operands.size() == 3 && first && operands[1].is<Value::Record>()) {
    const Value *member = findArgument(operands[1].get<Value::Record>().fields, *first);
    return member ? *member : operands[2];
  }
  const Value::List *cases =
      name == "lookup" && operands.size() > 1 ? operands[1].getIf<Value::List>() : nullptr;
  if (!cases || operands.size() > 3)
    return llvm::None;
  for (const Value &entry : cases->values) {
    const Value::List *pair = entry.getIf<Value::List>();
    if (!pair || pair->values.size() != 2)
      return llvm::None;
    if (isCase(operands[0], pair->values[0]))
      return pair->values[1];
  }
  if (operands.size() == 3)
    return operands[2];
  diagnostics.report(range, diag::NoCase, written(operands[0]));
  return Value();
}
