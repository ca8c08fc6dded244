// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StageBalance.h"

#include <algorithm>
#include <limits>
#include <queue>

using namespace perfc;
using namespace perfc::training;

std::vector<int64_t> training::balancedStages(llvm::ArrayRef<StageLine> lines, int64_t layers) {
  using Next = std::pair<double, int64_t>; // time with one layer more, minus the stage's number
  std::priority_queue<Next, std::vector<Next>, std::greater<Next>> next;
  std::vector<int64_t> counts(lines.size(), 1);
  auto push = [&](size_t stage) {
    if (counts[stage] < lines[stage].most)
      next.push({lines[stage].at(counts[stage] + 1), -static_cast<int64_t>(stage)});
  };
  for (size_t stage = 0; stage < lines.size(); ++stage) {
    if (lines[stage].most < 1)
      return {};
    push(stage);
  }
  auto left = layers - static_cast<int64_t>(lines.size());
  for (; left > 0 && !next.empty(); --left) {
    auto stage = static_cast<size_t>(-next.top().second);
    next.pop();
    ++counts[stage];
    push(stage);
  }
  return left == 0 ? counts : std::vector<int64_t>();
}

/// The bound of one_f_one_b with `slowest` for stage k of `stages` and `work` for all of them: the
/// least over what may stand behind the stage.
static double boundAt(double slowest, double work, double k, double stages, double microbatches) {
  double behindMost = (stages - k) * slowest, half = behindMost / 2;
  double behindLeast = std::min(behindMost, std::max(0.0, work - k * slowest));
  double behind = std::max(half, behindLeast); // the sum falls in S up to the half, then grows
  return work - slowest - behind + microbatches * slowest + std::max(0.0, 2 * behind - behindMost);
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
  auto m = static_cast<double>(microbatches);
  if (schedule != passes::ScheduleKind::OneFOneB && schedule != passes::ScheduleKind::GPipe)
    return m * slowest;
  // Slower stages than that may stand at the pace of the pipeline: the bound is linear between
  // these.
  auto p = static_cast<double>(lines.size());
  double least = std::numeric_limits<double>::infinity();
  for (double k = 1; k <= p; ++k)
    for (double pace : {slowest, work / k, 2 * work / (p + k), work / p})
      if (pace >= slowest)
        least = std::min(least, boundAt(pace, std::max(work, pace), k, p, m));
  return std::max(least, m * slowest);
}
