// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and constants of a loaded program, set for the runs that follow.
#include "frontend/build/Compilation.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>

using namespace perfc;

static const Decl *findParameter(Program &files, const Module &root, llvm::StringRef name) {
  const Decl *decl = files.find(root, name);
  return decl && decl->kind == DeclKind::Param ? decl : nullptr;
}

bool Compilation::setParameter(llvm::StringRef name, const std::string &text) {
  size_t errors = diagnostics.errorCount();
  const Decl *decl = findParameter(files, *root, name);
  if (!decl)
    return false;
  const ast::Expr *before = files.overrideOf(decl);
  Value known = evaluator.overrideParam(*decl, Value());
  files.setParameter(name, text);
  evaluator.valueOf(*decl, decl->nameRange); // which checks it
  if (diagnostics.errorCount() == errors)
    return true;
  files.restoreOverride(decl, before);
  evaluator.overrideParam(*decl, std::move(known));
  return false;
}

bool Compilation::setParameter(llvm::StringRef name, double value) {
  const Decl *decl = findParameter(files, *root, name);
  if (!decl || !std::isfinite(value))
    return false;
  Value before = evaluator.valueOf(*decl, decl->nameRange);
  const Quantity *quantity = before.getIf<Quantity>();
  Dimension dimension = quantity ? quantity->dimension() : Dimension();
  bool isWhole = std::trunc(value) == value && std::fabs(value) < 0x1p53;
  Quantity given = isWhole ? Quantity(Rational(static_cast<int64_t>(value)), dimension)
                           : Quantity(Uncertain(value), dimension);
  if (decl->domain) // whose members the text is compared with
    return setParameter(name, given.text());
  evaluator.overrideParam(*decl, given);
  return true;
}

bool Compilation::resetParameter(llvm::StringRef name) {
  const Decl *decl = findParameter(files, *root, name);
  if (!decl)
    return false;
  files.restoreOverride(decl, loadedOverrides.lookup(decl));
  evaluator.overrideParam(*decl, Value());
  return true;
}

//===-- Fits
//---------------------------------------------------------------------------------===//

std::vector<Fit> Compilation::fits() {
  std::vector<Fit> fits;
  for (const ast::Item *item : root->statements) {
    bool isFit = item->kind == ast::ItemKind::Line && item->word == "calibrate";
    if (!isFit || item->isDamaged)
      continue;
    if (auto fit = readFit(evaluator, *item, Scope(*root)))
      fits.push_back(std::move(*fit));
  }
  return fits;
}

void Compilation::addTables(const Module &module) {
  if (&module == root || llvm::is_contained(tableModules, &module))
    return;
  tableModules.push_back(&module);
  const Decl *here = findParameter(files, *root, "table"),
             *there = findParameter(files, module, "table");
  if (!here || !there)
    return;
  // A path counts from where it is written.
  const ast::Expr *given = files.overrideOf(here);
  files.restoreOverride(there, given ? given : here->value);
  evaluator.overrideParam(*there, Value());
}

void Compilation::setConstants(Constants values) {
  Evaluator::Constants constants;
  for (const auto &[constant, value] : values) {
    constants[constant->place] = Quantity(value, constant->dimension);
    for (const FitConstant &other : constant->others)
      constants[other.place] = Quantity(value, other.dimension);
  }
  // Chips may have the constants that were there before.
  if (!evaluator.setConstants(std::move(constants)))
    keptChips.clear();
  for (auto kept = keptChips.begin(); kept != keptChips.end();) {
    auto one = kept++;
    if (one->second.usesConstants)
      keptChips.erase(one);
  }
}

void Compilation::chooseRows(std::function<bool(size_t)> isWanted) {
  isRowWanted = std::move(isWanted);
}

Value Compilation::valueOf(const Decl &decl) {
  size_t known = diagnostics.all().size();
  Value value = evaluator.valueOf(decl, decl.nameRange);
  diagnostics.truncate(known);
  return value;
}

std::vector<Value> Compilation::domainOf(const Decl &parameter) {
  if (!parameter.domain)
    return {};
  size_t known = diagnostics.all().size();
  Value domain = evaluator.evaluate(*parameter.domain, Scope(*parameter.module));
  std::vector<Value> members = evaluator.members(domain, parameter.domain->range);
  diagnostics.truncate(known);
  return members;
}
