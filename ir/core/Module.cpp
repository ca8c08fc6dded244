// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Module.h"

using namespace perfc;
using namespace perfc::ir;

Operation *Module::lookup(llvm::StringRef name) const { return symbols.lookup(name); }

std::string Module::uniqueName(llvm::StringRef base) const {
  if (!symbols.count(base))
    return base.str();
  unsigned &next = nextSuffix[base];
  std::string name;
  do
    name = base.str() + "_" + std::to_string(++next);
  while (symbols.count(name));
  return name;
}

void Module::addSymbol(Operation &op) { symbols.try_emplace(op.symbol(), &op); }

void Module::removeSymbol(Operation &op) {
  auto entry = symbols.find(op.symbol());
  if (entry == symbols.end() || entry->second != &op)
    return;
  symbols.erase(entry);
  for (Operation &other : top)
    if (&other != &op && other.symbol() == op.symbol())
      addSymbol(other);
}

Operation *ir::resolve(const Operation &from, llvm::StringRef name) {
  const Operation *op = &from;
  while (Operation *outer = op->parentOp()) {
    if (Operation *found = op->parentRegion()->find(name))
      return found;
    op = outer;
  }
  const Module *module = op->module();
  return module ? module->lookup(name) : nullptr;
}

Operation *Builder::create(Region &region, llvm::StringRef opName, Location location) {
  const OpDecl *decl = registry.find(opName);
  assert(decl && "an operation that no table declares");
  return &region.insert(std::make_unique<Operation>(*decl, std::move(location)));
}

Operation *Builder::createBefore(Operation &next, llvm::StringRef opName, Location location) {
  const OpDecl *decl = registry.find(opName);
  assert(decl && next.parentRegion());
  return &next.parentRegion()->insert(std::make_unique<Operation>(*decl, std::move(location)),
                                      &next);
}
