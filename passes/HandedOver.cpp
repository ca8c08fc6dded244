// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/HandedOver.h"

#include "ir/op/OpOps.h"
#include "passes/KernelUses.h"
#include "passes/StackGroups.h"
#include "passes/analysis/Streams.h"
#include "passes/training/ShardKernel.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <vector>

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// What `value` is in the rounds behind the first one, or behind the last: what a round makes.
static const Value *madeByRound(const Value &value) {
  const Region *region = value.owningRegion();
  const Operation *repeat = region ? region->parentOp() : value.definingOp();
  if (!repeat || !repeat->is(op::RepeatOp::opName))
    return nullptr;
  return &repeat->body().back().operand(value.index());
}

bool passes::isJoined(const Operation &kernel) {
  return llvm::any_of(kernel.body(), [](const Operation &part) { return part.hasAttr("handed"); });
}

/// The operations beside `reader` that read `value`, in order.
static std::vector<const Operation *> readersOf(const Value &value, const Operation &reader) {
  std::vector<const Operation *> readers;
  for (const Operation &op : *reader.parentRegion()) {
    bool reads = false;
    op.walk([&](const Operation &inner) { reads |= llvm::is_contained(inner.operands(), &value); });
    if (reads)
      readers.push_back(&op);
  }
  return readers;
}

bool HandedOver::isHanded(const Value &value, const Operation &reader,
                          const FusionRules &rules) const {
  auto exchange = as<op::CollectiveOp>(value.definingOp());
  if (exchange && exchange.kind() == "all_reduce")
    return rules.sums && readersOf(value, reader).size() == 1 &&
           (isNorm(reader) || addsActivations(reader));
  const Value *made = madeByRound(value);
  return rules.additions && made && made->definingOp() && addsActivations(*made->definingOp()) &&
         isNorm(reader) && readersOf(value, reader).front() == &reader;
}

void HandedOver::mark(Operation &reader, size_t operand) {
  KernelUse use = kernelUse(reader);
  Operation *&copy = copies[{use.kernel.op, operand}];
  if (!copy) {
    ValueMap none;
    copy = &use.kernel->clone(module.body(), none, use.kernel.op);
    llvm::StringRef name = use.kernel.symbol();
    llvm::StringRef suffix = name.consume_back(shardSuffix) ? llvm::StringRef(shardSuffix) : "";
    copy->setSymbol(module.uniqueName(fmt::format("{}_joined{}", name, suffix)));
    inputsOf(op::KernelOp(copy))[operand]->setAttr("handed", Attribute::unit());
  }
  reader.setAttr("kernel", Attribute::symbol(copy->symbol()));
}

void HandedOver::run(Region &region, const FusionRules &rules) {
  if (!rules.sums && !rules.additions)
    return;
  for (Operation &op : region) {
    if (op.is(op::RepeatOp::opName))
      run(op.body(), rules);
    op::KernelOp kernel = kernelUse(op).kernel;
    if (!kernel || isJoined(*kernel))
      continue;
    for (size_t i = 0; i < op.operandCount(); ++i)
      if (isHanded(op.operand(i), op, rules)) {
        mark(op, i);
        break;
      }
  }
}
