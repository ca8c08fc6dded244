// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What data-parallel ranks share: parameters and gradients on their way between them, the
// optimizer's update, and the memory that all of it takes.
#include "backends/training/StepBuild.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// Fully sharded parameters are gathered before each layer and their gradients scattered behind it;
/// what the layer's kernels do not hide is added to its stage.
bool StepModel::shareParameters(Build &build) {
  if (!build.strategy.shard.parameters)
    return true;
  const ModelCosts &costs = build.costs;
  double share = 1.0 / static_cast<double>(build.layers.size());
  size_t kinds = costs.forward.layers.size();
  double element = bitsOf(build.strategy.dtype) / 8.0;
  double gradient = runtime.gradientBytes > 0 ? runtime.gradientBytes : element;
  auto part = [&](const RegionCost &forward, const RegionCost &backward, double layers,
                  StageTime &time) {
    double bytes = forward.weightElements * element;
    auto gather = collective(build, "all_gather", "data", bytes);
    auto scatter = collective(build, "reduce_scatter", "data", forward.weightElements * gradient);
    if (!gather || !scatter)
      return;
    double hides = runtime.overlapData;
    double ahead = std::max(0.0, *gather - hides * forward.seconds);
    double behind = std::max(0.0, *gather + *scatter - hides * backward.seconds);
    time.forward += layers * ahead;
    time.backward += layers * behind;
    double runs = layers * build.microbatches * share;
    double scattered = *gather + *scatter > 0 ? behind * *scatter / (*gather + *scatter) : 0;
    note(build, "all_gather data", bytes, 2 * runs, 2 * *gather * runs,
         (ahead + behind - scattered) * runs);
    note(build, "reduce_scatter data", forward.weightElements * gradient, runs, *scatter * runs,
         scattered * runs);
  };
  for (size_t stage = 0; stage < build.layers.size(); ++stage) {
    for (size_t kind = 0; kind < kinds; ++kind)
      part(costs.forward.layers[kind].one, costs.backward.layers[kinds - 1 - kind].one,
           build.layers[stage][kind], build.times[stage]);
    if (stage == 0)
      part(costs.forward.before, costs.backward.after, 1, build.times[stage]);
    if (stage + 1 == build.layers.size())
      part(costs.forward.after, costs.backward.before, 1, build.times[stage]);
  }
  return !build.failed;
}

/// Gradients that are not scattered layer by layer are added up behind the last microbatch, while
/// its backward pass still runs; parameters that were updated in shares are gathered.
bool StepModel::shareGradients(Build &build) {
  const Strategy &strategy = build.strategy;
  if (strategy.shard.parameters)
    return true;
  double element = bitsOf(strategy.dtype) / 8.0;
  double gradient = runtime.gradientBytes > 0 ? runtime.gradientBytes : element;
  bool isSharded = strategy.shard.optimizer || strategy.shard.gradients;
  double worst = 0;
  CommunicationTime reduce{isSharded ? "reduce_scatter data" : "all_reduce data"},
      gather{"all_gather data"};
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    const RegionCost &forward = build.forward[stage];
    double dense = forward.weightElements - forward.expertElements;
    auto sum = [&](const char *kind, double size) -> double {
      auto one = collective(build, kind, "data", dense * size);
      auto two = collective(build, kind, "expert_data", forward.expertElements * size);
      return one && two ? *one + *two : 0;
    };
    double reduced = sum(isSharded ? "reduce_scatter" : "all_reduce", gradient);
    double gathered = isSharded ? sum("all_gather", element) : 0;
    double a = std::max(0.0, reduced - runtime.overlapData * build.backward[stage].seconds);
    double b = std::max(0.0, gathered - runtime.overlapData * forward.seconds);
    if (build.failed)
      return false;
    if (a + b < worst || reduced == 0)
      continue;
    worst = a + b;
    reduce = {reduce.name, forward.weightElements * gradient, 1, reduced, a};
    gather = {gather.name, forward.weightElements * element, 1, gathered, b};
  }
  note(build, reduce.name, reduce.bytes, 1, reduce.total, reduce.exposed);
  note(build, gather.name, gather.bytes, 1, gather.total, gather.exposed);
  build.step.summary.otherTime += worst;
  return true;
}

/// Bytes of optimizer state per element, and bytes that an update moves.
static std::pair<double, double> optimizerBytes(const Strategy &strategy, double element,
                                                double gradient) {
  double moments = strategy.optimizer == "sgd" ? 4 : strategy.optimizer == "adafactor" ? 0 : 8;
  double master = strategy.master ? bitsOf(*strategy.master) / 8.0 : 0;
  double moved = gradient + 2 * moments + (master > 0 ? 2 * master : element) + element;
  return {moments + master, moved};
}

void StepModel::optimizerStep(Build &build) {
  const Strategy &strategy = build.strategy;
  double element = bitsOf(strategy.dtype) / 8.0;
  double gradient = runtime.gradientBytes > 0 ? runtime.gradientBytes : element;
  auto [state, moved] = optimizerBytes(strategy, element, gradient);
  bool isSharded =
      strategy.shard.optimizer || strategy.shard.gradients || strategy.shard.parameters;
  double copies = isSharded ? static_cast<double>(strategy.data * strategy.context) : 1;
  double most = 0;
  for (const RegionCost &forward : build.forward)
    most = std::max(most, forward.weightElements);
  double elements = most / copies;
  double seconds = memoryBandwidth > 0 ? elements * moved / (memoryBandwidth * runtime.memory) : 0;
  if (!strategy.offload.empty()) // gradients go down, parameters come back
    seconds = elements * (gradient + element) / runtime.host;
  build.step.summary.optimizerTime = seconds;
  (void)state;
}

void StepModel::memoryOf(Build &build) {
  const Strategy &strategy = build.strategy;
  double element = bitsOf(strategy.dtype) / 8.0;
  double gradient = runtime.gradientBytes > 0 ? runtime.gradientBytes : element;
  double state = optimizerBytes(strategy, element, gradient).first;
  double ranks = static_cast<double>(strategy.data * strategy.context);
  const passes::Sharding &shard = strategy.shard;
  double worst = -1;
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    StageMemory &use = build.step.summary.stages[stage];
    const RegionCost &forward = build.forward[stage], &backward = build.backward[stage];
    double elements = forward.weightElements, gathered = 0;
    bool optimizerShared = shard.optimizer || shard.gradients || shard.parameters;
    bool gradientsShared = shard.gradients || shard.parameters;
    use.parameters = elements * element / (shard.parameters ? ranks : 1);
    use.gradients = elements * gradient / (gradientsShared ? ranks : 1);
    use.optimizer = elements * state / (optimizerShared ? ranks : 1);
    if (!strategy.offload.empty())
      use.optimizer = 0;
    // What only the first or the last stage keeps is of one microbatch at a time on the last one.
    double edges = (stage == 0 ? build.costs.forward.before.savedBytes : 0);
    double last = stage + 1 == build.forward.size() ? build.costs.forward.after.savedBytes : 0;
    double layers = forward.savedBytes - edges - last;
    use.activations = (layers + edges) * build.inFlight[stage] + last;
    if (shard.parameters)
      for (const GraphCost::Layers &entry : build.costs.forward.layers)
        gathered = std::max(gathered, 2 * entry.one.weightElements * element);
    use.temporary = std::max(forward.workingBytes, backward.workingBytes) + gathered;
    double needed = use.total() * (1 + runtime.fragmentation) + runtime.reserve;
    use.temporary += needed - use.total();
    if (needed > worst) {
      worst = needed;
      build.step.worstStage = stage;
      build.step.missing = memoryCapacity > 0 ? needed - memoryCapacity : -1;
    }
  }
  build.step.fits = build.step.missing <= 0;
}
