// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline stages: which layers each has, what a microbatch takes on it, and how its schedule fills
// the pipeline.
#include "backends/training/StepBuild.h"
#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;
using passes::Strategy;

/// Tasks that are played at most; longer schedules repeat their steady state.
static constexpr int64_t playedTasks = 400000;

/// Gives stages their layers in order. Where some layers of each stage recompute and the others do
/// not, both are dealt to each stage in its own shares.
void StepModel::dealLayers(Build &build, llvm::ArrayRef<int64_t> counts) {
  const std::vector<GraphCost::Layers> &kinds = build.costs.forward().layers;
  auto isPair = [&](size_t kind) { return kind + 1 < kinds.size() && kinds[kind + 1].isKept; };
  auto layersOf = [&](size_t kind) {
    return static_cast<double>(kinds[kind].count + (isPair(kind) ? kinds[kind + 1].count : 0));
  };
  int64_t limit = build.strategy.recomputeLayers;
  size_t kind = 0;
  double left = kinds.empty() ? 0 : layersOf(0);
  for (int64_t count : counts) {
    std::vector<double> stage(kinds.size(), 0);
    double again = limit < 0 || count == 0
                       ? 1
                       : static_cast<double>(std::min(limit, count)) / static_cast<double>(count);
    for (double open = static_cast<double>(count); open > 0;) {
      while (left == 0) {
        kind += isPair(kind) ? 2 : 1;
        left = layersOf(kind);
      }
      double taken = std::min(open, left);
      stage[kind] += isPair(kind) ? taken * again : taken;
      if (isPair(kind))
        stage[kind + 1] += taken * (1 - again);
      open -= taken;
      left -= taken;
    }
    build.layers.push_back(std::move(stage));
    build.step.summary.stages.push_back({});
    build.step.summary.stages.back().layers = count;
  }
}

/// Layers of each stage: as given, else evenly; embedding and output layer may count as one layer
/// each where that makes it even (as in Llama 3, section 3.3.2).
bool StepModel::divideLayers(Build &build, std::string &problem) {
  const Strategy &strategy = build.strategy;
  int64_t total = build.costs.forward().layerCount(), p = strategy.pipeline;
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
  int64_t most = *std::max_element(counts.begin(), counts.end());
  if (strategy.recomputeLayers > most) {
    problem = fmt::format("`recompute {}(layers = {})` is of each stage, but none has more than {}",
                          passes::recomputeName(strategy.recompute).str(), strategy.recomputeLayers,
                          counted(most, "layer"));
    return false;
  }
  dealLayers(build, counts);
  return true;
}

/// Adds the collectives of `cost`, run `count` times for each microbatch on one stage, and returns
/// the part that nothing hides. Communication is reported as a mean over stages.
double StepModel::exposedTime(Build &build, size_t stage, const RegionCost &cost, double count) {
  double sum = 0, times = build.microbatches * build.share() * count;
  double left = cost.seconds; // no more is hidden than there are kernels beside it
  for (const Communication &entry : cost.communication) {
    Exchange one =
        collective(build, entry.kind, entry.axis, entry.bytes, static_cast<int64_t>(stage));
    double total = one.seconds * entry.count;
    int64_t ranks = placeOf(build.strategy, entry.axis).ranks();
    double hidden = std::min(total * (1 - runtime.exposedShare(entry.axis, ranks)), left);
    left -= hidden;
    sum += (total - hidden) * count;
    note(build, entry.kind + " " + entry.axis, entry.bytes, entry.count * times, total * times,
         (total - hidden) * times, one.energy);
  }
  return sum;
}

/// The same for all parts of a stage.
double StepModel::stageExposedTime(Build &build, size_t stage, const GraphCost &graph,
                                   bool isForward) {
  double sum = 0;
  size_t kinds = graph.layers.size();
  for (size_t kind = 0; kind < kinds; ++kind)
    if (double count = build.layers[stage][kind]; count > 0)
      sum +=
          exposedTime(build, stage, graph.layers[isForward ? kind : kinds - 1 - kind].one, count);
  bool isFirst = stage == 0, isLast = stage + 1 == build.layers.size();
  if (isForward ? isFirst : isLast)
    sum += exposedTime(build, stage, graph.before, 1);
  if (isForward ? isLast : isFirst)
    sum += exposedTime(build, stage, graph.after, 1);
  return sum;
}

/// One pass of a stage over a microbatch.
RegionCost StepModel::stageCost(const Build &build, size_t stage, const GraphCost &graph,
                                bool isForward) const {
  RegionCost cost;
  size_t kinds = graph.layers.size();
  for (size_t kind = 0; kind < kinds; ++kind)
    cost.add(graph.layers[isForward ? kind : kinds - 1 - kind].one, build.layers[stage][kind]);
  bool isFirst = stage == 0, isLast = stage + 1 == build.layers.size();
  if (isForward ? isFirst : isLast)
    cost.add(graph.before);
  if (isForward ? isLast : isFirst)
    cost.add(graph.after);
  return cost;
}

/// The costs of a stage on the slowest kind of its chips, which the others wait for.
void StepModel::chooseChip(Build &build, size_t stage) {
  ChipSet chips = chipsOf(build.strategy, static_cast<int64_t>(stage));
  RegionCost forward, backward;
  const ir::Operation *slowest = nullptr;
  for (unsigned path : network.places().of(chips)) {
    const ir::Operation *chip = network.places().path(path).chip;
    RegionCost one = stageCost(build, stage, build.costs.on(chip).forward, true);
    RegionCost two = stageCost(build, stage, build.costs.on(chip).backward, false);
    if (slowest && one.seconds + two.seconds <= forward.seconds + backward.seconds)
      continue;
    slowest = chip;
    forward = std::move(one);
    backward = std::move(two);
  }
  double factor = network.places().slowdown(chips);
  for (RegionCost *part : {&forward, &backward}) {
    part->seconds *= factor;
    part->weightsSeconds *= factor;
    for (KernelTime &kernel : part->kernels)
      kernel.seconds *= factor;
  }
  build.chips.push_back(slowest);
  build.forward.push_back(std::move(forward));
  build.backward.push_back(std::move(backward));
}

bool StepModel::stageTimes(Build &build) {
  const ModelCosts &costs = build.costs;
  size_t p = build.layers.size();
  double boundary = costs.forward().layers.empty() ? 0 : costs.forward().layers[0].one.inputBytes;
  Exchange send = sendToNext(build, boundary);
  double chunks = build.strategy.schedule == ScheduleKind::Interleaved ? build.strategy.chunks : 1;
  double sends = p > 1 ? send.seconds * chunks : 0;
  // Only a schedule with several chunks has another one to work on meanwhile.
  double sent = sends * (chunks > 1 ? 1 - runtime.overlapPipeline : 1);
  note(build, "send pipeline", boundary, 2 * chunks * build.microbatches,
       2 * sends * build.microbatches, 2 * sent * build.microbatches, send.energy);
  for (size_t stage = 0; stage < p; ++stage) {
    chooseChip(build, stage);
    const RegionCost &forward = build.forward.back(), &backward = build.backward.back();
    StageTime time;
    const ModelCosts::OnChip &graphs = costs.on(build.chips[stage]);
    time.forward = forward.seconds + stageExposedTime(build, stage, graphs.forward, true) + sent;
    time.backward =
        backward.seconds + stageExposedTime(build, stage, graphs.backward, false) + sent;
    time.weights = backward.weightsSeconds;
    build.times.push_back(time);
  }
  return !build.failed;
}

void StepModel::setInFlight(Build &build) const {
  const Strategy &strategy = build.strategy;
  auto p = static_cast<int64_t>(build.times.size());
  auto m = static_cast<int64_t>(std::llround(build.microbatches));
  int64_t chunks = strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1;
  bool isZero = strategy.schedule == ScheduleKind::ZeroBubble;
  ScheduleKind order = isZero ? ScheduleKind::OneFOneB : strategy.schedule;
  for (int64_t stage = 0; stage < p; ++stage) {
    build.inFlight.push_back(microbatchesInFlight(order, stage, p, m, chunks));
    double held = microbatchesInFlight(strategy.schedule, stage, p, m, chunks);
    build.waiting.push_back(held - build.inFlight.back());
  }
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
    equal &= std::fabs(one - build.times[0].forward - build.times[0].backward) <= 1e-12 * one &&
             std::fabs(time.weights - build.times[0].weights) <= 1e-12 * one;
  }
  auto m = static_cast<int64_t>(std::llround(build.microbatches));
  int64_t chunks = strategy.schedule == ScheduleKind::Interleaved ? strategy.chunks : 1;
  std::vector<ScheduledTask> tasks;
  bool hasForm = equal && hasClosedForm(strategy.schedule, p, m, build.times[0]);
  bool canPlay = p > 1 && p * m * chunks * 2 <= playedTasks;
  if (p == 1) {
    summary.pipelineTime = build.microbatches * slowest;
  } else if (canPlay && (!hasForm || withEvents)) {
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
  setInFlight(build);
  for (const ScheduledTask &task : tasks)
    summary.events.push_back({task.stage,
                              fmt::format("{}{}{}", task.kind, task.microbatch,
                                          chunks > 1 ? fmt::format(".{}", task.chunk) : ""),
                              task.start, task.end - task.start});
  double working = build.microbatches * all / static_cast<double>(p);
  summary.bubble = std::max(0.0, summary.pipelineTime - working);
  return true;
}

/// Times and memory of stages with `each` layers of each kind, even if there are fewer, without a
/// schedule.
bool StepModel::probe(Build &build, llvm::ArrayRef<double> each) {
  build.microbatches = static_cast<double>(build.strategy.batch) /
                       static_cast<double>(build.strategy.data * build.strategy.microbatch);
  build.layers.assign(build.strategy.pipeline, each.vec());
  build.step.summary.stages.resize(build.strategy.pipeline);
  if (!stageTimes(build) || !shareParameters(build))
    return false;
  setInFlight(build);
  memoryOf(build);
  return true;
}

static double timeOf(const StageTime &time) { return time.forward + time.backward; }

llvm::Optional<std::vector<StageLine>> StepModel::stageLines(const ModelCosts &costs,
                                                             const Strategy &strategy) {
  if (costs.forward().layers.size() != 1)
    return llvm::None;
  auto stages = mixedStages(costs, strategy);
  if (!stages)
    return llvm::None;
  std::vector<StageLine> lines;
  for (const MixedStage &stage : *stages) {
    StageLine line{stage.fixed, stage.perLayer[0]};
    double layer = stage.layerMemory[0], least = stage.memory + layer;
    if (stage.capacity > 0 && least > stage.capacity)
      line.most = 0;
    else if (stage.capacity > 0 && layer > 0)
      line.most = 1 + static_cast<int64_t>((stage.capacity - least) / layer);
    lines.push_back(line);
  }
  return lines;
}

llvm::Optional<std::vector<MixedStage>> StepModel::mixedStages(const ModelCosts &costs,
                                                               const Strategy &strategy) {
  if (strategy.recomputeLayers >= 0)
    return llvm::None;
  // Two points make a line for each kind. Memory that stages share out layer by layer is one, too;
  // what a layer needs at a time is in both.
  size_t kinds = costs.forward().layers.size();
  std::vector<MixedStage> stages(strategy.pipeline);
  for (size_t kind = 0; kind < kinds; ++kind) {
    Build one{costs, strategy}, two{costs, strategy};
    std::vector<double> each(kinds, 0);
    each[kind] = 1;
    bool isGood = probe(one, each);
    each[kind] = 2;
    if (!isGood || !probe(two, each))
      return llvm::None;
    for (size_t number = 0; number < stages.size(); ++number) {
      MixedStage &stage = stages[number];
      double least = one.step.summary.stages[number].total();
      double layer = two.step.summary.stages[number].total() - least;
      stage.perLayer.push_back(timeOf(two.times[number]) - timeOf(one.times[number]));
      stage.layerMemory.push_back(layer);
      stage.fixed = timeOf(one.times[number]) - stage.perLayer.back();
      // The kinds need different memory at a time: the least, so that no division is left out.
      stage.memory = kind == 0 ? least - layer : std::min(stage.memory, least - layer);
      stage.capacity = factsAt(one, number).capacity * plannedShare;
    }
  }
  return stages;
}
