// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/UsedLibraries.h"

#include "ir/target/TargetOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

/// The texts in `value`, such as those of `with all_gather = ring, all_reduce = nccl`.
static void addTexts(const ir::Attribute &value, llvm::StringSet<> &texts) {
  if (value.is(ir::AttrKind::String))
    texts.insert(value.asString());
  if (value.is(ir::AttrKind::List))
    for (const ir::Attribute &element : value.asList())
      addTexts(element, texts);
  if (value.is(ir::AttrKind::Dict))
    for (const ir::AttrDict::Entry &entry : value.asDict().entries())
      addTexts(entry.second, texts);
}

UsedLibraries::UsedLibraries(const ir::Module &module) {
  module.walk([&](const ir::Operation &op) {
    for (const ir::Operation::NamedAttribute &attr : op.attrs())
      addTexts(attr.value, names);
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
