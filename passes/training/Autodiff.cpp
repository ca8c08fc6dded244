// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// autodiff: the backward pass of each `train` statement, by reverse-mode differentiation of the op
// level. Applications are visited from the last to the first; each gives the gradients of its
// results to those of its operands through the derivatives of its kernel (Derive.h), and gradients
// of a value that several use are added. A forward value that a derivative reads is kept (op.save
// in the forward graph, a tensor of the same symbol in the backward graph) or computed again, as
// the strategy says.
#include "ir/common/diagnostics/Training.h"
#include "passes/training/Differentiator.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

static bool run(Module &module, PassContext &context) {
  std::vector<Operation *> statements;
  module.walk([&](Operation &op) {
    if (op.is(study::TrainOp::opName))
      statements.push_back(&op);
  });
  for (Operation *op : statements) {
    study::TrainOp train(op);
    Strategy strategy = readStrategy(train);
    Operation *subject = module.lookup(train.subject());
    std::string forward = forwardSymbol(op->symbol());
    if (strategy.hasHoles() || !subject->is(op::GraphOp::opName) || module.lookup(forward))
      continue;
    TrainingGraph graphs(module, context, strategy);
    Operation *graph = graphs.copy(*subject, forward);
    if (!graph ||
        !Differentiator(module, context, strategy, *graph).run(backwardSymbol(op->symbol()), *op))
      return false;
  }
  return true;
}

const PassInfo passes::autodiffPass = {
    "autodiff", "derive the backward pass of each `train`",
    "Precondition: graphs without calls, values with types. A statement with holes is left alone.\n"
    "Before:\n"
    "    op.graph @g { %w = op.tensor (weight)  %y = op.apply %x, %w (kernel = @matmul)  … }\n"
    "    study.train @t (subject = @g, …)\n"
    "After, in addition:\n"
    "    op.graph @t__forward { %w = op.tensor @w0 …  %y = op.apply …  op.save @s0 %x  … }\n"
    "    op.graph @t__backward { … %x = op.tensor @s0 (saved)\n"
    "      %d_w = op.apply %x, %d_y (kernel = @matmul_grad_B)  op.gradient %d_w (of = \"w0\") … }",
    run};
