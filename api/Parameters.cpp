// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameter counts: the elements of all stored tensors of role weight. A weight inside a repetition
// counts once per round, a weight that several ops use counts once. Beside it, of the weights of
// experts, those that no token of the pass is expected to choose.
#include "api/Evaluation.h"
#include "ir/common/Rational.h"
#include "ir/op/OpOps.h"
#include "passes/DataReads.h"
#include "passes/KernelUses.h"

#include "llvm/ADT/DenseMap.h"

using namespace perfc;

namespace {
/// Adds up what `countOf` says of the ops of a graph and of those that it calls. Each graph is
/// counted once, however many calls lead to it. Nothing where a count does not fit 64 bits.
class ParameterCounter {
public:
  using CountOf = llvm::function_ref<int64_t(const ir::Operation &)>;
  ParameterCounter(const ir::Module &module, CountOf countOf) : module(module), countOf(countOf) {}

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
  CountOf countOf;
  llvm::DenseMap<const ir::Operation *, llvm::Optional<int64_t>> known;
};
} // namespace

llvm::Optional<int64_t> ParameterCounter::of(const ir::Operation &op) {
  if (auto repeat = ir::as<op::RepeatOp>(op)) {
    llvm::Optional<int64_t> once = ofRegion(op.body());
    return once ? checkedMultiply(repeat.count(), *once) : llvm::None;
  }
  if (auto group = ir::as<op::FusedOp>(op); group && group.kernel().empty())
    return ofRegion(op.body());
  auto call = ir::as<op::CallOp>(op);
  const ir::Operation *graph = call ? module.lookup(call.graph()) : nullptr;
  return graph ? ofGraph(*graph) : countOf(op);
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

static int64_t weightsOf(const ir::Operation &op) {
  auto tensor = ir::as<op::TensorOp>(op);
  bool isWeight = tensor && tensor.kind() == "weight";
  return isWeight ? op.result().type().elements().getValueOr(0) : 0;
}

/// Elements of weights of `kernel` that keys which differ among themselves do not choose.
static int64_t unchosenIn(const ir::Operation &kernel) {
  bool choosesApart = false;
  llvm::StringMap<int64_t> unchosen;
  for (const ir::Operation &op : kernel.body()) {
    if (auto operand = ir::as<op::OperandOp>(op))
      choosesApart |= operand.distinct().hasValue();
    auto statement = ir::as<op::StatementOp>(op);
    for (const ir::Attribute &read : statement ? statement.reads() : ir::AttrList()) {
      const ir::AttrDict &access = read.asDict();
      if (!passes::dependsOnData(access))
        continue;
      llvm::StringRef name = access.find("tensor")->asString();
      auto tensor = ir::as<op::OperandOp>(kernel.body().find(name));
      if (tensor.role() != "weight")
        continue;
      int64_t all = 1;
      for (int64_t extent : tensor.shape())
        all = checkedMultiply(all, extent).getValueOr(0);
      unchosen[name] = std::max<int64_t>(all - passes::touchedByData(statement, access), 0);
    }
  }
  int64_t total = 0;
  for (const auto &tensor : unchosen)
    total += tensor.second;
  return choosesApart ? total : 0;
}

static llvm::Optional<int64_t> countIn(const ir::Module &module, llvm::StringRef subject,
                                       ParameterCounter::CountOf countOf) {
  const ir::Operation *graph = module.lookup(subject);
  bool isGraph = graph && graph->is(op::GraphOp::opName);
  return isGraph ? ParameterCounter(module, countOf).ofGraph(*graph) : 0;
}

llvm::Optional<int64_t> api::countParameters(const ir::Module &module, llvm::StringRef subject) {
  return countIn(module, subject, weightsOf);
}

llvm::Optional<int64_t> api::countUnchosen(const ir::Module &module, llvm::StringRef subject) {
  return countIn(module, subject, [&](const ir::Operation &op) {
    op::KernelOp kernel = passes::kernelUse(op).kernel;
    return kernel ? unchosenIn(*kernel) : 0;
  });
}
