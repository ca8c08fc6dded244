// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/ProgramBuilder.h"

#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;
using passes::Strategy;

/// Tasks of all stages together.
static constexpr int64_t mostTasks = 4'000'000;

namespace {

class Builder {
public:
  Builder(const ir::Operation &train, const ModelCosts &costs, const Strategy &strategy,
          const TrainingSummary &summary, AxisNetwork &network)
      : train(train), costs(costs), strategy(strategy), summary(summary), network(network),
        runtime(Runtime::read(train)),
        chunks(strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1) {}

  std::shared_ptr<const StepProgram> run();

private:
  /// Indices of the blocks of one stretch of the model.
  struct Pass {
    uint32_t before = 0, after = 0;
    std::vector<uint32_t> layers;
  };

  void addAxes();
  uint32_t addBlock(const RegionCost &region, const RegionCost &weights, bool isBackward);
  void addBlocks();
  void addStages();
  void addTasks();
  double timeOf(const StepItem &item) const;

  const ir::Operation &train;
  const ModelCosts &costs;
  const Strategy &strategy;
  const TrainingSummary &summary;
  AxisNetwork &network;
  Runtime runtime;
  int64_t chunks;
  StepProgram program;
  Pass forward, backward;
};

} // namespace

void Builder::addAxes() {
  for (const char *name : {"tensor", "context", "expert", "data", "expert_data"})
    program.axes.push_back({name, placeOf(strategy, name)});
  if (strategy.shard.ranks > 0)
    for (const char *name : {"shard", "replica", "expert_shard", "expert_replica"})
      program.axes.push_back({name, placeOf(strategy, name)});
}

double Builder::timeOf(const StepItem &item) const {
  const Cost *cost =
      network.cost(item.kind, placeOf(strategy, item.axis), item.bytes, train.range());
  return cost ? cost->latency.central() / runtime.network : 0;
}

uint32_t Builder::addBlock(const RegionCost &region, const RegionCost &weights, bool isBackward) {
  StepBlock block = region.block;
  block.weights = isBackward ? weights.trainedDense() : weights.denseElements();
  block.expertWeights = isBackward ? weights.trainedExperts() : weights.expertElements;
  for (StepItem &item : block.items)
    if (!item.kind.empty())
      item.seconds = timeOf(item);
  program.blocks.push_back(std::move(block));
  return static_cast<uint32_t>(program.blocks.size() - 1);
}

/// The graph of the backward pass runs the other way round, with the weights of the forward one
/// that have gradients.
void Builder::addBlocks() {
  const GraphCost &one = costs.forward(), &two = costs.backward();
  size_t kinds = one.layers.size();
  forward.before = addBlock(one.before, one.before, false);
  forward.after = addBlock(one.after, one.after, false);
  backward.before = addBlock(two.before, one.after, true);
  backward.after = addBlock(two.after, one.before, true);
  for (size_t kind = 0; kind < kinds; ++kind) {
    const RegionCost &weights = one.layers[kind].one;
    forward.layers.push_back(addBlock(weights, weights, false));
    backward.layers.push_back(addBlock(two.layers[kinds - 1 - kind].one, weights, true));
  }
}

void Builder::addStages() {
  std::vector<uint32_t> kinds; // of all layers in order
  for (size_t kind = 0; kind < costs.forward().layers.size(); ++kind) {
    const GraphCost::Layers &layers = costs.forward().layers[kind];
    // Layers that keep their activations stand behind those of the same stage that do not.
    auto of = static_cast<uint32_t>(layers.isKept && kind > 0 && !kinds.empty() ? kind - 1 : kind);
    kinds.insert(kinds.end(), static_cast<size_t>(layers.count), of);
  }
  auto kindOf = [&](size_t layer, size_t first) {
    uint32_t kind = kinds[layer];
    bool isPair =
        kind + 1 < costs.forward().layers.size() && costs.forward().layers[kind + 1].isKept;
    bool keeps = isPair && static_cast<int64_t>(layer - first) >= strategy.recomputeLayers;
    return keeps ? kind + 1 : kind;
  };
  size_t next = 0;
  for (size_t at = 0; at < summary.stages.size(); ++at) {
    StepStage stage;
    bool isFirst = at == 0, isLast = at + 1 == summary.stages.size();
    int64_t layers = summary.stages[at].layers;
    size_t first = next;
    for (int64_t chunk = 0; chunk < chunks; ++chunk) {
      std::vector<uint32_t> up, down;
      auto end = std::min(kinds.size(), next + static_cast<size_t>((chunk + 1) * layers / chunks -
                                                                   chunk * layers / chunks));
      if (isFirst && chunk == 0)
        up.push_back(forward.before);
      if (isLast && chunk + 1 == chunks)
        down.push_back(backward.before);
      for (size_t layer = next; layer < end; ++layer)
        up.push_back(forward.layers[kindOf(layer, first)]);
      for (size_t layer = end; layer-- > next;)
        down.push_back(backward.layers[kindOf(layer, first)]);
      if (isLast && chunk + 1 == chunks)
        up.push_back(forward.after);
      if (isFirst && chunk == 0)
        down.push_back(backward.after);
      next = end;
      stage.forward.push_back(std::move(up));
      stage.backward.push_back(std::move(down));
    }
    program.stages.push_back(std::move(stage));
  }
}

void Builder::addTasks() {
  if (program.stages.size() == 1) {
    for (int64_t microbatch = 0; microbatch < program.microbatches; ++microbatch)
      for (bool isBackward : {false, true})
        program.stages[0].tasks.push_back({isBackward, microbatch, 0});
    return;
  }
  std::vector<StageTime> times(program.stages.size(), {1, 2, 1});
  std::vector<ScheduledTask> tasks;
  playSchedule(strategy.schedule, times, program.microbatches, chunks, 0, &tasks);
  for (const ScheduledTask &task : tasks)
    if (task.kind != 'W') // part of the backward pass, put off there
      program.stages[task.stage].tasks.push_back({task.kind == 'B', task.microbatch, task.chunk});
}

std::shared_ptr<const StepProgram> Builder::run() {
  program.ranks = strategy.ranks();
  program.stageStride = placeOf(strategy, "pipeline").stride();
  program.microbatches = summary.microbatches;
  if (summary.microbatches * strategy.pipeline * chunks * 2 > mostTasks)
    return nullptr;
  if (strategy.pipeline == 1)
    chunks = 1;
  double exact = static_cast<double>(strategy.batch) /
                 static_cast<double>(strategy.data * strategy.microbatch);
  program.lastMicrobatch = exact - static_cast<double>(summary.microbatches - 1);
  const passes::Sharding &shard = strategy.shard;
  program.exchange = shard.parameters                       ? GradientExchange::PerLayer
                     : shard.optimizer || shard.gradients   ? GradientExchange::Scatter
                     : strategy.data * strategy.context > 1 ? GradientExchange::AllReduce
                                                            : GradientExchange::None;
  double element = bitsOf(strategy.dtype) / 8.0;
  program.elementBytes = runtime.gathered(element);
  program.gradientBytes = runtime.gradientBytes > 0 ? runtime.gradientBytes : element;
  if (!costs.forward().layers.empty())
    program.boundaryBytes = costs.forward().layers[0].one.inputBytes;
  program.optimizerSeconds = summary.optimizerTime;
  program.defersWeights = strategy.schedule == ScheduleKind::ZeroBubble;
  addAxes();
  addBlocks();
  addStages();
  addTasks();
  return std::make_shared<const StepProgram>(std::move(program));
}

std::shared_ptr<const StepProgram> training::buildProgram(const ir::Operation &train,
                                                          const ModelCosts &costs,
                                                          const Strategy &strategy,
                                                          const TrainingSummary &summary,
                                                          AxisNetwork &network) {
  return Builder(train, costs, strategy, summary, network).run();
}
