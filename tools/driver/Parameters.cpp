// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameter counts: the elements of all stored tensors of role weight. A weight inside a repetition
// counts once per round, a weight that several ops use counts once.
#include "ir/op/OpOps.h"
#include "tools/driver/Evaluation.h"

using namespace perfc;

static int64_t countIn(const ir::Module &module, const ir::Region &body, unsigned depth) {
  constexpr unsigned maxDepth = 256; // graphs cannot call themselves; textual IR might
  int64_t total = 0;
  for (const ir::Operation &op : body) {
    if (auto tensor = ir::as<op::TensorOp>(op)) {
      if (tensor.kind() == "weight")
        total += op.result().type().elements().getValueOr(0);
    } else if (auto repeat = ir::as<op::RepeatOp>(op)) {
      total += repeat.count() * countIn(module, op.body(), depth);
    } else if (auto call = ir::as<op::CallOp>(op)) {
      const ir::Operation *graph = module.lookup(call.graph());
      if (graph && depth < maxDepth)
        total += countIn(module, graph->body(), depth + 1);
    }
  }
  return total;
}

int64_t perfc::driver::countParameters(const ir::Module &module, llvm::StringRef subject) {
  const ir::Operation *graph = module.lookup(subject);
  return graph && graph->is(op::GraphOp::opName) ? countIn(module, graph->body(), 0) : 0;
}
