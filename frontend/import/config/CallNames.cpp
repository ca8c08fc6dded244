// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/import/config/CallNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::config;

bool CallNames::hasPhase(llvm::StringRef name) const {
  return llvm::any_of(phases, [&](const PhaseNames &phase) { return phase.name == name; });
}

bool CallNames::hasParameter(llvm::StringRef name) const {
  return llvm::is_contained(parameters, name);
}

/// Adds the parameters of the head `name(a, b = 1)`, without those that are `fixed`.
static void addParameters(const ast::Item &item, llvm::ArrayRef<llvm::StringRef> fixed,
                          std::vector<std::string> &parameters) {
  const ast::Expr &head = *item.args[0].value;
  if (head.kind != ast::ExprKind::Call)
    return;
  for (const ast::Arg &parameter : head.args) {
    llvm::StringRef name = parameter.value->text;
    if (!llvm::is_contained(fixed, name) && !llvm::is_contained(parameters, name))
      parameters.push_back(name.str());
  }
}

/// Phases anywhere in `body`, of those that set no parameter which is `fixed`.
static void addPhases(const ast::Body &body, llvm::ArrayRef<llvm::StringRef> fixed,
                      std::vector<PhaseNames> &phases) {
  for (const ast::Item *item : body.items) {
    if (item->kind == ast::ItemKind::If)
      addPhases(*item->block, fixed, phases);
    if (item->kind != ast::ItemKind::Line || item->word != "phase" || item->args.empty())
      continue;
    const ast::Expr *set = item->args[0].assigned;
    auto isFixed = [&](const ast::Arg &arg) { return llvm::is_contained(fixed, arg.value->text); };
    if (set && llvm::any_of(set->args, isFixed))
      continue;
    phases.push_back({nameOf(*item).str(), {}});
    addParameters(*item, {}, phases.back().parameters);
  }
}

CallNames config::callNames(llvm::ArrayRef<Row> chain) {
  CallNames names;
  std::vector<llvm::StringRef> fixed;
  for (const Row &row : chain) {
    addParameters(*row.item, fixed, names.parameters);
    if (const ast::Expr *base = madeFrom(row))
      for (const ast::Arg &given : base->args)
        fixed.push_back(given.value->text);
  }
  if (!chain.empty() && chain.back().item->block)
    addPhases(*chain.back().item->block, fixed, names.phases);
  return names;
}
