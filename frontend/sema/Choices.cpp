// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that are one of a word's choices, `fat_tree(radix = 64)`.
#include "frontend/sema/Elaborator.h"
#include "frontend/sema/OtherNames.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"

#include "frontend/sema/Written.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace perfc;

static bool isWhole(const Quantity &value) {
  return value.isInteger() && value.dimension().isExtent();
}

/// What an argument needs to be instead of `value`: "a whole number".
static llvm::StringRef needed(const ChoiceArgument &spec, const Quantity *value) {
  switch (spec.kind) {
  case ArgKind::Measure:
    return describe(spec.dims);
  case ArgKind::Flag:
    return "`true` or `false`";
  case ArgKind::Text:
    return "a string";
  default:
    if (value && isWhole(*value))
      return describe(spec.dims);
    return spec.isHole ? "a whole number or `any`" : "a whole number";
  }
}

/// True when `value` is what `spec` needs, sign aside.
static bool fits(const ChoiceArgument &spec, const Value &value) {
  const Quantity *quantity = value.getIf<Quantity>();
  switch (spec.kind) {
  case ArgKind::Measure:
    return (quantity && accepts(spec.dims, quantity->dimension())) ||
           (spec.isHole && value.is<Value::Any>());
  case ArgKind::Flag:
    return value.is<bool>();
  case ArgKind::Text:
    return value.is<std::string>();
  default:
    return (quantity && isWhole(*quantity) && accepts(spec.dims, quantity->dimension())) ||
           (spec.isHole && value.is<Value::Any>());
  }
}

bool Elaborator::checkArgument(const ChoiceArgument &spec, llvm::StringRef name,
                               const Argument &argument) {
  const Value &value = *argument.value;
  if (value.isUnknown() || argument.isMistaken)
    return true;
  const Quantity *quantity = value.getIf<Quantity>();
  if (!fits(spec, value)) {
    diagnostics.report(argument.range, diag::WrongDimension, name, needed(spec, quantity),
                       quantity ? written(value) : value.describe());
    return false;
  }
  if (quantity && quantity->sign() < 0) {
    diagnostics.report(argument.range, diag::NegativeValue, name);
    return false;
  }
  return true;
}

/// Whether `word` joins two or more other choices.
bool Elaborator::choiceMembers(const WordSpec &spec, WordValue &word, SourceRange range) {
  llvm::StringSet<> given;
  for (Argument &argument : word.arguments) {
    if (argument.isMistaken)
      return false;
    const WordValue *member = argument.value->getIf<WordValue>();
    const ChoiceForm *form = member ? findForm(spec, member->word) : nullptr;
    if (!argument.name.empty() || !member || (form && !form->members.empty())) {
      diagnostics.report(argument.range, diag::WrongDimension, word.word,
                         ("another choice of `" + spec.word + "`").str(),
                         argument.value->describe());
      return false;
    }
    if (!given.insert(written(*argument.value)).second) {
      diagnostics.report(argument.range, diag::DuplicateArgument, written(*argument.value));
      return false;
    }
  }
  if (word.arguments.size() >= 2)
    return true;
  diagnostics.report(range, diag::WrongDimension, word.word, "two members or more",
                     fmt::format("{}", word.arguments.size()));
  return false;
}

/// The members of a choice that joins others, each as `node` may have it.
std::vector<Argument> Elaborator::membersOf(const Node &node, llvm::ArrayRef<ast::Arg> args,
                                            const Scope &scope) {
  std::vector<Argument> members;
  for (const ast::Arg &arg : args) {
    llvm::Optional<Value> member =
        arg.assign.empty() ? chosen(node, arg, scope) : llvm::Optional<Value>();
    if (!arg.assign.empty())
      diagnostics.report(arg.assignRange, diag::UnexpectedAssignment);
    Argument &added = members.emplace_back(makeArgument("", member ? *member : Value(), arg.range));
    added.isMistaken = !member;
  }
  return members;
}

/// Gives arguments by position their names and checks all of them against the form of the choice.
bool Elaborator::choiceArguments(const WordSpec &spec, WordValue &word, SourceRange range) {
  const ChoiceForm *form = findForm(spec, word.word);
  static constexpr ChoiceArgument size{.name = "a size"};
  bool good = true;
  if (form && !form->members.empty())
    return choiceMembers(spec, word, range);
  if (form && !form->sizes.empty()) {
    for (const Argument &argument : word.arguments)
      good &= checkArgument(size, argument.name.empty() ? word.word : argument.name, argument);
    return good;
  }
  auto known = form ? form->arguments : llvm::ArrayRef<ChoiceArgument>();
  size_t position = 0;
  llvm::SmallVector<llvm::StringRef, 4> names, given;
  for (const ChoiceArgument &argument : known)
    names.push_back(argument.name);
  for (Argument &argument : word.arguments) {
    if (argument.isMistaken)
      return false;
    if (argument.name.empty() || known.empty()) {
      if (position >= known.size()) {
        diagnostics.report(argument.range, diag::TooManyArguments, word.word,
                           atMost(known.size(), "argument"));
        return false;
      }
      argument.name = names[position++].str();
    }
    const auto *entry = llvm::find(names, argument.name);
    if (entry == names.end()) {
      diagnostics.report(argument.range, diag::UnknownParameter, word.word, argument.name)
          .suggest(argument.name, names, "its arguments are `" + llvm::join(names, "`, `") + "`");
      good = false;
      continue;
    }
    if (llvm::is_contained(given, argument.name)) {
      diagnostics.report(argument.range, diag::DuplicateArgument, argument.name);
      good = false;
    }
    given.push_back(argument.name);
    good &=
        checkArgument(known[static_cast<size_t>(entry - names.begin())], argument.name, argument);
  }
  return good;
}

llvm::Optional<Value> Elaborator::chosen(const Node &node, const ast::Arg &arg,
                                         const Scope &scope) {
  const ast::Expr &expr = *arg.value;
  WordValue word;
  SourceRange range = expr.range;
  if (expr.kind == ast::ExprKind::Name) {
    word.word = expr.text.str();
  } else if (expr.kind == ast::ExprKind::Call && expr.operands[0]->kind == ast::ExprKind::Name) {
    word.word = expr.operands[0]->text.str();
    range = expr.operands[0]->range;
    const ChoiceForm *form = findForm(*node.spec, word.word);
    word.arguments = form && !form->members.empty() ? membersOf(node, expr.args, scope)
                                                    : evaluator.arguments(expr.args, scope);
  } else if (expr.kind == ast::ExprKind::String && !expr.format.empty()) {
    word.word = expr.format.str();
    word.arguments.push_back(makeArgument("", evaluator.string(expr, scope), expr.range));
  } else {
    std::string choices = llvm::join(llvm::split(node.spec->choices, ' '), "`, `");
    diagnostics.report(arg.range, diag::ExpectedName, node.word)
        .help("it is one of `" + choices + "`");
    return llvm::None;
  }
  if (!isChoice(*node.spec, node.word, word.word, range) ||
      !choiceArguments(*node.spec, word, range))
    return llvm::None;
  return Value(std::move(word));
}

/// True for a name, or an expression over names, whose value is a choice: `scheduler s` in
/// `sweep s in [vllm, orca]`. The choices themselves go before names.
bool Elaborator::isVariable(const WordSpec &spec, const ast::Expr &expr, const Scope &scope) const {
  using ast::ExprKind;
  if (expr.kind == ExprKind::Index || expr.kind == ExprKind::If || expr.kind == ExprKind::Member)
    return true;
  if (expr.kind == ExprKind::Tuple)
    return expr.args.size() == 1 && isVariable(spec, *expr.args[0].value, scope);
  const ast::Expr *name = expr.kind == ExprKind::Call ? expr.operands[0] : &expr;
  if (name->kind != ExprKind::Name)
    return false;
  llvm::SmallVector<llvm::StringRef, 12> choices;
  llvm::StringRef(spec.choices).split(choices, ' ');
  return !llvm::is_contained(choices, name->text) &&
         (scope.find(name->text) || evaluator.program.lookup(scope.file(), name->text).decl);
}

/// Adds the choice that the expression stands for, or each of a list of them.
void Elaborator::chosenByValue(Node &node, const ast::Arg &arg, const Scope &scope) {
  Value value = evaluator.evaluate(*arg.value, scope);
  const Value::List *list = value.getIf<Value::List>();
  for (const Value &one : list ? list->values : std::vector<Value>{value}) {
    if (one.isUnknown())
      continue;
    const WordValue *word = one.getIf<WordValue>();
    const Instance *named = one.getIf<Instance>(); // `ring`, also an algorithm of the library
    const std::string *text = one.getIf<std::string>();
    if (!word && !named && !text) {
      diagnostics.report(arg.range, diag::UnknownChoice, node.word, one.describe());
      return;
    }
    WordValue chosen = word    ? *word
                       : named ? WordValue{named->decl->name.str(), named->arguments}
                               : WordValue{*text, {}};
    if (!isChoice(*node.spec, node.word, chosen.word, arg.range) ||
        !choiceArguments(*node.spec, chosen, arg.range))
      return;
    node.args.push_back({"", Value(std::move(chosen)), &arg, arg.range});
  }
  if (list && node.spec->maxArgs != anyNumber && node.args.size() > node.spec->maxArgs)
    diagnostics.report(arg.range, diag::TooManyValues, node.word,
                       atMost(node.spec->maxArgs, "value"));
}

bool Elaborator::isChoice(const WordSpec &spec, llvm::StringRef word, llvm::StringRef given,
                          SourceRange range) {
  llvm::SmallVector<llvm::StringRef, 12> choices;
  llvm::StringRef(spec.choices).split(choices, ' ');
  if (llvm::is_contained(choices, given))
    return true;
  Diagnostic &error = diagnostics.report(range, diag::UnknownChoice, word, given);
  if (llvm::StringRef known = choiceCalled(given); llvm::is_contained(choices, known))
    error.help(fmt::format("it is called `{}` here", known));
  else
    error.suggest(given, choices, "it is one of `" + llvm::join(choices, "`, `") + "`");
  return false;
}
