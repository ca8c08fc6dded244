// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// autodiff: the backward pass of each `train` statement, by reverse-mode differentiation of the op
// level. Applications are visited from the last to the first; each gives the gradients of its
// results to those of its operands through the derivatives of its kernel (Derive.h), and gradients
// of a value that several use are added. A forward value that a derivative reads is kept (op.save
// in the forward graph, a tensor of the same symbol in the backward graph) or computed again, as
// the strategy says.
#include "ir/common/diagnostics/Training.h"
#include "passes/Names.h"
#include "passes/training/Differentiator.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// The strategy says which ranks exchange what; collectives of the program's own, among all chips,
/// have no place in it.
static bool hasNoCollectives(const Operation &subject, const Operation &train,
                             DiagnosticEngine &diagnostics) {
  const Operation *found = nullptr;
  subject.walk([&](const Operation &op) {
    if (!found && op.is(op::CollectiveOp::opName))
      found = &op;
  });
  if (!found)
    return true;
  diagnostics.report(found->range(), diag::CollectiveInTraining, found->stringAttr("kind"))
      .note(train.range(), "`parallel` divides the model and makes the collectives of its step")
      .help("leave it out; `train … with ALGORITHM` chooses how the step's collectives run");
  return false;
}

static bool runAutodiff(Module &module, PassContext &context) {
  for (study::TrainOp train : studiesOf<study::TrainOp>(module)) {
    Strategy strategy = readStrategy(train);
    Operation *subject = module.lookup(train.subject());
    if (!hasNoCollectives(*subject, *train, context.diagnostics))
      return false;
    std::string forward = forwardSymbol(train.symbol());
    if (strategy.hasHoles() || !subject->is(op::GraphOp::opName) || module.lookup(forward))
      continue;
    TrainingGraph graphs(module, context, strategy);
    Operation *graph = graphs.copy(*subject, forward);
    if (!graph || !Differentiator(module, context, strategy, *graph)
                       .run(backwardSymbol(train.symbol()), *train))
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
    runAutodiff};
