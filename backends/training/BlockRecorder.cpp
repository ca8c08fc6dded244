// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/BlockRecorder.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::training;

void BlockRecorder::open(StepBlock &to) {
  block = &to;
  runs = 1;
  makers.clear();
}

BlockRecorder::Items BlockRecorder::makersOf(llvm::ArrayRef<ir::Value *> values) const {
  Items all;
  for (const ir::Value *value : values) {
    auto found = makers.find(value);
    if (found != makers.end())
      all.append(found->second.begin(), found->second.end());
  }
  llvm::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

uint32_t BlockRecorder::add(StepItem item, const Items &after) {
  item.after.assign(after.begin(), after.end());
  item.count *= runs;
  block->items.push_back(std::move(item));
  return static_cast<uint32_t>(block->items.size() - 1);
}

void BlockRecorder::prepare(const ir::Operation &op, StepItem item) {
  prepared = add(std::move(item), makersOf(op.operands()));
}

void BlockRecorder::record(const ir::Operation &op, StepItem item) {
  uint32_t index = add(std::move(item), prepared ? Items{*prepared} : makersOf(op.operands()));
  prepared.reset();
  for (size_t i = 0; i < op.resultCount(); ++i)
    makers[&op.result(i)] = {index};
}

void BlockRecorder::passThrough(const ir::Operation &op) {
  Items made = makersOf(op.operands());
  for (size_t i = 0; i < op.resultCount(); ++i)
    makers[&op.result(i)] = made;
}

void BlockRecorder::enter(const ir::Operation &op, int64_t count) {
  runs *= count;
  const ir::Region &body = op.body();
  for (size_t i = 0; i < std::min(body.argumentCount(), op.operandCount()); ++i) {
    Items made = makersOf(&op.operand(i));
    makers[&body.argument(i)] = std::move(made);
  }
}

void BlockRecorder::leave(const ir::Operation &op, int64_t count) {
  runs /= count;
  for (const ir::Operation &last : op.body()) {
    if (!last.is(op::YieldOp::opName))
      continue;
    for (size_t i = 0; i < std::min(op.resultCount(), last.operandCount()); ++i) {
      Items made = makersOf(&last.operand(i));
      makers[&op.result(i)] = std::move(made);
    }
  }
}

void BlockRecorder::close(const ir::Operation &op) {
  Items made = makersOf(op.operands());
  block->outputs.assign(made.begin(), made.end());
}
