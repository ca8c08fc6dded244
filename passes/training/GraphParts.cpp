// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/GraphParts.h"

#include "ir/collective/CollectiveOps.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

GraphParts::GraphParts(const Module &module, llvm::StringRef graph, llvm::StringRef chip) {
  for (const Operation &op : module.body()) {
    auto part = as<phase::SequenceOp>(op);
    if (!part || part.of() != graph || part.target() != chip)
      continue;
    if (part.part() == "layers")
      layers.push_back(part);
    else
      (part.part() == "before" ? before : after) = part;
  }
}

Region *passes::runSequence(Builder &builder, Region &into, phase::SequenceOp part, int64_t times) {
  Region *region = &into;
  if (!part || times == 0)
    return nullptr;
  if (times > 1) {
    auto repeat = builder.create<collective::RepeatOp>(into, part->location());
    repeat->setAttr("count", times);
    region = &repeat->body();
  }
  auto run = builder.create<collective::RunOp>(*region, part->location());
  run->setAttr("phase", Attribute::symbol(part.symbol()));
  return region;
}
