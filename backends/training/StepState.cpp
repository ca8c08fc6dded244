// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What data-parallel ranks share: parameters and gradients on their way between them, the
// optimizer's update, and the memory that all of it takes.
#include "backends/core/MemoryTraffic.h"
#include "backends/training/StepBuild.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// `one` among the ranks that have the same weights: all of the data and context axes, or groups of
/// them, and for experts those that are left of them.
StepModel::Exchange StepModel::amongReplicas(Build &build, size_t stage,
                                             const passes::WeightExchange &one) {
  if (one.kind.empty()) // the strategy needs none
    return {};
  auto number = static_cast<int64_t>(stage);
  Exchange sum = collective(build, one.kind, one.axis, one.dense, number);
  Exchange two = collective(build, one.kind, "expert_" + one.axis.str(), one.experts, number);
  sum.seconds += two.seconds;
  sum.energy += two.energy;
  sum.bytes += two.bytes;
  return sum;
}

/// What ranks exchange of the weights of `part`.
passes::WeightExchanges StepModel::exchangesOf(const Build &build, const RegionCost &part) const {
  passes::HeldWeights weights{part.trainedDense(), part.trainedExperts(), part.denseBytes(),
                              part.expertBytes};
  return passes::exchangesOf(build.strategy, weights, bytes);
}

/// The axis that divides what is sharded, as tables call it.
static std::string shardAxis(const Strategy &strategy) {
  return strategy.shard.ranks > 0 ? "shard" : "data";
}

/// Fully sharded parameters are gathered before each layer and their gradients scattered behind it;
/// what the layer's kernels do not hide is added to its stage. Where several groups hold them the
/// sums of the last microbatch are then added up across these: that is added to `across`.
void StepModel::gatherPart(Build &build, size_t stage, const StagePart &part, StageSums &across) {
  const RegionCost &forward = part.forward, &backward = part.backward;
  double layers = part.count(), slowdown = build.step.stages[stage].slowdown;
  passes::WeightExchanges all = exchangesOf(build, forward);
  Exchange gather = amongReplicas(build, stage, all.gather);
  Exchange scatter = amongReplicas(build, stage, all.reduce);
  Exchange sum = amongReplicas(build, stage, all.across);
  auto besides = [&](double seconds, const RegionCost &kernels) {
    double exposed = std::max(0.0, seconds - runtime.overlapData * kernels.seconds * slowdown);
    return runtime.addedTime(seconds, exposed);
  };
  double both = gather.seconds + scatter.seconds;
  double ahead = besides(gather.seconds, forward), behind = besides(both, backward);
  double last = besides(both + sum.seconds, backward) - behind;
  StageTime time;
  time.forward = ahead;
  time.backward = behind;
  build.addTime(stage, part, time);
  double runs = layers * build.microbatches * build.share();
  double scattered = both > 0 ? behind * scatter.seconds / both : 0;
  std::string axis = " " + shardAxis(build.strategy);
  note(build, "all_gather" + axis, gather.bytes, 2 * runs, 2 * gather.seconds * runs,
       (ahead + behind - scattered) * runs, gather.energy);
  note(build, "reduce_scatter" + axis, scatter.bytes, runs, scatter.seconds * runs,
       scattered * runs, scatter.energy);
  across.time.bytes = std::max(across.time.bytes, sum.bytes);
  across.time.count += layers;
  across.time.total += layers * sum.seconds;
  across.time.exposed += layers * last;
  across.energy += sum.energy.times(layers);
}

bool StepModel::shareParameters(Build &build) {
  if (!build.strategy.shard.parameters)
    return true;
  // What stands behind the pipeline is as long as on the stage where it is longest.
  CommunicationTime worst;
  Figure energy;
  for (size_t stage = 0; stage < build.stageCount(); ++stage) {
    StageSums across;
    for (const StagePart &part :
         build.partsOf(stage, build.costs.on(build.step.stages[stage].chip)))
      gatherPart(build, stage, part, across);
    energy += across.energy.times(build.share());
    if (std::tie(across.time.exposed, across.time.total) > std::tie(worst.exposed, worst.total))
      worst = across.time;
  }
  if (worst.count > 0)
    note(build, "all_reduce replica", worst.bytes, worst.count, worst.total, worst.exposed,
         energy.times(1 / worst.count));
  build.step.summary.otherTime += worst.exposed;
  return !build.failed;
}

/// Gradients that are not scattered layer by layer are added up behind the last microbatch, while
/// its backward pass still runs, inside shard groups and then across them; parameters that were
/// updated in shares are gathered.
bool StepModel::shareGradients(Build &build) {
  const Strategy &strategy = build.strategy;
  if (strategy.shard.parameters)
    return true;
  bool isSharded = strategy.shard.optimizer || strategy.shard.gradients;
  double worst = 0;
  std::string axis = isSharded ? shardAxis(strategy) : "data";
  Figure reduceEnergy, acrossEnergy, gatherEnergy;
  CommunicationTime reduce{(isSharded ? "reduce_scatter " : "all_reduce ") + axis},
      across{"all_reduce replica"}, gather{"all_gather " + axis};
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    const RegionCost &forward = build.forward[stage];
    passes::WeightExchanges all = exchangesOf(build, forward);
    Exchange reduced = amongReplicas(build, stage, all.reduce);
    Exchange summed = amongReplicas(build, stage, all.across);
    Exchange gathered = amongReplicas(build, stage, all.gather);
    reduceEnergy += reduced.energy.times(build.share());
    acrossEnergy += summed.energy.times(build.share());
    gatherEnergy += gathered.energy.times(build.share());
    double both = reduced.seconds + summed.seconds;
    double a = std::max(0.0, both - runtime.overlapData * build.backward[stage].seconds);
    double b = std::max(0.0, gathered.seconds - runtime.overlapData * forward.seconds);
    a = runtime.addedTime(both, a);
    b = runtime.addedTime(gathered.seconds, b);
    if (a + b < worst || both == 0)
      continue;
    worst = a + b;
    double part = reduced.seconds / both;
    reduce = {reduce.name, reduced.bytes, 1, reduced.seconds, a * part};
    across = {across.name, summed.bytes, 1, summed.seconds, a * (1 - part)};
    gather = {gather.name, gathered.bytes, 1, gathered.seconds, b};
  }
  note(build, reduce.name, reduce.bytes, 1, reduce.total, reduce.exposed, reduceEnergy);
  note(build, across.name, across.bytes, 1, across.total, across.exposed, acrossEnergy);
  note(build, gather.name, gather.bytes, 1, gather.total, gather.exposed, gatherEnergy);
  build.step.summary.otherTime += worst;
  return !build.failed;
}

/// What a rank of each stage in a ring of these adds up with the other stages.
llvm::SmallVector<StageRing, 1> StepModel::stageRings(const Build &build) const {
  const passes::Sharding &shard = build.strategy.shard;
  bool isSharded = shard.optimizer || shard.gradients || shard.parameters;
  double gradient = bytes.gradient;
  std::map<std::vector<int64_t>, double> sums;
  for (const GraphCost::SharedWeight &shared : build.costs.forward().shared) {
    std::vector<int64_t> stages;
    for (size_t stage = 0; stage < build.stageCount(); ++stage)
      if (build.reads(shared, stage))
        stages.push_back(static_cast<int64_t>(stage));
    if (stages.size() > 1)
      sums[stages] +=
          gradient * (shared.weights.trainedDense() / (isSharded ? build.sharers(false) : 1) +
                      shared.weights.trainedExperts() / (isSharded ? build.sharers(true) : 1));
  }
  llvm::SmallVector<StageRing, 1> rings;
  for (const auto &[stages, size] : sums)
    if (size > 0)
      rings.push_back({stages, size});
  return rings;
}

/// Gradients of weights that several stages hold are added up between these, in a ring, behind the
/// last microbatch and what data-parallel ranks exchange: 2 (k - 1) steps of a k-th of them.
bool StepModel::shareAmongStages(Build &build) {
  int64_t stride = build.chipsAt(0).count;
  for (StageRing &ring : stageRings(build)) {
    auto stages = static_cast<double>(ring.stages.size());
    double slowest = 0;
    Figure energy;
    for (size_t i = 0; i < ring.stages.size(); ++i) {
      int64_t from = ring.stages[i], to = ring.stages[(i + 1) % ring.stages.size()];
      const Cost *send = network.sendCost(build.chipsAt(static_cast<size_t>(from)),
                                          (to - from) * stride, ring.bytes / stages, train.range());
      if (!send)
        return false;
      build.keepNotes(*send);
      slowest = std::max(slowest, send->latency.central() / runtime.network);
      energy += send->energy.times(static_cast<double>(build.stageRanks()));
    }
    double steps = 2 * (stages - 1), seconds = steps * slowest;
    note(build, "all_reduce pipeline", ring.bytes, 1, seconds, seconds, energy.times(steps));
    build.step.summary.otherTime += seconds;
    build.step.rings.push_back(std::move(ring));
  }
  return true;
}

double training::stateBytes(const Strategy &strategy) {
  double moments = strategy.optimizer == "sgd" ? 4 : strategy.optimizer == "adafactor" ? 0 : 8;
  return moments + (strategy.master ? bitsOf(*strategy.master) / 8.0 : 0);
}

void StepModel::optimizerStep(Build &build) {
  const Strategy &strategy = build.strategy;
  const passes::Sharding &shard = strategy.shard;
  double element = bytes.weight, gradient = bytes.gradient;
  // The gradient is read, the state read and written, the parameter written (and read without a
  // master copy).
  double read = gradient + stateBytes(strategy) + (strategy.master ? 0 : element);
  double written = stateBytes(strategy) + element, moved = read + written;
  double ranks = static_cast<double>(strategy.tensor * strategy.context * strategy.data);
  bool isSharded = shard.optimizer || shard.gradients || shard.parameters;
  double worst = 0;
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    const RegionCost &forward = build.forward[stage];
    double elements = forward.trainedDense() / (isSharded ? build.sharers(false) : 1) +
                      forward.trainedExperts() / (isSharded ? build.sharers(true) : 1);
    const ChipFacts &chip = factsAt(build, stage);
    double seconds = chip.bandwidth > 0 ? elements * moved / (chip.bandwidth * runtime.memory) : 0;
    seconds *= build.step.stages[stage].slowdown;
    if (strategy.offload.empty() && chip.outermost)
      build.step.optimizerEnergy +=
          trafficOf(*chip.outermost, elements * read, elements * written).energy.times(ranks);
    // Gradients go down and parameters come back while the host updates what is there, and its
    // state comes from drives and returns to them: the slowest of these sets the pace.
    if (!strategy.offload.empty())
      seconds =
          elements * std::max((gradient + element) / runtime.host, moved / runtime.hostMemory);
    if (strategy.offload == "ssd")
      seconds = std::max(seconds, elements * 2 * stateBytes(strategy) / runtime.drives);
    worst = std::max(worst, seconds);
  }
  build.step.summary.optimizerTime = worst;
  if (!strategy.offload.empty())
    build.step.optimizerEnergy.missing.push_back("the host's memory");
}

/// Parameters, gradients and optimizer state of a stage.
void StepModel::stateMemory(const Build &build, const RegionCost &forward, StageMemory &use) {
  const Strategy &strategy = build.strategy;
  const passes::Sharding &shard = strategy.shard;
  double gradient = bytes.gradient;
  bool sharesGradients = shard.gradients || shard.parameters;
  bool sharesState = shard.optimizer || sharesGradients;
  for (bool ofExperts : {false, true}) {
    double ranks = build.sharers(ofExperts);
    double all = ofExperts ? forward.expertBytes : forward.denseBytes();
    double trained = ofExperts ? forward.trainedExperts() : forward.trainedDense();
    use.parameters += all / (shard.parameters ? ranks : 1);
    use.gradients += trained * gradient / (sharesGradients ? ranks : 1);
    if (strategy.offload.empty())
      use.optimizer += trained * stateBytes(strategy) / (sharesState ? ranks : 1);
  }
}

/// Bytes of the weights that a stage has gathered at a time: of two layers, or of one and what
/// stands before or behind.
double StepModel::gatheredBytes(const Build &build, size_t stage) {
  auto isWhole = [](const AxisPlace &place) { return place.ranks() <= 1; };
  if (!build.strategy.shard.parameters || build.sharers(false) <= 1 ||
      (build.variants && llvm::any_of(build.variants->places("shard"), isWhole)))
    return 0;
  const GraphCost &forward = build.costs.forward();
  double layer = 0;
  for (const GraphCost::Layers &entry : forward.layers)
    layer = std::max(layer, entry.one.weightBytes);
  double shared = build.step.stages[stage].sharedWeights.weightBytes,
         next = std::max(layer, shared);
  if (stage == 0)
    next = std::max(next, forward.before.weightBytes);
  if (stage + 1 == build.forward.size())
    next = std::max(next, forward.after.weightBytes + shared);
  return layer + next;
}

void StepModel::memoryOf(Build &build) {
  double worst = -std::numeric_limits<double>::infinity();
  for (size_t stage = 0; stage < build.forward.size(); ++stage) {
    StageMemory &use = build.step.summary.stages[stage];
    const RegionCost &forward = build.forward[stage], &backward = build.backward[stage];
    stateMemory(build, forward, use);
    // What only the last stage keeps behind its layers is of one microbatch at a time.
    bool isLast = stage + 1 == build.forward.size();
    double last = isLast ? build.costs.forward().after.savedBytes : 0;
    double once = isLast ? build.costs.backward().before.waitingBytes : 0;
    use.activations = (forward.savedBytes - last) * build.inFlight[stage] + last +
                      (backward.waitingBytes - once) * build.waiting[stage];
    use.temporary =
        std::max(forward.workingBytes, backward.workingBytes) + gatheredBytes(build, stage);
    double needed = use.total() * (1 + runtime.fragmentation) + runtime.reserve;
    use.temporary += needed - use.total();
    // Shares and a capacity of experts leave parts of bytes.
    for (double *part :
         {&use.parameters, &use.gradients, &use.optimizer, &use.activations, &use.temporary})
      *part = std::round(*part);
    // Any chip of the stage has to hold it.
    for (unsigned path : network.places().of(build.chipsAt(stage))) {
      const ChipFacts &chip = facts.at(network.places().path(path).chip);
      if (chip.capacity > 0)
        build.step.fill = std::max(build.step.fill, needed / chip.capacity);
      double missing = chip.capacity > 0 ? needed - chip.capacity : -1;
      if (missing <= worst)
        continue;
      worst = missing;
      build.step.worstStage = stage;
      build.step.missing = missing;
      build.step.capacity = chip.capacity;
      build.step.memory = chip.memory;
    }
  }
  build.step.fits = build.step.missing <= 0;
}
