// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/LiveBytes.h"

#include "passes/analysis/KernelModel.h"
#include "llvm/ADT/DenseSet.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static int64_t bytesOf(const Value &value) { return value.type().bytes().getValueOr(0); }

/// Weights and caches stay resident; inputs and tokens are activations.
static bool isPersistent(const Operation &op) {
  auto tensor = as<op::TensorOp>(op);
  return tensor && (tensor.kind() == "weight" || tensor.kind() == "cache");
}

/// True when result `index` of `op` is an operand that is updated in place.
static bool isUpdate(const Operation &op, size_t index) {
  if (!op.is(op::ApplyOp::opName))
    return false;
  std::vector<op::OperandOp> outputs =
      outputsOf(op::KernelOp(resolve(op, as<op::ApplyOp>(op).kernel())));
  return index < outputs.size() && outputs[index].isInPlace();
}

LiveBytes::LiveBytes(const Operation &graph) {
  addPersistent(graph.body(), 1);
  visit(graph.body(), persistent);
}

LiveBytes LiveBytes::madeIn(const Region &region) {
  LiveBytes bytes;
  bytes.onlyMade = true;
  bytes.visit(region, 0);
  return bytes;
}

void LiveBytes::addPersistent(const Region &region, int64_t times) {
  for (const Operation &op : region) {
    if (isPersistent(op))
      persistent += bytesOf(op.result()) * times;
    if (auto repeat = as<op::RepeatOp>(op))
      addPersistent(op.body(), times * repeat.count());
  }
}

using LastUses = llvm::DenseMap<const Value *, const Operation *>;

/// The last operation directly in `region` that uses, itself or inside, each value.
static LastUses lastUses(const Region &region) {
  LastUses last;
  for (const Operation &op : region)
    op.walk([&](const Operation &user) {
      for (const Value *value : user.operands())
        last[value] = &op;
    });
  return last;
}

/// `outside` is what is live whatever happens in `region`, without its arguments.
void LiveBytes::visit(const Region &region, int64_t outside) {
  LastUses last = lastUses(region);
  // Values of this region that are live now; what came from outside is the caller's.
  llvm::DenseSet<const Value *> held;
  int64_t now = outside;
  auto hold = [&](const Value &value) {
    if (last.count(&value) && held.insert(&value).second)
      now += bytesOf(value);
  };
  for (size_t i = 0; i < region.argumentCount() && !onlyMade; ++i)
    hold(region.argument(i));
  for (const Operation &op : region) {
    if (onlyMade && op.is(op::TensorOp::opName))
      continue;
    if (op.is(op::RepeatOp::opName) && !onlyMade) {
      // Inside, the arguments stand for operands that nothing uses later.
      int64_t around = now;
      llvm::DenseSet<const Value *> seen;
      for (const Value *operand : op.operands())
        if (held.count(operand) && last.lookup(operand) == &op && seen.insert(operand).second)
          around -= bytesOf(*operand);
      visit(op.body(), around);
    }
    int64_t unused = 0;
    for (size_t i = 0; i < op.resultCount(); ++i) {
      if (isPersistent(op) || isUpdate(op, i))
        continue;
      hold(op.result(i));
      unused += held.count(&op.result(i)) ? 0 : bytesOf(op.result(i));
    }
    live[&op] = now + unused;
    largest = std::max(largest, now + unused);
    for (const Value *operand : op.operands())
      if (last.lookup(operand) == &op && held.erase(operand))
        now -= bytesOf(*operand);
  }
}
