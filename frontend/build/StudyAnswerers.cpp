// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `using`: who answers an evaluation, a provider, a tool in the place of one, or an ensemble of
// both.
#include "frontend/build/StudyBuilder.h"

#include "frontend/build/ToolChoice.h"
#include "frontend/sema/Written.h"
#include "ir/study/StudyOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

std::vector<const WordValue *> StudyBuilder::answerers(const Node &statement) {
  std::vector<const WordValue *> answerers;
  if (const Node *using_ = statement.find("using"))
    for (const NodeArg &arg : using_->args)
      answerers.push_back(&arg.value.get<WordValue>());
  if (answerers.empty())
    answerers.push_back(nullptr);
  return answerers;
}

std::string StudyBuilder::answererText(const WordValue &by) {
  std::vector<std::string> arguments;
  for (const Argument &argument : by.arguments) {
    const WordValue *member = argument.value->getIf<WordValue>();
    arguments.push_back(member ? answererText(*member) : written(*argument.value));
  }
  return arguments.empty() ? by.word : by.word + "(" + llvm::join(arguments, ", ") + ")";
}

/// `evaluate` asks the provider or tool `by`; false after a report.
bool StudyBuilder::chooseAnswerer(const WordValue &by, SourceRange range, ir::Operation &evaluate) {
  if (by.word == "tool")
    return chooseTool(by, range, evaluate, diagnostics);
  evaluate.setAttr("using", by.word);
  return true;
}

/// One result: an evaluation, or those of the members of an ensemble. Null where `into` has none of
/// it; `good` becomes false after a report.
ir::Operation *StudyBuilder::answer(const Node &statement, const Subject &subject,
                                    const NodeArg &on, llvm::ArrayRef<NodeArg> with,
                                    const WordValue *by, ir::Region &into, bool &good) {
  ir::Operation *made = nullptr;
  if (!by || by->word != "ensemble") {
    good &= row(statement, subject, on, with, by, into, made);
    return made;
  }
  ir::Operation *ensemble =
      context.builder.create(into, study::EnsembleOp::opName, statement.range);
  for (const Argument &member : by->arguments)
    good &=
        row(statement, subject, on, with, &member.value->get<WordValue>(), ensemble->body(), made);
  if (!made)
    return ensemble;
  llvm::StringRef label = made->stringAttr("label");
  ensemble->setAttr("label", label.rsplit(" using ").first.str() + " using " + answererText(*by));
  return ensemble;
}
