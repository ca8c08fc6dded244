// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/RankClasses.h"

#include "ir/op/OpOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

RankClasses::RankClasses(const Operation &graph, KnownClasses &kernels) {
  visit(graph.body(), kernels);
}

unsigned RankClasses::find(unsigned node) {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

unsigned RankClasses::of(const Value &value, unsigned rank) {
  auto [entry, isNew] = firstNode.try_emplace(&value, static_cast<unsigned>(parent.size()));
  for (size_t i = 0; isNew && i < value.type().shape().size(); ++i)
    parent.push_back(static_cast<unsigned>(parent.size()));
  return find(entry->second + rank);
}

void RankClasses::joinAll(const Value &a, const Value &b) {
  size_t ranks = std::min(a.type().shape().size(), b.type().shape().size());
  for (unsigned rank = 0; rank < ranks; ++rank) {
    unsigned from = of(a, rank);
    parent[from] = of(b, rank);
  }
}

void RankClasses::apply(const Operation &op, const KernelClasses &kernel) {
  llvm::DenseMap<unsigned, unsigned> nodes; // by class of the kernel
  auto join = [&](const Value &value, llvm::StringRef tensor) {
    for (unsigned rank = 0; rank < value.type().shape().size(); ++rank) {
      unsigned cls = kernel.ofRank(tensor, rank);
      if (kernel.isRigid(cls))
        continue;
      unsigned node = of(value, rank);
      parent[node] = find(nodes.try_emplace(cls, node).first->second);
    }
  };
  std::vector<op::OperandOp> inputs = kernel.kernel().inputs(), outputs = kernel.kernel().outputs();
  for (size_t i = 0; i < std::min(op.operandCount(), inputs.size()); ++i) {
    auto tensor = as<op::TensorOp>(op.operand(i).definingOp());
    if (!tensor || tensor.kind() != "weight")
      join(op.operand(i), inputs[i].symbol());
  }
  for (size_t i = 0; i < std::min(op.resultCount(), outputs.size()); ++i)
    join(op.result(i), outputs[i].symbol());
}

void RankClasses::visit(const Region &region, KnownClasses &kernels) {
  for (const Operation &op : region) {
    if (op.is(op::ApplyOp::opName)) {
      apply(op, kernels.of(op));
    } else if (op.is(op::CollectiveOp::opName)) {
      joinAll(op.operand(0), op.result());
    } else if (op.is(op::RepeatOp::opName) || op.is(op::FusedOp::opName)) {
      for (size_t i = 0; i < std::min(op.operandCount(), op.body().argumentCount()); ++i)
        joinAll(op.operand(i), op.body().argument(i));
      visit(op.body(), kernels);
      const Operation &yield = op.body().back();
      for (size_t i = 0; i < std::min(op.resultCount(), yield.operandCount()); ++i)
        joinAll(yield.operand(i), op.result(i));
    }
  }
}
