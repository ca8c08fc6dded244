// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameter counts: the elements of all stored tensors of role weight. A weight inside a repetition
// counts once per round, a weight that several ops use counts once.
#include "api/Evaluation.h"
#include "ir/common/Rational.h"
#include "ir/op/OpOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace perfc;

namespace {
/// Counts each graph once, however many calls lead to it. Nothing where a count does not fit 64
/// bits.
class ParameterCounter {
public:
  explicit ParameterCounter(const ir::Module &module) : module(module) {}

  llvm::Optional<int64_t> ofGraph(const ir::Operation &graph) {
    auto inserted = known.try_emplace(&graph, 0); // 0 while it is counted: textual IR might recur
    if (!inserted.second)
      return inserted.first->second;
    llvm::Optional<int64_t> total = ofRegion(graph.body());
    return known[&graph] = total;
  }

private:
  llvm::Optional<int64_t> ofRegion(const ir::Region &body);
  llvm::Optional<int64_t> of(const ir::Operation &op);

  const ir::Module &module;
  llvm::DenseMap<const ir::Operation *, llvm::Optional<int64_t>> known;
};
} // namespace

llvm::Optional<int64_t> ParameterCounter::of(const ir::Operation &op) {
  if (auto tensor = ir::as<op::TensorOp>(op))
    return tensor.kind() == "weight" ? op.result().type().elements().getValueOr(0) : 0;
  if (auto repeat = ir::as<op::RepeatOp>(op)) {
    llvm::Optional<int64_t> once = ofRegion(op.body());
    return once ? checkedMultiply(repeat.count(), *once) : llvm::None;
  }
  auto call = ir::as<op::CallOp>(op);
  const ir::Operation *graph = call ? module.lookup(call.graph()) : nullptr;
  return graph ? ofGraph(*graph) : 0;
}

llvm::Optional<int64_t> ParameterCounter::ofRegion(const ir::Region &body) {
  int64_t total = 0;
  for (const ir::Operation &op : body) {
    llvm::Optional<int64_t> part = of(op);
    if (!part || __builtin_add_overflow(total, *part, &total))
      return llvm::None;
  }
  return total;
}

llvm::Optional<int64_t> api::countParameters(const ir::Module &module, llvm::StringRef subject) {
  const ir::Operation *graph = module.lookup(subject);
  return graph && graph->is(op::GraphOp::opName) ? ParameterCounter(module).ofGraph(*graph) : 0;
}
