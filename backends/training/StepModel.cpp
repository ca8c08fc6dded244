// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Chip.h"
#include "backends/training/Train.h"
#include "passes/Levels.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;
using passes::Strategy;

/// Tasks that are played at most; longer schedules repeat their steady state.
static constexpr int64_t playedTasks = 400000;

struct StepModel::Build {
  const ModelCosts &costs;
  const Strategy &strategy;
  Step step;
  double microbatches = 1;
  std::vector<std::vector<double>> layers; ///< by stage, then by kind of layer
  std::vector<RegionCost> forward, backward;
  std::vector<StageTime> times;
  std::vector<double> inFlight;
  bool failed = false;
};

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
  if (axis == "expert_data")
    place = {
        std::max<int64_t>(1, build.strategy.data * build.strategy.context / build.strategy.expert),
        build.strategy.tensor * build.strategy.expert};
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

/// Layers of each stage: as given, else evenly; embedding and output layer may count as one layer
/// each where that makes it even (as in Llama 3, section 3.3.2).
bool StepModel::divideLayers(Build &build, std::string &problem) {
  const Strategy &strategy = build.strategy;
  int64_t total = build.costs.forward.layerCount(), p = strategy.pipeline;
  std::vector<int64_t> counts = strategy.stages;
  int64_t sum = 0;
  for (int64_t count : counts)
    sum += count;
  if (!counts.empty() && (static_cast<int64_t>(counts.size()) != p || sum != total)) {
    problem = fmt::format("`stages` gives {} with {}, but there are {} with {}",
                          counted(counts.size(), "stage"), counted(sum, "layer"),
                          counted(p, "stage"), counted(total, "layer"));
    return false;
  }
  int64_t unit = p * (strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1);
  if (counts.empty() && total % unit == 0) {
    counts.assign(p, total / p);
  } else if (counts.empty() && p > 1 && (total + 2) % unit == 0) {
    counts.assign(p, (total + 2) / p);
    --counts.front();
    --counts.back();
  } else if (counts.empty()) {
    problem = fmt::format("{} cannot be divided evenly among {}; `stages` can give each its own",
                          counted(total, "layer"),
                          unit == p ? counted(p, "stage")
                                    : fmt::format("{} of {}", counted(p, "stage"),
                                                  counted(strategy.chunks, "chunk")));
    return false;
  }
  size_t kind = 0;
  double left = build.costs.forward.layers.empty()
                    ? 0
                    : static_cast<double>(build.costs.forward.layers[0].count);
  for (int64_t count : counts) {
    std::vector<double> stage(build.costs.forward.layers.size(), 0);
    for (double open = static_cast<double>(count); open > 0;) {
      while (left == 0)
        left = static_cast<double>(build.costs.forward.layers[++kind].count);
      double taken = std::min(open, left);
      stage[kind] += taken;
      open -= taken;
      left -= taken;
    }
    build.layers.push_back(std::move(stage));
    build.step.summary.stages.push_back({});
    build.step.summary.stages.back().layers = count;
  }
  return true;
}

/// Adds the collectives of `cost`, run `times` times per step, and returns the part of one run that
/// nothing hides.
double StepModel::exposedTime(Build &build, const RegionCost &cost, double times, double share) {
  double sum = 0;
  for (const Communication &entry : cost.communication) {
    auto one = collective(build, entry.kind, entry.axis, entry.bytes);
    if (!one)
      return 0;
    double total = *one * entry.count;
    double exposed = total * (1 - runtime.overlapTensor);
    sum += exposed;
    note(build, entry.kind + " " + entry.axis, entry.bytes, entry.count * times * share,
         total * times * share, exposed * times * share);
  }
  return sum;
}

bool StepModel::stageTimes(Build &build) {
  const ModelCosts &costs = build.costs;
  size_t p = build.layers.size(), kinds = costs.forward.layers.size();
  double share = 1.0 / static_cast<double>(p); // communication is reported as a mean over stages
  double boundary = costs.forward.layers.empty() ? 0 : costs.forward.layers[0].one.inputBytes;
  auto send = collective(build, "send", "stage", boundary);
  if (!send)
    return false;
  double chunks = build.strategy.schedule == ScheduleKind::Interleaved ? build.strategy.chunks : 1;
  double sends = p > 1 ? *send * chunks : 0;
  double sent = sends * (1 - runtime.overlapPipeline);
  note(build, "send pipeline", boundary, 2 * chunks * build.microbatches,
       2 * sends * build.microbatches, 2 * sent * build.microbatches);
  for (size_t stage = 0; stage < p; ++stage) {
    RegionCost forward, backward;
    for (size_t kind = 0; kind < kinds; ++kind) {
      forward.add(costs.forward.layers[kind].one, build.layers[stage][kind]);
      backward.add(costs.backward.layers[kinds - 1 - kind].one, build.layers[stage][kind]);
    }
    if (stage == 0) {
      forward.add(costs.forward.before);
      backward.add(costs.backward.after);
    }
    if (stage + 1 == p) {
      forward.add(costs.forward.after);
      backward.add(costs.backward.before);
    }
    StageTime time;
    time.forward = forward.seconds + exposedTime(build, forward, build.microbatches, share) + sent;
    time.backward =
        backward.seconds + exposedTime(build, backward, build.microbatches, share) + sent;
    build.times.push_back(time);
    build.forward.push_back(std::move(forward));
    build.backward.push_back(std::move(backward));
  }
  return !build.failed;
}

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

bool StepModel::pipeline(Build &build, bool withEvents) {
  const Strategy &strategy = build.strategy;
  TrainingSummary &summary = build.step.summary;
  auto p = static_cast<int64_t>(build.times.size());
  double slowest = 0, all = 0;
  bool equal = true;
  for (const StageTime &time : build.times) {
    double one = time.forward + time.backward;
    if (one > slowest) {
      slowest = one;
      summary.forward = time.forward;
      summary.backward = time.backward;
    }
    all += one;
    equal &= std::fabs(one - build.times[0].forward - build.times[0].backward) <= 1e-12 * one;
  }
  auto m = static_cast<int64_t>(std::llround(build.microbatches));
  int64_t chunks = strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1;
  std::vector<ScheduledTask> tasks;
  bool canPlay = p > 1 && p * m * chunks * 2 <= playedTasks;
  if (p == 1) {
    summary.pipelineTime = build.microbatches * slowest;
  } else if (canPlay && (!equal || withEvents)) {
    summary.pipelineTime =
        playSchedule(strategy.schedule, build.times, m, chunks, 0, withEvents ? &tasks : nullptr)
            .time;
  } else {
    double ideal = closedFormTime(strategy.schedule, p, m, chunks, build.times[0]);
    double steady = static_cast<double>(m) * slowest;
    double fill =
        equal ? ideal - steady : (all - slowest) / static_cast<double>(chunks); // each stage once
    summary.pipelineTime = steady + std::max(0.0, fill);
  }
  for (int64_t stage = 0; stage < p; ++stage)
    build.inFlight.push_back(microbatchesInFlight(strategy.schedule, stage, p, m, chunks));
  for (const ScheduledTask &task : tasks)
    summary.events.push_back({task.stage,
                              fmt::format("{}{}{}", task.kind, task.microbatch,
                                          chunks > 1 ? fmt::format(".{}", task.chunk) : ""),
                              task.start, task.end - task.start});
  double working = build.microbatches * all / static_cast<double>(p);
  summary.bubble = std::max(0.0, summary.pipelineTime - working);
  return true;
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
