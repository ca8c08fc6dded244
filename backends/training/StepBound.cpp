// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step takes and needs at the least, for a search: stages as in the step itself, but for
// their schedule, which no division of the layers beats (StageBalance.h). Gradients, parameters and
// the optimizer behind the pipeline take no time there.
#include "backends/training/StepBuild.h"
#include <cmath>
#include <numeric>
#include <tuple>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;
using passes::Strategy;

/// Times and memory of stages that have `layers` each, by their kinds and even if there are fewer,
/// without a schedule.
bool StepModel::probe(Build &build, llvm::ArrayRef<uint32_t> layers) {
  build.microbatches = static_cast<double>(build.strategy.batch) /
                       static_cast<double>(build.strategy.data * build.strategy.microbatch);
  StagePlan plan;
  plan.chunks.resize(build.chunks());
  plan.chunks.front() = layers.vec();
  build.step.stages.assign(build.strategy.pipeline, plan);
  build.step.summary.stages.resize(build.strategy.pipeline);
  if (!stageTimes(build) || !shareParameters(build))
    return false;
  setInFlight(build);
  memoryOf(build);
  return true;
}

/// s of a microbatch on a stage that grow with its layers; in zero-bubble schedules without sends,
/// which gradients of weights may run beside.
static double lineTime(const StageTime &time, ScheduleKind kind) {
  return time.kernels() + (kind == ScheduleKind::ZeroBubble ? 0 : time.waits());
}

llvm::Optional<std::vector<MixedStage>>
StepModel::mixedStages(const ModelCosts &costs, const Strategy &strategy,
                       const passes::StrategyVariants *variants) {
  if (strategy.recomputeLayers >= 0)
    return llvm::None;
  // Two points make a line for each kind. Memory that stages share out layer by layer is one, too;
  // what a layer needs at a time is in both.
  size_t kinds = costs.forward().layers.size();
  std::vector<MixedStage> stages(strategy.pipeline);
  Build empty{costs, strategy, variants};
  if (!probe(empty, {}))
    return llvm::None;
  for (size_t number = 0; number < stages.size(); ++number) {
    stages[number].least = passes::leastLayers(strategy, static_cast<int64_t>(number));
    stages[number].emptyMemory = empty.step.summary.stages[number].total();
  }
  for (uint32_t kind = 0; kind < kinds; ++kind) {
    Build::Probe known;
    Build one{costs, strategy, variants}, two{costs, strategy, variants};
    if (network.isUniform())
      one.probe = two.probe = &known;
    if (!probe(one, {kind}) || !probe(two, {kind, kind}))
      return llvm::None;
    for (size_t number = 0; number < stages.size(); ++number) {
      MixedStage &stage = stages[number];
      double least = one.step.summary.stages[number].total();
      double layer = two.step.summary.stages[number].total() - least;
      double time = lineTime(one.timeOf(number), strategy.schedule);
      stage.perLayer.push_back(lineTime(two.timeOf(number), strategy.schedule) - time);
      stage.layerMemory.push_back(layer);
      stage.fixed = time - stage.perLayer.back();
      // The kinds need different memory at a time: the least, so that no division is left out.
      stage.memory = kind == 0 ? least - layer : std::min(stage.memory, least - layer);
      stage.capacity = factsAt(one, number).capacity * plannedShare;
    }
  }
  return stages;
}

static std::vector<RegionCost *> partsOf(ModelCosts &costs) {
  std::vector<RegionCost *> parts;
  for (ModelCosts::OnChip &kind : costs.kinds)
    for (GraphCost *graph : {&kind.forward, &kind.backward}) {
      parts.push_back(&graph->before);
      parts.push_back(&graph->after);
      for (GraphCost::Layers &entry : graph->layers)
        parts.push_back(&entry.one);
    }
  return parts;
}

void training::dropKernels(ModelCosts &costs) {
  for (RegionCost *part : partsOf(costs)) {
    part->kernels.clear();
    part->block = {};
  }
}

static void shrink(RegionCost &cost, double share) {
  cost.energy = {};
  for (double *part : {&cost.seconds, &cost.weightsSeconds, &cost.savedBytes, &cost.waitingBytes,
                       &cost.inputBytes, &cost.workingBytes})
    *part *= share;
  PowerDemand all = cost.power;
  cost.power = {};
  cost.power.add(all, share);
  for (Communication &entry : cost.communication)
    entry.bytes *= share;
}

ModelCosts training::leastCosts(const ModelCosts &costs, double share) {
  ModelCosts least = costs;
  for (RegionCost *part : partsOf(least))
    shrink(*part, share);
  return least;
}

llvm::Optional<StepBound> StepModel::leastStep(const ModelCosts &costs, const Strategy &strategy,
                                               const passes::StrategyVariants *variants) {
  int64_t layers = costs.forward().layerCount();
  llvm::ArrayRef<int64_t> given = strategy.stages;
  bool isPossible =
      given.empty() || (static_cast<int64_t>(given.size()) == strategy.pipeline &&
                        std::accumulate(given.begin(), given.end(), INT64_C(0)) == layers);
  auto stages = isPossible && layers > 0 ? mixedStages(costs, strategy, variants) : llvm::None;
  if (!stages)
    return llvm::None;
  for (MixedStage &stage : *stages)
    stage.capacity *= 1 + 1e-9; // what just fits is not left out for a rounding
  std::vector<int64_t> kinds;
  for (const GraphCost::Layers &entry : costs.forward().layers)
    kinds.push_back(entry.count);
  int64_t microbatches = strategy.batch / (strategy.data * strategy.microbatch);
  StepBound bound;
  bound.memory = leastMemory(*stages, layers);
  double time = 0;
  if (!strategy.stages.empty())
    std::tie(time, bound.memory) =
        leastOfDivision(*stages, kinds, strategy.stages, microbatches, strategy.schedule);
  else if (kinds.size() == 1)
    time = leastPipelineTime(linesOf(*stages), layers, microbatches, strategy.schedule);
  else
    time = leastPipelineTime(*stages, kinds, microbatches, strategy.schedule);
  bound.fits = std::isfinite(time);
  bound.time = (time + runtime.step) * runtime.measured;
  return bound;
}
