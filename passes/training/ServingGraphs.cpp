// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/ServingGraphs.h"

#include "passes/training/Sharder.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// Divides one sample; "" after a report.
static std::string shardSample(Module &module, PassContext &context, int64_t tensor,
                               llvm::StringRef serve, const AttrDict &sample) {
  Operation *source = module.lookup(sample.find("graph")->asSymbol());
  Strategy strategy;
  strategy.tensor = tensor;
  strategy.batch = strategy.microbatch = sample.find("batch")->asInt();
  std::string symbol = module.uniqueName(fmt::format("{}__{}x{}_of_{}", serve.str(), strategy.batch,
                                                     sample.find("tokens")->asInt(),
                                                     sample.find("context")->asInt()));
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
  AttrDict settings = serve.dictAttr("settings");
  const Attribute *samples = settings.find("samples"), *degree = settings.find("tensor");
  int64_t tensor = degree ? degree->asInt() : 1;
  if (!samples || tensor <= 1 || settings.find("sharded"))
    return true;
  AttrList divided;
  for (const Attribute &entry : samples->asList()) {
    AttrDict sample = entry.asDict();
    std::string symbol = shardSample(module, context, tensor, serve.symbol(), sample);
    if (symbol.empty())
      return false;
    sample.set("graph", Attribute::symbol(symbol));
    divided.push_back(std::move(sample));
  }
  settings.set("samples", std::move(divided));
  settings.set("sharded", true);
  serve.setAttr("settings", std::move(settings));
  return true;
}
