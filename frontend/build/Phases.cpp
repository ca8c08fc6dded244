// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/build/Phases.h"

#include "frontend/sema/Elaborator.h"
#include "ir/common/diagnostics/Names.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

namespace {
class PhaseReader {
public:
  explicit PhaseReader(BuildContext &context)
      : context(context), outside(context.evaluator.tensors, nullptr) {}

  std::vector<Phase> read(const Decl &workload, llvm::ArrayRef<Argument> given);

private:
  /// Of the items in `body`; `known` has what conditions and domains may use, `own` what the
  /// phases may.
  void body(const ast::Body &body, Scope &known, Scope &own);
  void phase(const ast::Item &item, const Scope &own);
  void choice(const ast::Item &item, Scope &known, Scope &own);
  void rounds(const ast::Item &loop, Scope &known, Scope &own);
  Value speculate(const ast::Expr &expr, const Scope &scope);
  Scope &inside(const Scope &scope) { return context.elaborator.newScope(scope); }

  BuildContext &context;
  llvm::SaveAndRestore<TensorSemantics *> outside; ///< nothing runs here
  std::vector<Phase> found;
  const ast::Body *open = nullptr;         ///< innermost branch around that may not be chosen
  std::vector<const ast::Body *> branchOf; ///< of each phase found: `open` where it stands
};
} // namespace

static bool holdsPhase(const ast::Body *body) {
  return body && llvm::any_of(body->items, [](const ast::Item *item) {
           return item->word == "phase" || holdsPhase(item->block) || holdsPhase(item->otherwise);
         });
}

/// The value of a line of the body; unknown where it has to do with tensors. Mistakes are reported
/// where the body runs.
Value PhaseReader::speculate(const ast::Expr &expr, const Scope &scope) {
  size_t before = context.diagnostics.all().size(), errors = context.diagnostics.errorCount();
  llvm::SaveAndRestore<bool> speculative(context.evaluator.isSpeculative, true);
  Value value = context.evaluator.evaluate(expr, scope);
  bool isGood = context.diagnostics.errorCount() == errors;
  context.diagnostics.truncate(before);
  return isGood ? value : Value();
}

void PhaseReader::phase(const ast::Item &item, const Scope &own) {
  const ast::Expr *head = item.args.empty() ? nullptr : item.args[0].value;
  llvm::StringRef name = !head                               ? ""
                         : head->kind == ast::ExprKind::Call ? head->operands[0]->text
                                                             : head->text;
  if (name.empty())
    return;
  for (size_t i = 0; i < found.size(); ++i) {
    if (found[i].name != name || branchOf[i] != open)
      continue;
    Diagnostic &error = context.diagnostics.report(head->range, diag::DuplicateDeclaration, name);
    if (found[i].item == &item)
      error.note("each round of the `for` around it declares it again");
    else
      error.note(found[i].item->args[0].value->range, "the first declaration is here");
    return;
  }
  found.push_back({name, &item, &own});
  branchOf.push_back(open);
}

void PhaseReader::choice(const ast::Item &item, Scope &known, Scope &own) {
  Value value = speculate(*item.value, known);
  const bool *truth = value.getIf<bool>();
  for (const ast::Body *branch : {item.block, item.otherwise}) {
    if (!branch || (truth && *truth != (branch == item.block)))
      continue;
    llvm::SaveAndRestore<const ast::Body *> inner(open, truth ? open : branch);
    body(*branch, inside(known), inside(own));
  }
}

void PhaseReader::rounds(const ast::Item &loop, Scope &known, Scope &own) {
  size_t errors = context.diagnostics.errorCount();
  context.elaborator.forEach(loop, known, [&](Scope &round) {
    if (context.diagnostics.errorCount() != errors)
      return; // each round would find it again
    Scope &inner = inside(own);
    for (const ast::Arg &arg : loop.args)
      inner.set(arg.value->operands[0]->text, *round.find(arg.value->operands[0]->text));
    body(*loop.block, round, inner);
  });
}

void PhaseReader::body(const ast::Body &body, Scope &known, Scope &own) {
  if (!holdsPhase(&body))
    return;
  for (const ast::Item *item : body.items) {
    bool isNamed = item->args.size() == 1 && item->args[0].assigned;
    if (item->word == "phase")
      phase(*item, own);
    else if (item->kind == ast::ItemKind::If)
      choice(*item, known, own);
    else if (item->word == "for" && holdsPhase(item->block))
      rounds(*item, known, own);
    else if (item->word == "let" && isNamed)
      known.set(item->args[0].value->text, speculate(*item->args[0].assigned, known));
    else if (item->block)
      this->body(*item->block, known, own);
  }
}

std::vector<Phase> PhaseReader::read(const Decl &workload, llvm::ArrayRef<Argument> given) {
  if (!workload.item->block)
    return {};
  Scope &own = context.elaborator.newScope(*workload.module);
  Scope &known = inside(own);
  size_t position = 0;
  for (const Parameter &parameter : workload.parameters) {
    const Value *value = findArgument(given, parameter.name);
    if (!value && position < given.size() && given[position].name.empty())
      value = given[position++].value.get();
    known.set(parameter.name, value                 ? *value
                              : parameter.byDefault ? speculate(*parameter.byDefault, known)
                                                    : Value());
  }
  body(*workload.item->block, known, own);
  return std::move(found);
}

std::vector<Phase> perfc::phasesOf(BuildContext &context, const Decl &workload,
                                   llvm::ArrayRef<Argument> given) {
  return PhaseReader(context).read(workload, given);
}

std::vector<llvm::StringRef> perfc::phaseNames(llvm::ArrayRef<Phase> phases) {
  std::vector<llvm::StringRef> names;
  for (const Phase &phase : phases)
    names.push_back(phase.name);
  return names;
}
