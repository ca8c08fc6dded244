// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/OwnGraph.h"

#include "ir/op/OpOps.h"
#include "ir/study/ServeOps.h"
#include "passes/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::ir;

std::vector<passes::GraphUse> passes::graphUses(Module &module) {
  std::vector<GraphUse> uses;
  for (study::EvaluateOp evaluate : operationsOf<study::EvaluateOp>(module))
    uses.push_back({evaluate.op, evaluate.op, "subject"});
  for (study::ServeOp serve : operationsOf<study::ServeOp>(module))
    for (study::SampleOp sample : serve.samples())
      uses.push_back({serve.op, sample.op, "graph"});
  return uses;
}

Operation *passes::ownGraph(Module &module, const GraphUse &use) {
  Operation *graph = module.lookup(use.symbol());
  if (!graph || !graph->is(op::GraphOp::opName))
    return nullptr;
  auto users = llvm::count_if(
      graphUses(module), [&](const GraphUse &other) { return other.symbol() == use.symbol(); });
  if (users == 1)
    return graph;
  ValueMap ignored;
  std::string symbol = module.uniqueName(use.symbol());
  graph = &graph->clone(module.body(), ignored, graph);
  graph->setSymbol(symbol);
  use.holder->setAttr(use.name, Attribute::symbol(symbol));
  return graph;
}
