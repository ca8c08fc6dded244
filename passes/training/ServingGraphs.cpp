// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/ServingGraphs.h"

#include "ir/study/ServeOps.h"
#include "passes/training/Sharder.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// Divides one sample; "" after a report.
static std::string shardSample(Module &module, PassContext &context, int64_t tensor,
                               llvm::StringRef serve, study::SampleOp sample) {
  Operation *source = module.lookup(sample.graph());
  Strategy strategy;
  strategy.tensor = tensor;
  strategy.batch = strategy.microbatch = sample.batch();
  std::string symbol = module.uniqueName(fmt::format("{}__{}x{}_of_{}", serve.str(), strategy.batch,
                                                     sample.tokens(), sample.context()));
  Operation *graph =
      TrainingGraph(module, context, strategy).copy(*source, symbol, /*keepsCaches=*/true);
  if (!graph)
    return "";
  RankLabels labels(*graph);
  // Where the batch is not told from the rest, as in one sample, nothing is divided along it.
  strategy.microbatch = std::max<int64_t>(1, labels.batch());
  return Sharder(module, context, strategy, labels).run(*graph) ? symbol : "";
}

bool passes::shardServing(Module &module, PassContext &context, Operation &serve) {
  int64_t tensor = study::partOf<study::StrategyOp>(serve).degree("tensor");
  if (tensor <= 1 || serve.hasAttr("sharded"))
    return true;
  for (study::SampleOp sample : study::ServeOp(&serve).samples()) {
    std::string symbol = shardSample(module, context, tensor, serve.symbol(), sample);
    if (symbol.empty())
      return false;
    sample->setAttr("graph", Attribute::symbol(symbol));
  }
  serve.setAttr("sharded", Attribute::unit());
  return true;
}
