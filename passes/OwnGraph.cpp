// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/OwnGraph.h"

#include "ir/op/OpOps.h"
#include "ir/study/ServeOps.h"
#include "passes/Names.h"

using namespace perfc;
using namespace perfc::ir;

passes::GraphUses::GraphUses(Module &module) : module(module) {
  for (study::EvaluateOp evaluate : studiesOf<study::EvaluateOp>(module))
    uses.push_back({evaluate.op, evaluate.op, "subject"});
  for (study::ServeOp serve : studiesOf<study::ServeOp>(module))
    for (study::SampleOp sample : serve.samples())
      uses.push_back({serve.op, sample.op, "graph"});
  for (const GraphUse &use : uses)
    ++users[use.symbol()];
}

Operation *passes::GraphUses::own(const GraphUse &use) {
  Operation *graph = module.lookup(use.symbol());
  if (!graph || !graph->is(op::GraphOp::opName))
    return nullptr;
  unsigned &count = users[use.symbol()];
  if (count == 1)
    return graph;
  --count;
  ValueMap ignored;
  std::string symbol = module.uniqueName(use.symbol());
  graph = &graph->clone(module.body(), ignored, graph);
  graph->setSymbol(symbol);
  use.holder->setAttr(use.name, Attribute::symbol(symbol));
  users[symbol] = 1;
  return graph;
}
