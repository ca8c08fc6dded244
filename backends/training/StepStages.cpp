// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipeline stages: which layers each has, what a microbatch takes on it, and how its schedule fills
// the pipeline.
#include "backends/training/StepBuild.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;
using passes::Strategy;

/// Tasks that are played at most; longer schedules repeat their steady state.
static constexpr int64_t playedTasks = 400000;

int64_t StagePlan::layers(uint32_t kind) const {
  int64_t sum = 0;
  for (const std::vector<uint32_t> &chunk : chunks)
    sum += llvm::count(chunk, kind);
  return sum;
}

std::vector<passes::LayerKind> training::layerKinds(const GraphCost &graph) {
  std::vector<passes::LayerKind> kinds;
  for (const GraphCost::Layers &layers : graph.layers)
    kinds.push_back({layers.count, layers.isKept});
  return kinds;
}

bool StepModel::Build::reads(const GraphCost::SharedWeight &shared, size_t stage) const {
  bool isRead = (shared.before && stage == 0) || (shared.after && stage + 1 == stageCount());
  for (const std::vector<uint32_t> &list : step.stages[stage].chunks)
    isRead |= llvm::any_of(list, [&](uint32_t kind) { return shared.layers[kind]; });
  return isRead;
}

void StepModel::Build::findSharedWeights() {
  for (const GraphCost::SharedWeight &shared : costs.forward().shared)
    for (size_t stage = 0; stage < stageCount(); ++stage) {
      bool isCounted = shared.before ? stage == 0 : shared.after && stage + 1 == stageCount();
      if (reads(shared, stage) && !isCounted)
        step.stages[stage].sharedWeights.add(shared.weights);
    }
}

std::vector<StepModel::StagePart>
StepModel::Build::partsOf(size_t stage, const ModelCosts::OnChip &graphs) const {
  const GraphCost &forward = graphs.forward, &backward = graphs.backward;
  const std::vector<std::vector<uint32_t>> &lists = step.stages[stage].chunks;
  std::vector<StagePart> parts;
  size_t kinds = forward.layers.size();
  for (uint32_t kind = 0; kind < kinds; ++kind) {
    std::vector<double> runs;
    for (const std::vector<uint32_t> &list : lists)
      runs.push_back(static_cast<double>(llvm::count(list, kind)));
    StagePart part{forward.layers[kind].one, backward.layers[kinds - 1 - kind].one, runs};
    if (part.count() > 0)
      parts.push_back(std::move(part));
  }
  std::vector<double> first(lists.size(), 0), last(lists.size(), 0);
  first.front() = last.back() = 1;
  if (stage == 0)
    parts.push_back({forward.before, backward.after, first});
  if (stage + 1 == stageCount())
    parts.push_back({forward.after, backward.before, last});
  static const RegionCost nothing;
  if (const RegionCost &shared = step.stages[stage].sharedWeights; shared.weightElements > 0)
    parts.push_back({shared, nothing, first});
  return parts;
}

void StepModel::Build::addTime(size_t stage, const StagePart &part, const StageTime &time) {
  for (size_t chunk = 0; chunk < part.runs.size(); ++chunk)
    times[stage * part.runs.size() + chunk].add(time, part.runs[chunk]);
}

StageTime StepModel::Build::timeOf(size_t stage) const {
  StageTime sum;
  auto all = static_cast<size_t>(chunks());
  for (size_t chunk = 0; chunk < all; ++chunk)
    sum.add(times[stage * all + chunk], 1);
  return sum;
}

/// Adds the collectives of `cost`, run `count` times for each microbatch on one stage, and returns
/// the part of one run that nothing hides. Communication is reported as a mean over stages.
double StepModel::exposedTime(Build &build, size_t stage, const RegionCost &cost, double count) {
  if (build.probe)
    if (auto known = build.probe->exposed.find(&cost); known != build.probe->exposed.end())
      return known->second;
  double sum = 0, times = build.microbatches * build.share() * count;
  // No more is hidden than there are kernels beside it.
  double left = cost.seconds * build.step.stages[stage].slowdown;
  for (const Communication &entry : cost.communication) {
    Exchange one =
        collective(build, entry.kind, entry.axis, entry.bytes, static_cast<int64_t>(stage));
    double total = one.seconds * entry.count;
    int64_t ranks = placeOf(build.strategy, entry.axis).ranks();
    double hidden = std::min(total * (1 - runtime.exposedShare(entry.axis, ranks)), left);
    left -= hidden;
    sum += total - hidden;
    note(build, entry.kind + " " + entry.axis, entry.bytes, entry.count * times, total * times,
         (total - hidden) * times, one.energy.times(entry.meanShare));
  }
  if (build.probe)
    build.probe->exposed[&cost] = sum;
  return sum;
}

/// The costs of a stage on the slowest kind of its chips, which the others wait for.
void StepModel::chooseChip(Build &build, size_t stage) {
  passes::ChipSet chips = build.chipsAt(stage);
  StagePlan &plan = build.step.stages[stage];
  RegionCost forward, backward;
  for (unsigned path : network.places().of(chips)) {
    const ir::Operation *chip = network.places().path(path).chip;
    RegionCost one, two; // one pass of a microbatch each
    for (const StagePart &part : build.partsOf(stage, build.costs.on(chip))) {
      one.add(part.forward, part.count());
      two.add(part.backward, part.count());
    }
    if (plan.chip && one.seconds + two.seconds <= forward.seconds + backward.seconds)
      continue;
    plan.chip = chip;
    forward = std::move(one);
    backward = std::move(two);
  }
  plan.slowdown = network.places().slowdown(chips);
  plan.chips = chips;
  for (RegionCost *part : {&forward, &backward}) {
    part->seconds *= plan.slowdown;
    part->weightsSeconds *= plan.slowdown;
    for (KernelTime &kernel : part->kernels)
      kernel.seconds *= plan.slowdown;
  }
  build.forward.push_back(std::move(forward));
  build.backward.push_back(std::move(backward));
}

/// What stages send: each chunk to the same one of the next stage, the last stage to the next chunk
/// of the first; gradients the other way.
bool StepModel::addSends(Build &build) {
  const GraphCost &graph = build.costs.forward();
  size_t p = build.stageCount(), chunks = static_cast<size_t>(build.chunks());
  double bytes = graph.layers.empty() ? 0 : graph.layers[0].one.inputBytes;
  if (p == 1 || bytes <= 0)
    return true;
  // Only a schedule with several chunks has another one to work on meanwhile.
  double shown = chunks > 1 ? 1 - runtime.overlapPipeline : 1;
  double seconds = 0, messages = 0, sent = 0;
  Figure energy;
  for (size_t stage = 0; stage < p; ++stage) {
    bool isLast = stage + 1 == p;
    if (isLast && chunks == 1)
      continue;
    Exchange send = sendToNext(build, static_cast<int64_t>(stage), bytes);
    StageSend one{send.seconds, send.seconds * shown};
    auto count = 2 * static_cast<double>(isLast ? chunks - 1 : chunks);
    messages += count;
    seconds += send.seconds * count;
    sent = send.bytes;
    energy += send.energy.times(count);
    for (size_t chunk = 0; chunk + (isLast ? 1 : 0) < chunks; ++chunk) {
      size_t next = isLast ? chunk + 1 : (stage + 1) * chunks + chunk;
      build.times[stage * chunks + chunk].sendForward = one;
      build.times[next].sendBackward = one;
    }
  }
  double times = build.microbatches * build.share();
  note(build, sendName, sent, messages * times, seconds * times, seconds * times * shown,
       energy.times(1 / (messages * build.share())));
  return !build.failed;
}

/// Adds what the power limit costs; the program of the step has it, too.
void StepModel::limitPower(Build &build, size_t stage, const StagePart &part, StageTime &time) {
  StagePlan &plan = build.step.stages[stage];
  PowerDemand demand = part.forward.power;
  demand.add(part.backward.power, 1);
  // A slow chip takes as much longer at the limit.
  double stretch = factsAt(build, stage).power->stretch(demand, time.kernels() / plan.slowdown);
  if (stretch == 1)
    return;
  plan.stretch[&part.forward] = plan.stretch[&part.backward] = stretch;
  build.step.summary.powerTime +=
      (stretch - 1) * time.kernels() * part.count() * build.microbatches * build.share();
  for (double *some : {&time.forward, &time.backward, &time.weights})
    *some *= stretch;
}

bool StepModel::stageTimes(Build &build) {
  size_t p = build.stageCount();
  build.times.assign(p * static_cast<size_t>(build.chunks()), {});
  build.findSharedWeights();
  if (!addSends(build))
    return false;
  for (size_t stage = 0; stage < p; ++stage) {
    chooseChip(build, stage);
    const StagePlan &plan = build.step.stages[stage];
    for (const StagePart &part : build.partsOf(stage, build.costs.on(plan.chip))) {
      StageTime time;
      time.forward = part.forward.seconds * plan.slowdown +
                     exposedTime(build, stage, part.forward, part.count());
      time.backward = part.backward.seconds * plan.slowdown +
                      exposedTime(build, stage, part.backward, part.count());
      time.weights = part.backward.weightsSeconds * plan.slowdown;
      limitPower(build, stage, part, time);
      build.addTime(stage, part, time);
    }
  }
  return !build.failed;
}

void StepModel::setInFlight(Build &build) const {
  const Strategy &strategy = build.strategy;
  auto p = static_cast<int64_t>(build.stageCount());
  auto m = static_cast<int64_t>(std::llround(build.microbatches));
  int64_t chunks = build.chunks();
  bool isZero = strategy.schedule == ScheduleKind::ZeroBubble;
  ScheduleKind order = isZero ? ScheduleKind::OneFOneB : strategy.schedule;
  for (int64_t stage = 0; stage < p; ++stage) {
    build.inFlight.push_back(microbatchesInFlight(order, stage, p, m, chunks));
    double held = microbatchesInFlight(strategy.schedule, stage, p, m, chunks);
    build.waiting.push_back(held - build.inFlight.back());
  }
}

bool StepModel::pipeline(Build &build, bool withEvents) {
  ScheduleKind kind = build.strategy.schedule;
  TrainingSummary &summary = build.step.summary;
  auto p = static_cast<int64_t>(build.stageCount());
  double slowest = 0, all = 0, kernels = 0;
  for (int64_t stage = 0; stage < p; ++stage) {
    StageTime time = build.timeOf(stage);
    all += time.least(kind);
    kernels += time.kernels();
    if (time.least(kind) <= slowest)
      continue;
    slowest = time.least(kind);
    summary.forward = time.forward + time.sendForward.waits;
    summary.backward = time.backward + time.sendBackward.waits;
  }
  auto m = static_cast<int64_t>(std::llround(build.microbatches));
  int64_t chunks = build.chunks();
  StageTime first = build.timeOf(0);
  bool equal = first.sendForward.way == 0 && llvm::all_of(build.times, [&](const StageTime &time) {
                 return time == build.times.front();
               });
  double sending =
      (all - kernels) * build.microbatches; // s in which stages wait for what they send
  bool hasForm = equal && hasClosedForm(kind, p, m, first);
  bool canPlay = p > 1 && p * m * chunks * 2 <= playedTasks;
  if (p == 1) {
    summary.pipelineTime = build.microbatches * slowest;
  } else if (canPlay && !hasForm) {
    ScheduleResult played = playSchedule(*build.order, build.times);
    summary.pipelineTime = played.time;
    sending = std::accumulate(played.sending.begin(), played.sending.end(), 0.0) *
              build.microbatches / static_cast<double>(m);
  } else {
    double ideal = closedFormTime(kind, p, m, chunks, first);
    double steady = static_cast<double>(m) * slowest;
    double fill =
        equal ? ideal - steady : (all - slowest) / static_cast<double>(chunks); // each stage once
    summary.pipelineTime = steady + std::max(0.0, fill);
  }
  setInFlight(build);
  if (withEvents && canPlay)
    summary.tasks = [order = *build.order, times = build.times] {
      std::vector<ScheduledTask> tasks;
      playSchedule(order, times, &tasks);
      return tasks;
    };
  for (CommunicationTime &entry : summary.communication)
    if (entry.name == sendName)
      entry.exposed = sending * build.share();
  double working = (build.microbatches * kernels + sending) * build.share();
  summary.bubble = std::max(0.0, summary.pipelineTime - working);
  return true;
}
