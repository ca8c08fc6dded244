// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What data-parallel ranks share: parameters and gradients on their way between them, the
// optimizer's update, and the memory that all of it takes.
#include "backends/training/StepBuild.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// Bytes of an element of the parameters and of their gradients.
static std::pair<double, double> elementBytes(const Strategy &strategy, const Runtime &runtime) {
  double element = bitsOf(strategy.dtype) / 8.0;
  return {element, runtime.gradientBytes > 0 ? runtime.gradientBytes : element};
}

/// Ranks among which a stage's state is divided: experts have fewer than the rest.
static double replicas(const Strategy &strategy, bool ofExperts) {
  return static_cast<double>(placeOf(strategy, ofExperts ? "expert_data" : "data").ranks);
}

/// `kind` among the ranks that have the same weights: all of the data and context axes, and for
/// experts those that are left of them. 0 after a report.
double StepModel::amongReplicas(Build &build, const char *kind, double denseBytes,
                                double expertBytes) {
  auto dense = collective(build, kind, "data", denseBytes);
  auto experts = collective(build, kind, "expert_data", expertBytes);
  return dense && experts ? *dense + *experts : 0;
}

/// Fully sharded parameters are gathered before each layer and their gradients scattered behind it;
/// what the layer's kernels do not hide is added to its stage.
void StepModel::gatherLayer(Build &build, const RegionCost &forward, const RegionCost &backward,
                            double layers, StageTime &time) {
  auto [element, gradient] = elementBytes(build.strategy, runtime);
  double gather = amongReplicas(build, "all_gather", forward.denseElements() * element,
                                forward.expertElements * element);
  double scatter = amongReplicas(build, "reduce_scatter", forward.trainedDense() * gradient,
                                 forward.trainedExperts() * gradient);
  double ahead = std::max(0.0, gather - runtime.overlapData * forward.seconds);
  double behind = std::max(0.0, gather + scatter - runtime.overlapData * backward.seconds);
  time.forward += layers * ahead;
  time.backward += layers * behind;
  double runs = layers * build.microbatches / static_cast<double>(build.layers.size());
  double scattered = gather + scatter > 0 ? behind * scatter / (gather + scatter) : 0;
  note(build, "all_gather data", forward.weightElements * element, 2 * runs, 2 * gather * runs,
       (ahead + behind - scattered) * runs);
  note(build, "reduce_scatter data", (forward.trainedDense() + forward.trainedExperts()) * gradient,
       runs, scatter * runs, scattered * runs);
}

bool StepModel::shareParameters(Build &build) {
  if (!build.strategy.shard.parameters)
    return true;
  const ModelCosts &costs = build.costs;
  size_t kinds = costs.forward.layers.size();
  for (size_t stage = 0; stage < build.layers.size(); ++stage) {
    StageTime &time = build.times[stage];
    for (size_t kind = 0; kind < kinds; ++kind)
      if (build.layers[stage][kind] > 0)
        gatherLayer(build, costs.forward.layers[kind].one,
                    costs.backward.layers[kinds - 1 - kind].one, build.layers[stage][kind], time);
    if (stage == 0)
      gatherLayer(build, costs.forward.before, costs.backward.after, 1, time);
    if (stage + 1 == build.layers.size())
      gatherLayer(build, costs.forward.after, costs.backward.before, 1, time);
  }
  return !build.failed;
}

/// Gradients that are not scattered layer by layer are added up behind the last microbatch, while
/// its backward pass still runs; parameters that were updated in shares are gathered.
bool StepModel::shareGradients(Build &build) {
  const Strategy &strategy = build.strategy;
  if (strategy.shard.parameters)
    return true;
  auto [element, gradient] = elementBytes(strategy, runtime);
  bool isSharded = strategy.shard.optimizer || strategy.shard.gradients;
  double worst = 0;
  CommunicationTime reduce{isSharded ? "reduce_scatter data" : "all_reduce data"},
      gather{"all_gather data"};
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    const RegionCost &forward = build.forward[stage];
    double dense = forward.trainedDense(), experts = forward.trainedExperts();
    double reduced = amongReplicas(build, isSharded ? "reduce_scatter" : "all_reduce",
                                   dense * gradient, experts * gradient);
    double gathered =
        isSharded ? amongReplicas(build, "all_gather", dense * element, experts * element) : 0;
    double a = std::max(0.0, reduced - runtime.overlapData * build.backward[stage].seconds);
    double b = std::max(0.0, gathered - runtime.overlapData * forward.seconds);
    if (build.failed)
      return false;
    if (a + b < worst || reduced == 0)
      continue;
    worst = a + b;
    reduce = {reduce.name, (dense + experts) * gradient, 1, reduced, a};
    gather = {gather.name, (dense + experts) * element, 1, gathered, b};
  }
  note(build, reduce.name, reduce.bytes, 1, reduce.total, reduce.exposed);
  note(build, gather.name, gather.bytes, 1, gather.total, gather.exposed);
  build.step.summary.otherTime += worst;
  return true;
}

/// Bytes of optimizer state per element.
static double stateBytes(const Strategy &strategy) {
  double moments = strategy.optimizer == "sgd" ? 4 : strategy.optimizer == "adafactor" ? 0 : 8;
  return moments + (strategy.master ? bitsOf(*strategy.master) / 8.0 : 0);
}

void StepModel::optimizerStep(Build &build) {
  const Strategy &strategy = build.strategy;
  const passes::Sharding &shard = strategy.shard;
  auto [element, gradient] = elementBytes(strategy, runtime);
  // The gradient is read, the state read and written, the parameter written (and read without a
  // master copy).
  double moved = gradient + 2 * stateBytes(strategy) + element + (strategy.master ? 0 : element);
  bool isSharded = shard.optimizer || shard.gradients || shard.parameters;
  double most = 0;
  for (const RegionCost &forward : build.forward)
    most =
        std::max(most, forward.trainedDense() / (isSharded ? replicas(strategy, false) : 1) +
                           forward.trainedExperts() / (isSharded ? replicas(strategy, true) : 1));
  double seconds = memoryBandwidth > 0 ? most * moved / (memoryBandwidth * runtime.memory) : 0;
  if (!strategy.offload.empty()) // gradients go down, parameters come back
    seconds = most * (gradient + element) / runtime.host;
  build.step.summary.optimizerTime = seconds;
}

/// Parameters, gradients and optimizer state of a stage.
void StepModel::stateMemory(const Build &build, const RegionCost &forward, StageMemory &use) {
  const Strategy &strategy = build.strategy;
  const passes::Sharding &shard = strategy.shard;
  auto [element, gradient] = elementBytes(strategy, runtime);
  bool sharesGradients = shard.gradients || shard.parameters;
  bool sharesState = shard.optimizer || sharesGradients;
  for (bool ofExperts : {false, true}) {
    double ranks = replicas(strategy, ofExperts);
    double all = ofExperts ? forward.expertElements : forward.denseElements();
    double trained = ofExperts ? forward.trainedExperts() : forward.trainedDense();
    use.parameters += all * element / (shard.parameters ? ranks : 1);
    use.gradients += trained * gradient / (sharesGradients ? ranks : 1);
    if (strategy.offload.empty())
      use.optimizer += trained * stateBytes(strategy) / (sharesState ? ranks : 1);
  }
}

void StepModel::memoryOf(Build &build) {
  const Strategy &strategy = build.strategy;
  double element = elementBytes(strategy, runtime).first;
  double worst = -1;
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    StageMemory &use = build.step.summary.stages[stage];
    const RegionCost &forward = build.forward[stage], &backward = build.backward[stage];
    stateMemory(build, forward, use);
    // What only the last stage keeps behind its layers is of one microbatch at a time.
    double last = stage + 1 == build.forward.size() ? build.costs.forward.after.savedBytes : 0;
    use.activations = (forward.savedBytes - last) * build.inFlight[stage] + last;
    double gathered = 0;
    if (strategy.shard.parameters)
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
