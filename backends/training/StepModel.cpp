// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StepModel.h"

#include "backends/core/Chip.h"
#include "backends/training/Reliability.h"
#include "backends/training/StepBuild.h"
#include "passes/Levels.h"
#include <cmath>
#include <limits>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

StepModel::ChipFacts StepModel::factsOf(const ir::Operation &op, DType format) {
  Chip chip(op);
  ChipFacts result;
  if (const ChipMemory *outer = chip.outermost()) {
    result.memory = outer->name().str();
    result.outermost = *outer;
    if (auto capacity = outer->view.capacity())
      result.capacity = capacity->toDouble() * static_cast<double>(outer->copies);
    auto bandwidth =
        outer->view.bandwidth() ? outer->view.bandwidth() : outer->view.readBandwidth();
    if (bandwidth)
      result.bandwidth = bandwidth->toDouble() * static_cast<double>(outer->copies);
  }
  for (const UnitRate &unit : chip.macUnits(format))
    result.peak += 2 * unit.rate.central();
  result.area = areaOf(chip);
  result.power.emplace(op);
  return result;
}

StepModel::StepModel(const ir::Module &module, const ir::Operation &train, RankNetwork &network)
    : train(train), network(network), runtime(Runtime::read(train)),
      bytes(passes::elementBytes(ir::as<study::TrainOp>(train))) {
  DType format = ir::as<study::TrainOp>(train).dtype();
  first = factsOf(*passes::chipOf(module, train.symbolAttr("on")), format);
  for (auto [chip, count] : network.places().kinds()) {
    facts[chip] = factsOf(*chip, format);
    peak += facts[chip].peak * static_cast<double>(count) / static_cast<double>(network.chips());
  }
}

const StepModel::ChipFacts &StepModel::factsAt(const Build &build, size_t stage) const {
  auto found = facts.find(build.step.stages[stage].chip);
  return found == facts.end() ? first : found->second;
}

StepModel::Exchange StepModel::collective(Build &build, llvm::StringRef kind, llvm::StringRef axis,
                                          double bytes, int64_t stage) {
  if (build.variants)
    return leastOfAll(build, kind, axis, bytes);
  AxisPlace place = placeOf(build.strategy, axis);
  int64_t ranks = build.stageRanks(), pipeline = build.strategy.pipeline;
  double groups = static_cast<double>(ranks * pipeline) / static_cast<double>(place.ranks());
  if (place.ranks() <= 1 || bytes <= 0)
    return {};
  const Cost *cost =
      network.cost(kind, place, bytes, train.range(), build.chipsAt(static_cast<size_t>(stage)));
  if (!cost) {
    build.failed = true;
    return {};
  }
  build.keepNotes(*cost);
  return {cost->latency.central() / runtime.network, cost->energy.times(groups), bytes};
}

/// The least that a collective takes in any variant, on a uniform network.
StepModel::Exchange StepModel::leastOfAll(Build &build, llvm::StringRef kind, llvm::StringRef axis,
                                          double bytes) {
  if (bytes <= 0)
    return {};
  for (const Build::Least &known : build.least)
    if (known.bytes == bytes && known.axis == axis && known.kind == kind)
      return {known.seconds, {}};
  double least = std::numeric_limits<double>::infinity();
  for (const AxisPlace &place : build.variants->places(axis)) {
    const Cost *cost =
        place.ranks() > 1 ? network.cost(kind, place, bytes, train.range()) : nullptr;
    build.failed |= !cost && place.ranks() > 1;
    least = std::min(least, cost ? cost->latency.central() / runtime.network : 0);
  }
  build.least.push_back({kind.str(), axis.str(), bytes, least});
  return {least, {}};
}

/// What stage `stage` sends to the next one (the last to the first); the energy is that of all its
/// ranks. Tensor-parallel ranks have all of it each, unless they divide sequences.
StepModel::Exchange StepModel::sendToNext(Build &build, int64_t stage, double bytes) {
  if (build.variants)
    return {};
  if (build.probe)
    if (auto known = build.probe->sends.find(stage); known != build.probe->sends.end())
      return known->second;
  int64_t stride = build.chipsAt(0).count;
  int64_t distance = stage + 1 < build.strategy.pipeline ? stride : -stage * stride;
  AxisPlace parts =
      runtime.sendsParts(build.strategy) ? placeOf(build.strategy, "tensor") : AxisPlace();
  auto passed = network.handOver(build.chipsAt(static_cast<size_t>(stage)), distance, bytes, parts,
                                 train.range());
  if (!passed) {
    build.failed = true;
    return {};
  }
  build.keepNotes(*passed->send);
  auto ranks = static_cast<double>(build.stageRanks());
  Exchange send{passed->seconds() / runtime.network, passed->send->energy.times(ranks),
                passed->each};
  if (passed->gather) {
    build.keepNotes(*passed->gather);
    send.energy += passed->gather->energy.times(ranks / static_cast<double>(parts.ranks()));
  }
  if (build.probe)
    build.probe->sends[stage] = send;
  return send;
}

void StepModel::note(Build &build, llvm::StringRef name, double bytes, double count, double total,
                     double exposed, const Figure &energy) {
  if (total <= 0)
    return;
  build.networkEnergy += energy.times(count);
  double joules = energy.isGiven() ? energy.known.central() * count : -1;
  for (CommunicationTime &entry : build.step.summary.communication)
    if (entry.name == name) {
      entry.count += count;
      entry.total += total;
      entry.exposed += exposed;
      entry.bytes = std::max(entry.bytes, bytes);
      entry.energy = entry.energy < 0 || joules < 0 ? -1 : entry.energy + joules;
      return;
    }
  build.step.summary.communication.push_back({name.str(), bytes, count, total, exposed, joules});
}

/// Parameters and optimizer state of the whole model; of adapters where only they are trained.
double StepModel::checkpointBytes(const Build &build) const {
  const Strategy &strategy = build.strategy;
  if (strategy.adapterRank == 0)
    return build.costs.parameterBytes + build.costs.trainedParameters * stateBytes(strategy);
  double elements = 0;
  for (const RegionCost &stage : build.forward)
    elements += stage.adapterElements;
  return elements * (bitsOf(strategy.dtype) / 8.0 + stateBytes(strategy));
}

void StepModel::finish(Build &build) {
  TrainingSummary &summary = build.step.summary;
  const Strategy &strategy = build.strategy;
  double ranks = static_cast<double>(strategy.tensor * strategy.context * strategy.data);
  // Replicas meet once a step.
  double together = summary.pipelineTime + summary.otherTime;
  double waiting = together * (runtime.slowest(static_cast<double>(strategy.data)) - 1);
  double modelled = together + waiting + summary.optimizerTime + runtime.step;
  summary.stepTime = modelled * runtime.measured;
  summary.otherTime = waiting + runtime.step + modelled * (runtime.measured - 1);
  summary.samples = static_cast<double>(strategy.batch);
  summary.tokens = static_cast<double>(strategy.batch * build.costs.sequence);
  // Beside adapters weights are frozen: forward, and gradients of activations.
  double macs = strategy.adapterRank > 0 ? 2 * build.costs.modelMacs : build.costs.modelStepMacs;
  summary.modelFlops = 2 * macs * static_cast<double>(strategy.batch);
  Figure energy;
  for (size_t stage = 0; stage < build.forward.size(); ++stage)
    for (const RegionCost *part : {&build.forward[stage], &build.backward[stage]}) {
      summary.executedFlops += 2 * part->macs * build.microbatches * ranks;
      energy += part->energy.times(build.microbatches * ranks);
      summary.droppedTokens = std::max(summary.droppedTokens, part->dropped);
    }
  energy += build.networkEnergy;
  energy += build.step.optimizerEnergy;
  build.step.energy = std::move(energy);
  summary.peak = peak;
  summary.chips = strategy.ranks();
  summary.microbatches = static_cast<int64_t>(std::ceil(build.microbatches - 1e-9));
  summary.parameters = build.costs.parameters;
  summary.bubble /= summary.stepTime;
  addRun(train, checkpointBytes(build), summary);
}

llvm::Optional<Step> StepModel::evaluate(const ModelCosts &costs, const Strategy &strategy) {
  std::string problem;
  auto plan = passes::planStep(strategy, layerKinds(costs.forward()), problem);
  return plan ? evaluate(costs, strategy, *plan) : llvm::None;
}

llvm::Optional<Step> StepModel::evaluate(const ModelCosts &costs, const Strategy &strategy,
                                         const passes::StepPlan &plan, bool withEvents) {
  Build build{costs, strategy};
  build.order = &plan.order;
  for (const std::vector<std::vector<uint32_t>> &chunks : plan.layers) {
    build.step.stages.emplace_back().chunks = chunks;
    StageMemory &memory = build.step.summary.stages.emplace_back();
    for (const std::vector<uint32_t> &list : chunks)
      memory.layers += static_cast<int64_t>(list.size());
  }
  build.withEvents = withEvents;
  build.microbatches = static_cast<double>(strategy.batch) /
                       static_cast<double>(strategy.data * strategy.microbatch);
  if (!stageTimes(build) || !shareParameters(build) || !pipeline(build, withEvents) ||
      !shareGradients(build) || !shareAmongStages(build))
    return llvm::None;
  optimizerStep(build);
  memoryOf(build);
  finish(build);
  for (size_t stage = 0; withEvents && stage < build.forward.size(); ++stage) {
    build.step.work.add(build.forward[stage]);
    build.step.work.add(build.backward[stage]);
  }
  return std::move(build.step);
}
