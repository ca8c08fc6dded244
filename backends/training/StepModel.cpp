// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StepModel.h"

#include "backends/core/Chip.h"
#include "backends/training/StepBuild.h"
#include "passes/Levels.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

StepModel::StepModel(const ir::Module &module, const ir::Operation &train, AxisNetwork &network)
    : train(train), network(network), runtime(Runtime::read(train.dictAttr("settings"))) {
  target::ChipOp chipOp = passes::chipOf(module, train.symbolAttr("on"));
  Chip chip(*chipOp);
  if (const ChipMemory *outer = chip.outermost()) {
    memory = outer->name().str();
    if (auto capacity = outer->view.capacity())
      memoryCapacity = capacity->toDouble() * static_cast<double>(outer->copies);
    auto bandwidth =
        outer->view.bandwidth() ? outer->view.bandwidth() : outer->view.readBandwidth();
    if (bandwidth)
      memoryBandwidth = bandwidth->toDouble() * static_cast<double>(outer->copies);
  }
  DType format = passes::readStrategy(ir::as<study::TrainOp>(train)).dtype;
  for (const UnitRate &unit : chip.macUnits(format))
    peak += 2 * unit.rate.central();
}

llvm::Optional<double> StepModel::collective(Build &build, llvm::StringRef kind,
                                             llvm::StringRef axis, double bytes) {
  AxisPlace place = placeOf(build.strategy, axis);
  if (axis == "stage")
    place = {2, placeOf(build.strategy, "pipeline").stride};
  if (place.ranks <= 1 || bytes <= 0)
    return 0.0;
  const Cost *cost = network.cost(kind, place, bytes, train.range());
  if (!cost) {
    build.failed = true;
    return llvm::None;
  }
  return cost->latency.central() / runtime.network;
}

void StepModel::note(Build &build, llvm::StringRef name, double bytes, double count, double total,
                     double exposed) {
  if (total <= 0)
    return;
  for (CommunicationTime &entry : build.step.summary.communication)
    if (entry.name == name) {
      entry.count += count;
      entry.total += total;
      entry.exposed += exposed;
      entry.bytes = std::max(entry.bytes, bytes);
      return;
    }
  build.step.summary.communication.push_back({name.str(), bytes, count, total, exposed});
}

void StepModel::finish(Build &build) {
  TrainingSummary &summary = build.step.summary;
  const Strategy &strategy = build.strategy;
  double ranks = static_cast<double>(strategy.tensor * strategy.context * strategy.data);
  summary.stepTime =
      summary.pipelineTime + summary.otherTime + summary.optimizerTime + runtime.step;
  summary.otherTime = runtime.step;
  summary.tokens = static_cast<double>(strategy.batch * build.costs.sequence);
  summary.modelFlops = 6 * build.costs.modelMacs * static_cast<double>(strategy.batch);
  Figure energy;
  for (size_t stage = 0; stage < build.forward.size(); ++stage)
    for (const RegionCost *part : {&build.forward[stage], &build.backward[stage]}) {
      summary.executedFlops += 2 * part->macs * build.microbatches * ranks;
      energy += part->energy.times(build.microbatches * ranks);
    }
  build.step.energy = std::move(energy);
  summary.peak = peak;
  summary.chips = strategy.ranks();
  summary.microbatches = static_cast<int64_t>(std::ceil(build.microbatches - 1e-9));
  summary.parameters = build.costs.parameters;
  summary.bubble /= summary.stepTime;
}

llvm::Optional<Step> StepModel::evaluate(const ModelCosts &costs, const Strategy &strategy,
                                         std::string &problem, bool withEvents) {
  Build build{costs, strategy, {}, 1, {}, {}, {}, {}, {}};
  build.microbatches = static_cast<double>(strategy.batch) /
                       static_cast<double>(strategy.data * strategy.microbatch);
  if (!divideLayers(build, problem) || !stageTimes(build) || !shareParameters(build) ||
      !pipeline(build, withEvents) || !shareGradients(build))
    return llvm::None;
  optimizerStep(build);
  memoryOf(build);
  finish(build);
  return std::move(build.step);
}
