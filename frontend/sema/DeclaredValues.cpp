// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of declarations, which are evaluated once, and what is forgotten of them when a parameter
// or a constant of a fit is set.
#include "frontend/sema/Evaluator.h"

#include "frontend/sema/Written.h"
#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Values.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace perfc;

Value Evaluator::valueOf(const Decl &decl, SourceRange use) {
  if (decl.item->isDamaged || decl.item->isMistaken || mistaken.count(&decl))
    return diagnostics.meetAgain(), Value();
  bool constant = decl.kind == DeclKind::Let || decl.kind == DeclKind::Param;
  if (!constant)
    return Instance{&decl, "", {}, use};
  if (auto given = paramOverrides.find(&decl); given != paramOverrides.end())
    return ++uses.parameters, given->second;
  if (auto known = cache.find(&decl); known != cache.end()) {
    if (known->second.value.isUnknown())
      diagnostics.meetAgain();
    return valueIn(known->second);
  }
  if (llvm::is_contained(busy, &decl)) {
    diagnostics.report(decl.nameRange, diag::CyclicDefinition, decl.name);
    return Value();
  }
  busy.push_back(&decl);
  Uses before = uses;
  uses.parameters += decl.kind == DeclKind::Param;
  llvm::SaveAndRestore<bool> choices(choicesAreValues, true);
  const ast::Expr *given = program.overrideOf(&decl);
  Value value = evaluate(given ? *given : *decl.value, Scope(*decl.module));
  if (decl.domain && !value.isUnknown()) {
    Value domain = evaluate(*decl.domain, Scope(*decl.module));
    if (!domain.isUnknown() && !isMember(value, domain, decl.domain->range)) {
      diagnostics
          .report(given ? given->range : decl.value->range, diag::OutsideDomain, decl.name,
                  written(value))
          .note(decl.domain->range, "it may be one of these");
      value = Value();
    }
  }
  busy.pop_back();
  cache[&decl] = known(value, before);
  return value;
}

/// Takes out the entries of which that holds.
template <typename Map, typename IsStale> static void eraseIf(Map &map, IsStale isStale) {
  for (auto entry = map.begin(), end = map.end(); entry != end;) {
    auto one = entry++;
    if (isStale(one->second))
      map.erase(one);
  }
}

void Evaluator::forget(bool Known::*uses) {
  // What is unknown is reported for the next point or trial as well.
  auto isStale = [&](const Known &known) { return known.*uses || known.value.isUnknown(); };
  eraseIf(cache, isStale);
  eraseIf(called, isStale);
}

Value Evaluator::overrideParam(const Decl &param, Value value) {
  Value before = paramOverrides.lookup(&param);
  if (value.isUnknown())
    paramOverrides.erase(&param);
  else
    paramOverrides[&param] = std::move(value);
  forget(&Known::usesParameter);
  return before;
}

bool Evaluator::setConstants(Constants values) {
  bool areSame = constants.size() == values.size() && llvm::all_of(values, [&](const auto &entry) {
                   return constants.count(entry.first) > 0;
                 });
  constants = std::move(values);
  if (areSame) {
    forget(&Known::usesConstant);
    return true;
  }
  cache.clear(); // what was set before is marked as using them, what was not is not
  called.clear();
  return false;
}
