// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/ServeValues.h"

#include "frontend/build/Attributes.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Serving.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cmath>

using namespace perfc;

static constexpr double mostTokens = 1e7;
static constexpr double mostInBatch = 1e6;

Wants perfc::wantsOf(llvm::StringRef argument, Dims dims) {
  if (dims == Dims::Tokens)
    return Wants::Tokens;
  return llvm::StringSwitch<Wants>(argument)
      .Cases("rate", "every", "prefill_to_decode", "cv", "sigma", Wants::Positive)
      .Cases("peak", "length", "period", "ttft", "swap", Wants::Positive)
      .Cases("think", "at", "start", Wants::NotNegative)
      .Case("swing", Wants::Share)
      .Cases("repair", "mtbf", "up", "down", Wants::Positive)
      .Cases("capacity", "bandwidth", Wants::Positive)
      .Case("number", Wants::Index)
      .Case("seed", Wants::Seed)
      .Case("theta", Wants::Theta)
      .Default(Wants::Count);
}

llvm::StringRef perfc::describe(Wants wants) {
  switch (wants) {
  case Wants::Count:
    return "a whole number from 1 to 1000000";
  case Wants::Tokens:
    return "a whole number of tokens from 1 to 10000000";
  case Wants::Seed:
    return "a whole number from 0 to 4294967295";
  case Wants::Positive:
    return "from 1e-30 to 1e30";
  case Wants::NotNegative:
    return "from 0 to 1e30";
  case Wants::Index:
    return "a whole number from 0 to 999999";
  case Wants::Share:
    return "from 0 to 1";
  case Wants::Theta:
    return "a number from 0 to below 1";
  }
  return "";
}

bool perfc::meets(const Quantity &value, Wants wants) {
  double number = value.toDouble();
  if (!std::isfinite(number))
    return false;
  switch (wants) {
  case Wants::Count:
    return value.isInteger() && number >= 1 && number <= mostInBatch;
  case Wants::Tokens:
    return value.isInteger() && number >= 1 && number <= mostTokens;
  case Wants::Seed:
    return number >= 0 && number <= 4294967295.0;
  case Wants::Positive:
    return number >= 1e-30 && number <= 1e30;
  case Wants::NotNegative:
    return number >= 0 && number <= 1e30;
  case Wants::Index:
    return value.isInteger() && number >= 0 && number < mostInBatch;
  case Wants::Share:
    return number >= 0 && number <= 1;
  case Wants::Theta:
    return number >= 0 && number < 1;
  }
  return false;
}

/// Sets one argument, of the dimension `dims`, unless it is reported.
static void readArgument(BuildContext &context, const Argument &argument, Dims dims,
                         ir::Operation &into) {
  const Quantity *number = argument.value->getIf<Quantity>();
  Wants wants = wantsOf(argument.name, dims);
  if (argument.value->is<Value::Any>())
    into.setAttr("open_rate", ir::Attribute::unit());
  if (!number)
    return;
  if (!meets(*number, wants)) {
    context.diagnostics.report(argument.range, diag::BadServeValue,
                               fmt::format("`{}` is {}, not {}", argument.name,
                                           describe(wants).str(), written(*argument.value)));
    return;
  }
  bool isWhole = wants == Wants::Count || wants == Wants::Tokens || wants == Wants::Seed ||
                 wants == Wants::Index;
  if (number->isInteger() && isWhole)
    into.setAttr(argument.name, number->rational().numerator());
  else if (auto base = inBaseUnits(context, *number, argument.range, {}))
    into.setAttr(argument.name, *base);
}

/// What an argument is without a value: a number, or what `byDefault` says in words.
static void readDefault(BuildContext &context, const ChoiceArgument &spec, const WordValue &word,
                        SourceRange range, ir::Operation &into) {
  llvm::StringRef unit;
  if (spec.byDefault.empty())
    context.diagnostics.report(
        range, diag::BadServeValue,
        fmt::format("`{}` needs `{}`: {}", word.word, spec.name.str(), spec.doc.str()));
  else if (auto number = parseNumber(spec.byDefault, unit); number && unit.empty())
    readArgument(context, makeArgument(spec.name.str(), Value(*number), range), spec.dims, into);
}

const WordValue *perfc::readChoice(BuildContext &context, const Node &node, ir::Operation &into) {
  size_t errors = context.diagnostics.errorCount();
  const WordValue *word = node.args.empty() ? nullptr : node.args[0].value.getIf<WordValue>();
  const ChoiceForm *form = word ? findForm(*node.spec, word->word) : nullptr;
  if (!form)
    return word;
  for (const ChoiceArgument &spec : form->arguments) {
    auto given =
        llvm::find_if(word->arguments, [&](const Argument &one) { return one.name == spec.name; });
    if (given == word->arguments.end())
      readDefault(context, spec, *word, node.args[0].range, into);
    else
      readArgument(context, *given, spec.dims, into);
  }
  return context.diagnostics.errorCount() == errors ? word : nullptr;
}
