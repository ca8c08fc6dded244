// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls: functions of the file, instances of declarations, elements of lists.
#include "frontend/sema/Evaluator.h"
#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"

#include "frontend/sema/Words.h"
#include "frontend/sema/Written.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

static constexpr unsigned maxCallDepth = 256;
/// A help lists the parameters of what has at most so many.
static constexpr size_t fewParameters = 12;
/// Of calls that one expression leads to: a second.
static constexpr size_t mostCalls = 100'000;
/// Results that are kept.
static constexpr size_t mostResults = 1 << 16;

Value Evaluator::call(const ast::Expr &expr, const Scope &scope) {
  const ast::Expr &callee = *expr.operands[0];
  if (callee.kind == ast::ExprKind::Name && !scope.find(callee.text)) {
    NameResult found = program.lookup(scope.file(), callee.text);
    if (!found.decl && !found.alias && llvm::is_contained(builtinFunctions(), callee.text))
      return builtin(callee.text, arguments(expr.args, scope), expr.range, scope);
    if (choicesAreValues && !found.decl && !found.alias && isChoiceWord(callee.text))
      return WordValue{callee.text.str(), arguments(expr.args, scope)};
  }
  Value value = evaluate(callee, scope);
  if (value.isUnknown()) {
    arguments(expr.args, scope); // mistakes in them are found all the same
    return Value();
  }
  const Instance *instance = value.getIf<Instance>();
  if (!instance) {
    diagnostics.report(callee.range, diag::NotCallable, value.describe());
    return Value();
  }
  if (instance->decl->kind == DeclKind::Function)
    return callFunction(*instance->decl, expr, scope);
  return callInstance(*instance, expr, scope);
}

Value Evaluator::callInstance(Instance instance, const ast::Expr &call, const Scope &scope) {
  instance.range = call.range;
  DeclKind kind = instance.decl->kind;
  bool inWorkload =
      kind == DeclKind::Op || kind == DeclKind::Workload || kind == DeclKind::Collective;
  llvm::SaveAndRestore<bool> later(tensorsAreLater, tensorsAreLater || inWorkload);
  for (Argument &argument : arguments(call.args, scope)) {
    if (!argument.name.empty() && findArgument(instance.arguments, argument.name)) {
      diagnostics.report(argument.range, diag::DuplicateArgument, argument.name);
      continue;
    }
    instance.arguments.push_back(std::move(argument));
  }
  if (tensors && inWorkload)
    return tensors->apply(instance, call.range);
  return bounded(std::move(instance), call.range);
}

bool Evaluator::bind(const Instance &instance, Scope &scope, bool allowMissing) {
  const Decl &decl = *instance.decl;
  bool complete = true, mistaken = false;
  size_t position = 0;
  llvm::StringMap<const Argument *> given;
  for (const Argument &argument : instance.arguments) {
    if (argument.isMistaken) {
      mistaken = true;
      continue;
    }
    llvm::StringRef name = argument.name;
    if (name.empty()) {
      if (position >= decl.parameters.size()) {
        diagnostics.report(argument.range, diag::TooManyArguments, decl.name,
                           atMost(decl.parameters.size(), "argument"));
        return false;
      }
      name = decl.parameters[position++].name;
    } else if (!decl.findParameter(name)) {
      auto &error = diagnostics.report(argument.range, diag::UnknownParameter, decl.name, name);
      std::vector<llvm::StringRef> candidates;
      candidates.reserve(decl.parameters.size());
      for (const Parameter &parameter : decl.parameters)
        candidates.push_back(parameter.name);
      error.suggest(name, candidates,
                    candidates.empty() || candidates.size() > fewParameters
                        ? ""
                        : "it has `" + llvm::join(candidates, "`, `") + "`");
      error.note(decl.nameRange, "it is declared here");
      mistaken = true;
      continue;
    }
    if (!given.try_emplace(name, &argument).second) {
      diagnostics.report(argument.range, diag::DuplicateArgument, name);
      mistaken = true;
    }
  }
  for (const Parameter &parameter : decl.parameters) {
    if (auto found = given.find(parameter.name); found != given.end()) {
      scope.set(parameter.name, *found->second->value);
    } else if (parameter.byDefault) {
      scope.set(parameter.name, evaluate(*parameter.byDefault, scope));
    } else {
      scope.set(parameter.name, Value());
      if (allowMissing || mistaken) // a mistaken argument was probably meant for it
        continue;
      diagnostics.report(instance.range, diag::MissingArgument, decl.name, parameter.name)
          .note(parameter.range, "it has no default");
      complete = false;
    }
  }
  return complete && !mistaken;
}

/// Each cycle is reported once, whichever of its functions is called first.
void Evaluator::reportRecursion(const Decl &function, SourceRange range) {
  bool isKnown = recursive.count(&function) != 0;
  for (const Decl *decl : busy)
    if (decl->kind == DeclKind::Function)
      recursive.insert(decl);
  if (!isKnown)
    diagnostics.report(range, diag::RecursiveFunction, function.name);
}

/// The parameters of a function that is being evaluated.
static std::string given(const Decl &function, const Scope &scope) {
  std::vector<std::string> values;
  for (const Parameter &parameter : function.parameters)
    if (const Value *value = scope.find(parameter.name))
      values.push_back(parameter.name.str() + " = " + written(*value));
  return llvm::join(values, ", ");
}

void Evaluator::reportNoReturn(const Decl &function, const Scope &scope) {
  diagnostics.report(function.nameRange, diag::NoReturn, function.name)
      .note(calls.back(), "called with " + given(function, scope));
}

/// A condition on the parameters of a function, op or workload; false, reported, where it does not
/// hold. What is not known yet may hold.
bool Evaluator::isFulfilled(const Decl &function, const ast::Item &item, const Scope &scope) {
  if (item.args.size() != 2 || item.args[0].assigned || item.args[1].assigned) {
    diagnostics.report(item.range, diag::BadRequirement);
    return false;
  }
  Value wanted = evaluate(*item.args[1].value, scope);
  if (!wanted.isUnknown() && !wanted.is<std::string>())
    diagnostics.report(item.args[1].range, diag::ExpectedText, "require");
  size_t errors = diagnostics.errorCount();
  auto holds = condition(*item.args[0].value, scope);
  if (diagnostics.errorCount() != errors) // what follows counts on the condition
    return false;
  if (!holds || *holds || !wanted.is<std::string>())
    return true;
  const std::string &needs = wanted.get<std::string>();
  if (calls.empty()) { // whatever it is called with
    diagnostics.report(item.range, diag::RequirementNotHeld, function.name, needs);
    return false;
  }
  std::string values = given(function, scope);
  diagnostics.report(calls.back(), diag::RequirementNotHeld, function.name, needs)
      .note(item.range, values.empty() ? "required here" : "required here, called with " + values);
  return false;
}

bool Evaluator::fulfils(const Instance &instance, const ast::Item &item, const Scope &scope) {
  InCall inside(*this, instance.range);
  return isFulfilled(*instance.decl, item, scope);
}

/// False, reported, where calls go round, too deep or on and on.
bool Evaluator::canCall(const Decl &function, SourceRange call) {
  if (llvm::is_contained(busy, &function)) {
    reportRecursion(function, call);
    return false;
  }
  if (busy.size() > maxCallDepth) {
    diagnostics.report(call, diag::EvaluationTooDeep, maxCallDepth);
    return false;
  }
  if (++callsMade == mostCalls)
    diagnostics.report(calls.empty() ? call : calls.front(), diag::TooManyCalls, mostCalls);
  return callsMade < mostCalls;
}

/// What a call is known by in `called`; "" when it is made each time.
static std::string keyOf(const Instance &call) {
  std::string key = fmt::format("{}", static_cast<const void *>(call.decl));
  for (const Argument &argument : call.arguments) {
    if (argument.isMistaken || !argument.value->isPlain())
      return "";
    std::string text = argument.value->text();
    key += fmt::format(",{}={}:{}", argument.name, text.size(), text);
  }
  return key;
}

Value Evaluator::callFunction(const Decl &function, const ast::Expr &call, const Scope &scope) {
  Instance instance{&function, "", arguments(call.args, scope), call.range};
  if (function.item->isDamaged)
    return Value();
  std::string key = keyOf(instance);
  if (auto known = called.find(key); known != called.end())
    return valueIn(known->second);
  if (!canCall(function, call.range))
    return Value();
  Scope inner(*function.module);
  size_t before = diagnostics.all().size();
  Uses usesBefore = uses;
  if (!bind(instance, inner, /*allowMissing=*/false))
    return Value();
  Value result = callBody(instance, inner);
  bool isKept = !key.empty() && result.isPlain() && diagnostics.all().size() == before;
  if (isKept && called.size() == mostResults)
    called.clear();
  if (isKept)
    called[key] = known(result, usesBefore);
  return result;
}

Value Evaluator::callBody(const Instance &instance, Scope &inner) {
  const Decl &function = *instance.decl;
  BlameScope blame(diagnostics, instance.range);
  busy.push_back(&function);
  calls.push_back(instance.range);
  llvm::Optional<Value> result;
  if (function.value)
    result = evaluate(*function.value, inner);
  else
    result = functionBody(function, *function.item->block, inner);
  if (!result)
    reportNoReturn(function, inner);
  calls.pop_back();
  busy.pop_back();
  return result.getValueOr(Value());
}

llvm::Optional<Value> Evaluator::functionBody(const Decl &function, const ast::Body &body,
                                              Scope &scope) {
  auto branch = [&](const ast::Body *chosen) -> llvm::Optional<Value> {
    Scope inner(scope);
    return chosen ? functionBody(function, *chosen, inner) : llvm::None;
  };
  for (const ast::Item *item : body.items) {
    if (item->kind == ast::ItemKind::If) {
      auto chosen = condition(*item->value, scope);
      if (!chosen) { // both are checked, and either may return
        branch(item->block);
        branch(item->otherwise);
        return Value();
      }
      if (auto result = branch(*chosen ? item->block : item->otherwise))
        return result;
    } else if (item->word == "let" && item->args.size() == 1 && item->args[0].assigned &&
               item->args[0].value->kind == ast::ExprKind::Name) {
      scope.set(item->args[0].value->text, evaluate(*item->args[0].assigned, scope));
    } else if (item->word == "return" && item->args.size() == 1 && !item->args[0].assigned) {
      return evaluate(*item->args[0].value, scope);
    } else if (item->word == "require") {
      if (!isFulfilled(function, *item, scope))
        return Value();
    } else {
      diagnostics.report(item->range, diag::NotInFunction);
      return Value();
    }
  }
  return llvm::None;
}

Value Evaluator::index(const ast::Expr &expr, const Scope &scope) {
  const ast::Expr &base = *expr.operands[0];
  if ((tensors || tensorsAreLater) && makesTensor(expr) && !scope.find(base.text))
    return makeTensor(expr, scope);
  Value value = evaluate(base, scope);
  if (value.isUnknown())
    return Value();
  const Value::List *list = value.getIf<Value::List>();
  if (!list || expr.args.size() != 1) {
    diagnostics.report(base.range, diag::NotIndexable, value.describe());
    return Value();
  }
  auto position = integer(*expr.args[0].value, scope, "an index");
  if (!position)
    return Value();
  if (*position < 0 || *position >= static_cast<int64_t>(list->values.size())) {
    diagnostics.report(expr.args[0].range, diag::IndexOutOfRange, *position, list->values.size());
    return Value();
  }
  return list->values[*position];
}
