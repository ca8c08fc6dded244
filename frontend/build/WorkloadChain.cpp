// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which body a workload runs and with which arguments: the chain of `from` to the workload that has
// one, with what each hands on to the next, and the phase.
#include "frontend/build/GraphBuilder.h"
#include "frontend/build/Phases.h"
#include "frontend/sema/HandedOn.h"
#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Systems.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

/// `phase decode(context = 1024) = (T = 1, S = context)`: adds T and S to `arguments`, which lose
/// what the phase's own parameters take, and of `defaults` what the phase gives.
bool GraphBuilder::addPhase(const Instance &instance, const Decl &decl,
                            std::vector<Argument> &arguments, const llvm::StringSet<> &defaults) {
  std::vector<Phase> phases = phasesOf(context, decl, arguments);
  auto found =
      llvm::find_if(phases, [&](const Phase &phase) { return phase.name == instance.phase; });
  if (found == phases.end()) {
    std::vector<std::string> calls;
    for (const Phase &phase : phases)
      calls.push_back(fmt::format("`{}.{}`", instance.decl->name, phase.name));
    std::string help = calls.empty() ? "it has no phases"
                                     : fmt::format("its phases are {}", fmt::join(calls, ", "));
    if (instance.phase == "generate")
      help = "`serve` generates tokens; " + help;
    diagnostics.report(instance.range, diag::UnknownPhase, instance.decl->name, instance.phase)
        .suggest(instance.phase, phaseNames(phases), help);
    return false;
  }
  const ast::Item *phase = found->item;
  const ast::Arg &head = phase->args[0];
  Scope &scope = context.elaborator.newScope(*found->scope);
  if (head.value->kind == ast::ExprKind::Call) {
    for (const ast::Arg &parameter : head.value->args) {
      llvm::StringRef name = parameter.value->text;
      if (const Value *given = findArgument(arguments, name))
        scope.set(name, *given);
      else if (parameter.assigned)
        scope.set(name, context.evaluator.evaluate(*parameter.assigned, scope));
      else if (context.allowMissing)
        scope.set(name, Value());
      else
        diagnostics.report(instance.range, diag::MissingArgument, instance.phase, name);
      if (!decl.findParameter(name))
        llvm::erase_if(arguments, [&](const Argument &other) { return other.name == name; });
    }
  }
  llvm::SaveAndRestore<bool> later(context.evaluator.tensorsAreLater, true);
  Value values = head.assigned ? context.evaluator.evaluate(*head.assigned, scope) : Value();
  const Value::Record *record = values.getIf<Value::Record>();
  if (!record) {
    if (!values.isUnknown() || !head.assigned)
      diagnostics.report(phase->range, diag::BadPhase);
    return false;
  }
  for (const Argument &field : record->fields) {
    if (defaults.contains(field.name))
      llvm::erase_if(arguments, [&](const Argument &other) { return other.name == field.name; });
    if (findArgument(arguments, field.name)) {
      diagnostics.report(instance.range, diag::DuplicateArgument, field.name)
          .note(phase->range, "the phase gives it");
      continue;
    }
    arguments.push_back(field);
  }
  return true;
}

/// What `from` gives, it gives for good: with `argument` instead it is another workload.
static void reportFixed(DiagnosticEngine &diagnostics, const Decl &decl, const Instance &origin,
                        llvm::ArrayRef<Argument> given, const Argument &argument) {
  Instance other = origin;
  SourceRange fixedAt;
  for (const Argument &one : given) {
    auto same = llvm::find_if(other.arguments,
                              [&](const Argument &fixed) { return fixed.name == one.name; });
    if (same == other.arguments.end()) {
      other.arguments.push_back(one);
      continue;
    }
    same->value = one.value;
    if (one.name == argument.name)
      fixedAt = same->range;
  }
  diagnostics.report(argument.range, diag::FixedArgument, decl.name, argument.name)
      .note(fixedAt, "given here")
      .help(fmt::format("name `{}` of {} with arguments of your own: `{}`", origin.decl->name,
                        origin.decl->module->name.empty() ? "this file"
                                                          : "`" + origin.decl->module->name + "`",
                        written(Value(other))));
}

namespace {

/// Arguments of a base that parameters of what is made from it are handed on as.
struct HandedOnArguments {
  llvm::StringSet<> names;
  llvm::StringSet<> defaults; ///< those that no call gives

  /// Adds those of `decl`, called as `own` and bound in `scope`, to the `arguments` of its base.
  void add(const Decl &decl, const Instance &own, const Scope &scope,
           std::vector<Argument> &arguments);
};

} // namespace

void HandedOnArguments::add(const Decl &decl, const Instance &own, const Scope &scope,
                            std::vector<Argument> &arguments) {
  auto byPosition =
      llvm::count_if(own.arguments, [](const Argument &argument) { return argument.name.empty(); });
  for (const Parameter *parameter : handedOn(decl)) {
    llvm::StringRef name = parameter->name;
    const Value *value = scope.find(name);
    if (!value || findArgument(arguments, name))
      continue;
    arguments.push_back(makeArgument(name.str(), *value, parameter->range));
    bool isGiven = findArgument(own.arguments, name)
                       ? !defaults.contains(name)
                       : parameter - decl.parameters.data() < byPosition;
    names.insert(name);
    if (isGiven)
      defaults.erase(name);
    else
      defaults.insert(name);
  }
}

/// `decl` called with those of `arguments` that are its own parameters, which by position come
/// first and are known to the arguments of its base; the others go to `rest`.
static Instance ownCall(const Decl &decl, llvm::ArrayRef<Argument> arguments, SourceRange range,
                        std::vector<Argument> &rest) {
  Instance own{&decl, "", {}, range};
  size_t positions = decl.parameters.size();
  for (const Argument &argument : arguments) {
    bool isOwn =
        argument.name.empty() ? positions > 0 : decl.findParameter(argument.name) != nullptr;
    positions -= isOwn && argument.name.empty();
    (isOwn ? own.arguments : rest).push_back(argument);
  }
  return own;
}

llvm::Optional<ResolvedWorkload> GraphBuilder::resolve(const Instance &instance) {
  // What stands after `from` names a workload with arguments; it does not run here.
  llvm::SaveAndRestore<TensorSemantics *> outside(context.evaluator.tensors, nullptr);
  ResolvedWorkload result{instance.decl, instance.arguments};
  llvm::SmallVector<const Decl *, 4> chain;
  HandedOnArguments handed;
  for (;;) {
    const Decl &decl = *result.decl;
    const ast::Clause *from = nullptr;
    for (const ast::Clause &clause : decl.item->clauses)
      if (clause.word == "from" && clause.args.size() == 1)
        from = &clause;
    if (!from)
      break;
    if (auto known = llvm::find(chain, &decl); known != chain.end()) {
      const Decl *first = earliest(llvm::makeArrayRef(known, chain.end()));
      diagnostics.report(first->nameRange, diag::InheritanceCycle, first->name);
      return llvm::None;
    }
    chain.push_back(&decl);
    std::vector<Argument> rest;
    Instance own = ownCall(decl, result.arguments, instance.range, rest);
    Scope &scope = context.elaborator.newScope(*decl.module);
    if (!context.evaluator.bind(own, scope, context.allowMissing))
      return llvm::None;
    Value base = context.evaluator.evaluate(*from->args[0].value, scope);
    const Instance *origin = base.getIf<Instance>();
    if (!origin || origin->decl->kind != DeclKind::Workload) {
      if (!base.isUnknown())
        diagnostics.report(from->args[0].range, diag::WrongBase, "workload", base.describe());
      return llvm::None;
    }
    result.decl = origin->decl;
    result.arguments = origin->arguments;
    for (Argument &argument : rest) {
      if (!argument.name.empty() && findArgument(result.arguments, argument.name)) {
        if (handed.names.contains(argument.name))
          continue;
        reportFixed(diagnostics, decl, *origin, rest, argument);
        return llvm::None;
      }
      result.arguments.push_back(argument);
    }
    handed.add(decl, own, scope, result.arguments);
  }
  if (!instance.phase.empty() &&
      !addPhase(instance, *result.decl, result.arguments, handed.defaults))
    return llvm::None;
  llvm::erase_if(result.arguments, [&](const Argument &argument) {
    return handed.names.contains(argument.name) && !result.decl->findParameter(argument.name);
  });
  return result;
}
