// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/ServingGraphs.h"

#include "passes/training/Sharder.h"
#include "passes/training/StrategyPlace.h"
#include "passes/training/TrainingGraph.h"

using namespace perfc;
using namespace perfc::ir;
using namespace perfc::passes;

/// How the ranks of `pool` divide the model. Groups of tensor-parallel ranks have batches of their
/// own and share the experts, each of which the ranks of its group divide.
static Strategy strategyOf(study::ServeOp serve, study::PoolOp pool) {
  Strategy strategy;
  strategy.tensor = pool.degree("tensor");
  strategy.expert = strategy.data = pool.groups();
  auto experts = study::partOf<study::ExpertsOp>(*serve);
  strategy.routing.kind = experts.routing();
  strategy.routing.theta = experts.theta();
  strategy.routing.seed = experts.seed();
  strategy.routing.redundant = serve.redundantExperts();
  return strategy;
}

/// Divides one sample, whose batch is that of a group of ranks; "" after a report.
static std::string shardSample(Module &module, PassContext &context, Strategy strategy,
                               const std::shared_ptr<KnownClasses> &kernels, study::PoolOp pool,
                               study::SampleOp sample) {
  Operation *source = module.lookup(sample.graph());
  strategy.microbatch = sample.batch();
  strategy.batch = strategy.microbatch * strategy.data;
  std::string symbol = module.uniqueName(fmt::format("{}__{}x{}_of_{}", pool.name(), sample.batch(),
                                                     sample.tokens(), sample.context()));
  Operation *graph =
      TrainingGraph(module, context, strategy).copy(*source, symbol, /*keepsCaches=*/true);
  if (!graph)
    return "";
  RankLabels labels(*graph, /*samples=*/0, /*batch=*/0, kernels);
  // Where the batch is not told from the rest, as in one sample, nothing is divided along it.
  strategy.microbatch = std::max<int64_t>(1, labels.batch());
  return Sharder(module, context, strategy, labels).run(*graph) ? symbol : "";
}

static bool shardPool(Module &module, PassContext &context,
                      const std::shared_ptr<KnownClasses> &kernels, study::ServeOp serve,
                      study::PoolOp pool) {
  Strategy strategy = strategyOf(serve, pool);
  if ((strategy.tensor <= 1 && strategy.expert <= 1) || pool->hasAttr("sharded"))
    return true;
  bool isChecked = false; // all samples are of one model
  for (study::SampleOp sample : pool.samples()) {
    std::string symbol = shardSample(module, context, strategy, kernels, pool, sample);
    if (symbol.empty() ||
        !(isChecked || checkExperts(*serve, pool.degree("expert"), *module.lookup(symbol),
                                    serve.subjectLabel(), context.diagnostics)))
      return false;
    isChecked = true;
    sample->setAttr("graph", Attribute::symbol(symbol));
  }
  pool->setAttr("sharded", Attribute::unit());
  return true;
}

bool passes::shardServing(Module &module, PassContext &context, study::ServeOp serve) {
  auto kernels = std::make_shared<KnownClasses>();
  for (study::PoolOp pool : serve.pools())
    if (!shardPool(module, context, kernels, serve, pool))
      return false;
  return true;
}
