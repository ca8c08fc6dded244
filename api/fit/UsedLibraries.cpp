// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/UsedLibraries.h"

#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

UsedLibraries::UsedLibraries(const ir::Module &module) {
  module.walk([&](const ir::Operation &op) {
    for (const ir::Operation::NamedAttribute &attr : op.attrs())
      if (attr.value.is(ir::AttrKind::String))
        names.insert(attr.value.asString());
  });
}

bool UsedLibraries::include(const ir::Operation &op) const {
  if (op.is(target::ProtocolOp::opName))
    return include(*op.parentOp());
  if (!op.is(target::LibraryOp::opName) || names.contains(op.symbol()))
    return true;
  return &op == &*llvm::find_if(*op.parentRegion(), [](const ir::Operation &other) {
    return other.is(target::LibraryOp::opName);
  });
}
