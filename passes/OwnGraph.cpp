// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/OwnGraph.h"

#include "ir/op/OpOps.h"
#include "passes/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;

Operation *passes::ownGraph(Module &module, study::EvaluateOp evaluate) {
  Operation *graph = module.lookup(evaluate.subject());
  if (!graph || !graph->is(op::GraphOp::opName))
    return nullptr;
  auto evaluations = operationsOf<study::EvaluateOp>(module);
  auto users = llvm::count_if(
      evaluations, [&](study::EvaluateOp other) { return other.subject() == evaluate.subject(); });
  if (users == 1)
    return graph;
  ValueMap ignored;
  std::string symbol = module.uniqueName(evaluate.subject());
  graph = &graph->clone(module.body(), ignored, graph);
  graph->setSymbol(symbol);
  evaluate->setAttr("subject", Attribute::symbol(symbol));
  return graph;
}
