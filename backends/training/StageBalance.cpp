// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StageBalance.h"

#include <algorithm>
#include <limits>
#include <queue>

using namespace perfc;
using namespace perfc::training;

std::vector<StageLine> training::linesOf(llvm::ArrayRef<MixedStage> stages) {
  std::vector<StageLine> lines;
  for (const MixedStage &stage : stages) {
    StageLine line{stage.fixed, stage.perLayer[0], INT64_MAX, stage.least};
    double layer = stage.layerMemory[0], least = stage.memory + layer;
    if (stage.capacity > 0 && least > stage.capacity)
      line.most = stage.least == 0 && stage.emptyMemory > stage.capacity ? -1 : 0;
    else if (stage.capacity > 0 && layer > 0)
      line.most = 1 + static_cast<int64_t>((stage.capacity - least) / layer);
    lines.push_back(line);
  }
  return lines;
}

std::vector<int64_t> training::balancedStages(llvm::ArrayRef<StageLine> lines, int64_t layers) {
  using Next = std::pair<double, int64_t>; // time with one layer more, minus the stage's number
  std::priority_queue<Next, std::vector<Next>, std::greater<Next>> next;
  std::vector<int64_t> counts;
  int64_t left = layers;
  for (const StageLine &line : lines) {
    counts.push_back(line.least);
    left -= line.least;
  }
  auto push = [&](size_t stage) {
    if (counts[stage] < lines[stage].most)
      next.push({lines[stage].at(counts[stage] + 1), -static_cast<int64_t>(stage)});
  };
  for (size_t stage = 0; stage < lines.size(); ++stage) {
    if (lines[stage].most < lines[stage].least)
      return {};
    push(stage);
  }
  for (; left > 0 && !next.empty(); --left) {
    auto stage = static_cast<size_t>(-next.top().second);
    next.pop();
    ++counts[stage];
    push(stage);
  }
  return left == 0 ? counts : std::vector<int64_t>();
}

/// Layers of each stage when none takes longer than `pace`; empty when that does not cover all.
static std::vector<int64_t> stagesAtPace(llvm::ArrayRef<MixedStage> stages,
                                         llvm::ArrayRef<size_t> kindOf, double pace) {
  std::vector<int64_t> counts(stages.size(), 0);
  size_t left = kindOf.size(), before = 0; // what the stages before it need
  for (const MixedStage &stage : stages)
    before += static_cast<size_t>(stage.least);
  for (size_t stage = stages.size(); stage-- > 0;) {
    const MixedStage &here = stages[stage];
    before -= static_cast<size_t>(here.least);
    double time = here.fixed, memory = here.memory;
    while (left > before) {
      size_t kind = kindOf[left - 1];
      time += here.perLayer[kind];
      memory += here.layerMemory[kind];
      if (time > pace || (here.capacity > 0 && memory > here.capacity))
        break;
      ++counts[stage];
      --left;
    }
    bool fits = counts[stage] > 0 ||
                (here.fixed <= pace && (here.capacity <= 0 || here.emptyMemory <= here.capacity));
    if (counts[stage] < here.least || !fits)
      return {};
  }
  return left == 0 ? counts : std::vector<int64_t>();
}

/// The kind of each layer.
static std::vector<size_t> kindsOf(llvm::ArrayRef<int64_t> layers) {
  std::vector<size_t> kinds;
  for (size_t kind = 0; kind < layers.size(); ++kind)
    kinds.insert(kinds.end(), static_cast<size_t>(layers[kind]), kind);
  return kinds;
}

std::vector<int64_t> training::balancedStages(llvm::ArrayRef<MixedStage> stages,
                                              llvm::ArrayRef<int64_t> layers) {
  std::vector<size_t> kinds = kindsOf(layers);
  double low = 0, high = 0;
  for (const MixedStage &stage : stages) {
    double all = stage.fixed;
    for (size_t kind : kinds)
      all += stage.perLayer[kind];
    high = std::max(high, all);
  }
  std::vector<int64_t> best = stagesAtPace(stages, kinds, high);
  for (int step = 0; step < 64 && !best.empty(); ++step) {
    double pace = low + (high - low) / 2;
    std::vector<int64_t> counts = stagesAtPace(stages, kinds, pace);
    (counts.empty() ? low : high) = pace;
    if (!counts.empty())
      best = std::move(counts);
  }
  return best;
}

/// The bound of one_f_one_b with `slowest` for stage k of `stages` and `work` for all of them: the
/// least over what may stand behind the stage.
static double boundAt(double slowest, double work, double k, double stages, double microbatches) {
  double behindMost = (stages - k) * slowest, half = behindMost / 2;
  double behindLeast = std::min(behindMost, std::max(0.0, work - k * slowest));
  double behind = std::max(half, behindLeast); // the sum falls in S up to the half, then grows
  return work - slowest - behind + microbatches * slowest + std::max(0.0, 2 * behind - behindMost);
}

/// What no pipeline takes less than whose slowest stage takes `slowest` and all of them `work`.
static double boundOf(double slowest, double work, size_t stages, int64_t microbatches,
                      passes::ScheduleKind schedule) {
  auto m = static_cast<double>(microbatches);
  if (schedule != passes::ScheduleKind::OneFOneB && schedule != passes::ScheduleKind::GPipe)
    return m * slowest;
  // Slower stages than that may stand at the pace of the pipeline: the bound is linear between
  // these.
  auto p = static_cast<double>(stages);
  double least = std::numeric_limits<double>::infinity();
  for (double k = 1; k <= p; ++k)
    for (double pace : {slowest, work / k, 2 * work / (p + k), work / p})
      if (pace >= slowest)
        least = std::min(least, boundAt(pace, std::max(work, pace), k, p, m));
  return std::max(least, m * slowest);
}

double training::leastPipelineTime(llvm::ArrayRef<StageLine> lines, int64_t layers,
                                   int64_t microbatches, passes::ScheduleKind schedule) {
  std::vector<int64_t> counts = balancedStages(lines, layers);
  if (counts.empty())
    return std::numeric_limits<double>::infinity();
  double slowest = 0, work = 0, leastSlope = std::numeric_limits<double>::infinity();
  for (size_t stage = 0; stage < lines.size(); ++stage) {
    slowest = std::max(slowest, lines[stage].at(counts[stage]));
    work += lines[stage].fixed;
    leastSlope = std::min(leastSlope, lines[stage].perLayer);
  }
  work += leastSlope * static_cast<double>(layers);
  return boundOf(slowest, work, lines.size(), microbatches, schedule);
}

double training::leastPipelineTime(llvm::ArrayRef<MixedStage> stages,
                                   llvm::ArrayRef<int64_t> layers, int64_t microbatches,
                                   passes::ScheduleKind schedule) {
  std::vector<int64_t> counts = balancedStages(stages, layers);
  if (counts.empty())
    return std::numeric_limits<double>::infinity();
  std::vector<size_t> kinds = kindsOf(layers);
  double slowest = 0, work = 0;
  std::vector<double> least(layers.size(), std::numeric_limits<double>::infinity());
  size_t next = 0;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    double time = stages[stage].fixed;
    for (int64_t i = 0; i < counts[stage]; ++i)
      time += stages[stage].perLayer[kinds[next++]];
    slowest = std::max(slowest, time);
    work += stages[stage].fixed;
    for (size_t kind = 0; kind < layers.size(); ++kind)
      least[kind] = std::min(least[kind], stages[stage].perLayer[kind]);
  }
  for (size_t kind : kinds)
    work += least[kind];
  return boundOf(slowest, work, stages.size(), microbatches, schedule);
}

std::pair<double, double> training::leastOfDivision(llvm::ArrayRef<MixedStage> stages,
                                                    llvm::ArrayRef<int64_t> layers,
                                                    llvm::ArrayRef<int64_t> counts,
                                                    int64_t microbatches,
                                                    passes::ScheduleKind schedule) {
  std::vector<size_t> kinds = kindsOf(layers);
  double slowest = 0, work = 0, fullest = 0;
  size_t next = 0;
  for (size_t stage = 0; stage < stages.size(); ++stage) {
    double time = stages[stage].fixed, memory = stages[stage].memory;
    for (int64_t i = 0; i < counts[stage]; ++i, ++next) {
      time += stages[stage].perLayer[kinds[next]];
      memory += stages[stage].layerMemory[kinds[next]];
    }
    slowest = std::max(slowest, time);
    fullest = std::max(fullest, counts[stage] == 0 ? stages[stage].emptyMemory : memory);
    work += time;
  }
  return {boundOf(slowest, work, stages.size(), microbatches, schedule), fullest};
}

double training::leastMemory(llvm::ArrayRef<MixedStage> stages, int64_t layers) {
  std::vector<StageLine> lines;
  for (const MixedStage &stage : stages)
    lines.push_back({stage.memory,
                     *std::min_element(stage.layerMemory.begin(), stage.layerMemory.end()),
                     INT64_MAX, stage.least});
  std::vector<int64_t> counts = balancedStages(lines, layers);
  double fullest = 0;
  for (size_t stage = 0; stage < counts.size(); ++stage)
    fullest = std::max(fullest, counts[stage] == 0 ? stages[stage].emptyMemory
                                                   : lines[stage].at(counts[stage]));
  return fullest;
}
