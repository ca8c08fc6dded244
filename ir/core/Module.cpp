// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/core/Module.h"

using namespace perfc;
using namespace perfc::ir;

Operation *Module::lookup(llvm::StringRef name) const {
  return const_cast<Region &>(top).find(name);
}

std::string Module::uniqueName(llvm::StringRef base) const {
  if (!lookup(base))
    return base.str();
  unsigned &next = nextSuffix[base];
  std::string name;
  do
    name = base.str() + "_" + std::to_string(++next);
  while (lookup(name));
  return name;
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
