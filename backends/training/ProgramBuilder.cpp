// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/ProgramBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <map>
#include <tuple>

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
          const Step &step, const passes::PipelineOrder &order, RankNetwork &network)
      : train(train), costs(costs), strategy(strategy), step(step), order(order), network(network),
        runtime(Runtime::read(train)),
        chunks(static_cast<int64_t>(step.stages.front().chunks.size())) {}

  std::shared_ptr<const StepProgram> run();

private:
  /// Indices of the blocks of one stretch of the model.
  struct Pass {
    uint32_t before = 0, after = 0;
    std::vector<uint32_t> layers;
  };
  /// Both passes on a kind of chip.
  struct Passes {
    Pass forward, backward;
  };

  void addAxes();
  uint32_t addBlock(const RegionCost &region, const RegionCost &weights, const StagePlan &stage,
                    bool isBackward);
  const Passes &passesOn(const StagePlan &stage);
  void addSharedWeights(size_t at, StepStage &stage);
  void addStages();
  void addTasks();
  double timeOf(const StepItem &item, const passes::ChipSet &chips) const;

  const ir::Operation &train;
  const ModelCosts &costs;
  const Strategy &strategy;
  const Step &step;
  const passes::PipelineOrder &order;
  RankNetwork &network;
  Runtime runtime;
  int64_t chunks;
  StepProgram program;
  /// By the kind of chip, its slowdown, and where collectives run, if that matters.
  std::map<std::tuple<const ir::Operation *, double, passes::ChipSet>, Passes> passes;
};

} // namespace

void Builder::addAxes() {
  for (const char *name : {"tensor", "context", "expert", "data", "expert_data"})
    program.axes.push_back({name, placeOf(strategy, name)});
  if (strategy.shard.ranks > 0)
    for (const char *name : {"shard", "replica", "expert_shard", "expert_replica"})
      program.axes.push_back({name, placeOf(strategy, name)});
}

double Builder::timeOf(const StepItem &item, const passes::ChipSet &chips) const {
  const Cost *cost =
      network.cost(item.kind, placeOf(strategy, item.axis), item.bytes, train.range(), chips);
  return cost ? cost->latency.central() / runtime.network : 0;
}

uint32_t Builder::addBlock(const RegionCost &region, const RegionCost &weights,
                           const StagePlan &stage, bool isBackward) {
  StepBlock block = region.block;
  double element = bitsOf(strategy.dtype) / 8.0;
  block.weights = isBackward ? weights.trainedDense() : weights.denseBytes() / element;
  block.expertWeights = isBackward ? weights.trainedExperts() : weights.expertBytes / element;
  auto limited = stage.stretch.find(&region);
  double longer = stage.slowdown * (limited == stage.stretch.end() ? 1 : limited->second);
  for (StepItem &item : block.items)
    item.seconds = item.kind.empty() ? item.seconds * longer : timeOf(item, stage.chips);
  program.blocks.push_back(std::move(block));
  return static_cast<uint32_t>(program.blocks.size() - 1);
}

/// The graph of the backward pass runs the other way round, with the weights of the forward one
/// that have gradients.
const Builder::Passes &Builder::passesOn(const StagePlan &stage) {
  passes::ChipSet chips = network.isUniform() ? network.places().all() : stage.chips;
  auto [entry, isNew] = passes.try_emplace({stage.chip, stage.slowdown, chips});
  if (!isNew)
    return entry->second;
  const GraphCost &one = costs.on(stage.chip).forward, &two = costs.on(stage.chip).backward;
  size_t kinds = one.layers.size();
  Pass &forward = entry->second.forward, &backward = entry->second.backward;
  forward.before = addBlock(one.before, one.before, stage, false);
  forward.after = addBlock(one.after, one.after, stage, false);
  backward.before = addBlock(two.before, one.after, stage, true);
  backward.after = addBlock(two.after, one.before, stage, true);
  for (size_t kind = 0; kind < kinds; ++kind) {
    const RegionCost &weights = one.layers[kind].one;
    forward.layers.push_back(addBlock(weights, weights, stage, false));
    backward.layers.push_back(addBlock(two.layers[kinds - 1 - kind].one, weights, stage, true));
  }
  return entry->second;
}

/// Weights that the stage reads and another one, too: a block without kernels, whose gradients are
/// complete behind all others. Those of the first and the last stage that count with a block of
/// theirs are there.
void Builder::addSharedWeights(size_t at, StepStage &stage) {
  const RegionCost &weights = step.stages[at].sharedWeights;
  if (weights.weightElements <= 0)
    return;
  stage.forward.front().insert(stage.forward.front().begin(),
                               addBlock(weights, weights, step.stages[at], false));
  stage.backward.front().push_back(addBlock(weights, weights, step.stages[at], true));
}

void Builder::addStages() {
  for (size_t at = 0; at < step.stages.size(); ++at) {
    const StagePlan &plan = step.stages[at];
    const Passes &blocks = passesOn(plan);
    StepStage stage;
    for (size_t chunk = 0; chunk < plan.chunks.size(); ++chunk) {
      bool isFirst = at == 0 && chunk == 0;
      bool isLast = at + 1 == step.stages.size() && chunk + 1 == plan.chunks.size();
      std::vector<uint32_t> up, down;
      if (isFirst)
        up.push_back(blocks.forward.before);
      if (isLast)
        down.push_back(blocks.backward.before);
      for (uint32_t kind : plan.chunks[chunk])
        up.push_back(blocks.forward.layers[kind]);
      for (uint32_t kind : llvm::reverse(plan.chunks[chunk]))
        down.push_back(blocks.backward.layers[kind]);
      if (isLast)
        up.push_back(blocks.forward.after);
      if (isFirst)
        down.push_back(blocks.backward.after);
      stage.forward.push_back(std::move(up));
      stage.backward.push_back(std::move(down));
    }
    addSharedWeights(at, stage);
    program.stages.push_back(std::move(stage));
  }
}

void Builder::addTasks() {
  for (size_t stage = 0; stage < program.stages.size(); ++stage)
    program.stages[stage].tasks = order.tasksOf(static_cast<int64_t>(stage));
}

std::shared_ptr<const StepProgram> Builder::run() {
  program.ranks = strategy.ranks();
  program.stageStride = placeOf(strategy, "pipeline").stride();
  program.microbatches = step.summary.microbatches;
  if (step.summary.microbatches * strategy.pipeline * chunks * 2 > mostTasks)
    return nullptr;
  double exact = static_cast<double>(strategy.batch) /
                 static_cast<double>(strategy.data * strategy.microbatch);
  program.lastMicrobatch = exact - static_cast<double>(step.summary.microbatches - 1);
  const passes::Sharding &shard = strategy.shard;
  program.exchange = shard.parameters                       ? GradientExchange::PerLayer
                     : shard.optimizer || shard.gradients   ? GradientExchange::Scatter
                     : strategy.data * strategy.context > 1 ? GradientExchange::AllReduce
                                                            : GradientExchange::None;
  passes::ElementBytes bytes = passes::elementBytes(ir::as<study::TrainOp>(train));
  program.elementBytes = bytes.gathered;
  program.gradientBytes = bytes.gradient;
  if (!costs.forward().layers.empty())
    program.boundaryBytes = costs.forward().layers[0].one.inputBytes;
  program.sendsParts = runtime.sendsParts(strategy);
  program.optimizerSeconds = step.summary.optimizerTime;
  program.rings = step.rings;
  program.defersWeights = strategy.schedule == ScheduleKind::ZeroBubble;
  program.waitsForSends = chunks == 1 || runtime.overlapPipeline == 0;
  addAxes();
  addStages();
  addTasks();
  return std::make_shared<const StepProgram>(std::move(program));
}

std::shared_ptr<const StepProgram>
training::buildProgram(const ir::Operation &train, const ModelCosts &costs,
                       const Strategy &strategy, const Step &step,
                       const passes::PipelineOrder &order, RankNetwork &network) {
  return Builder(train, costs, strategy, step, order, network).run();
}
