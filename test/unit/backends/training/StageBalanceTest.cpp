// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/StageBalance.h"
#include "backends/training/Schedule.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;

/// Calls `visit` for every division of `layers` among `stages` from `stage` on.
template <typename Stage, typename Visit>
static void eachDivision(const std::vector<Stage> &stages, std::vector<int64_t> &counts,
                         size_t stage, int64_t layers, Visit visit) {
  if (stage + 1 == counts.size()) {
    counts[stage] = layers;
    if (layers >= stages[stage].least)
      visit(counts);
    return;
  }
  for (counts[stage] = stages[stage].least; counts[stage] <= layers; ++counts[stage])
    eachDivision(stages, counts, stage + 1, layers - counts[stage], visit);
}

/// Of some stages the first and the last may do without layers, others need two.
template <typename Stage> static void drawLeast(std::vector<Stage> &stages, std::mt19937 &random) {
  stages.front().least = random() % 2;
  stages.back().least = random() % 2;
  if (random() % 4 == 0)
    stages[random() % stages.size()].least = 2;
}

TEST(StageBalanceTest, SlowestStageIsAsFastAsInAnyDivision) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<StageLine> lines(2 + random() % 3);
    for (StageLine &line : lines)
      line = {static_cast<double>(random() % 6), 1.0 + random() % 4,
              static_cast<int64_t>(2 + random() % 6)};
    drawLeast(lines, random);
    auto layers = static_cast<int64_t>(lines.size() + random() % 8);
    double best = std::numeric_limits<double>::infinity();
    std::vector<int64_t> counts(lines.size());
    eachDivision(lines, counts, 0, layers, [&](const std::vector<int64_t> &division) {
      double slowest = 0;
      for (size_t stage = 0; stage < lines.size(); ++stage) {
        if (division[stage] > lines[stage].most)
          return;
        slowest = std::max(slowest, lines[stage].at(division[stage]));
      }
      best = std::min(best, slowest);
    });
    std::vector<int64_t> found = balancedStages(lines, layers);
    ASSERT_EQ(found.empty(), std::isinf(best));
    double slowest = 0;
    for (size_t stage = 0; stage < found.size(); ++stage)
      slowest = std::max(slowest, lines[stage].at(found[stage]));
    if (!found.empty()) {
      EXPECT_DOUBLE_EQ(slowest, best);
    }
  }
}

/// Schedules of all divisions, played task by task, take at least the bound.
TEST(StageBalanceTest, NoDivisionBeatsTheBound) {
  std::mt19937 random(5);
  for (int round = 0; round < 150; ++round) {
    std::vector<StageLine> lines(2 + random() % 3);
    double slope = 1.0 + random() % 4;
    for (StageLine &line : lines)
      line = {static_cast<double>(random() % 6), slope + (round % 2 ? random() % 3 : 0)};
    drawLeast(lines, random);
    auto layers = static_cast<int64_t>(lines.size() + random() % 6);
    auto m = static_cast<int64_t>(1 + random() % 9);
    double forward = 0.2 + 0.1 * (random() % 6), sent = 0.1 * (random() % 4);
    for (ScheduleKind kind : {ScheduleKind::OneFOneB, ScheduleKind::GPipe}) {
      double bound = leastPipelineTime(lines, layers, m, kind);
      std::vector<int64_t> counts(lines.size());
      eachDivision(lines, counts, 0, layers, [&](const std::vector<int64_t> &division) {
        std::vector<StageTime> stages;
        for (size_t stage = 0; stage < lines.size(); ++stage) {
          double time = lines[stage].at(division[stage]);
          stages.push_back({forward * time, (1 - forward) * time});
          // A part of what a stage takes may be for what it sends.
          double way = stage + 1 < lines.size() ? forward * time * sent : 0;
          stages.back().forward -= way;
          stages.back().sendForward = {way, way};
          way = stage > 0 ? (1 - forward) * time * sent : 0;
          stages.back().backward -= way;
          stages.back().sendBackward = {way, way};
        }
        EXPECT_GE(playSchedule(kind, stages, m, 1).time * (1 + 1e-9), bound);
      });
    }
  }
}

/// Dense layers, then layers of experts: stages with a stretch of them each.
TEST(StageBalanceTest, StagesOfSeveralKindsAreAsFastAsInAnyDivision) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<MixedStage> stages(2 + random() % 3);
    for (MixedStage &stage : stages)
      stage = {static_cast<double>(random() % 6),
               {1.0 + random() % 3, 2.0 + random() % 6},
               static_cast<double>(random() % 4),
               {1.0, 2.0 + random() % 3},
               round % 2 ? 10.0 + random() % 20 : 0};
    drawLeast(stages, random);
    for (MixedStage &stage : stages)
      stage.emptyMemory = stage.memory / 2;
    std::vector<int64_t> kinds{static_cast<int64_t>(1 + random() % 4),
                               static_cast<int64_t>(stages.size() + random() % 6)};
    auto measure = [&](const std::vector<int64_t> &counts, std::vector<double> &times) {
      int64_t next = 0;
      for (size_t stage = 0; stage < stages.size(); ++stage) {
        double time = stages[stage].fixed, memory = stages[stage].memory;
        for (int64_t i = 0; i < counts[stage]; ++i, ++next) {
          time += stages[stage].perLayer[next >= kinds[0]];
          memory += stages[stage].layerMemory[next >= kinds[0]];
        }
        if (counts[stage] == 0)
          memory = stages[stage].emptyMemory;
        if (stages[stage].capacity > 0 && memory > stages[stage].capacity)
          return false;
        times.push_back(time);
      }
      return true;
    };
    auto m = static_cast<int64_t>(1 + random() % 9);
    double bound = leastPipelineTime(stages, kinds, m, ScheduleKind::OneFOneB);
    double best = std::numeric_limits<double>::infinity();
    std::vector<int64_t> counts(stages.size());
    eachDivision(stages, counts, 0, kinds[0] + kinds[1], [&](const std::vector<int64_t> &division) {
      std::vector<double> times;
      if (!measure(division, times))
        return;
      best = std::min(best, *std::max_element(times.begin(), times.end()));
      std::vector<StageTime> played;
      for (double time : times)
        played.push_back({time / 3, 2 * time / 3});
      EXPECT_GE(playSchedule(ScheduleKind::OneFOneB, played, m, 1).time * (1 + 1e-9), bound);
    });
    std::vector<int64_t> found = balancedStages(stages, kinds);
    ASSERT_EQ(found.empty(), std::isinf(best));
    std::vector<double> times;
    if (!found.empty()) {
      EXPECT_TRUE(measure(found, times));
      EXPECT_DOUBLE_EQ(*std::max_element(times.begin(), times.end()), best);
    }
  }
}

TEST(StageBalanceTest, BoundIsReachedByEqualStages) {
  std::vector<StageLine> lines(4, StageLine{0, 2});
  EXPECT_DOUBLE_EQ(leastPipelineTime(lines, 16, 12, ScheduleKind::OneFOneB),
                   closedFormTime(ScheduleKind::OneFOneB, 4, 12, 1, {4, 4}));
}

/// What stages of given layers take and hold, and what no division holds less than.
TEST(StageBalanceTest, NoDivisionHoldsLess) {
  std::mt19937 random(13);
  for (int round = 0; round < 200; ++round) {
    std::vector<MixedStage> stages(1 + random() % 4);
    for (MixedStage &stage : stages)
      stage = {0.0 + random() % 6, {1.0 + random() % 4}, 0.0 + random() % 9, {1.0 + random() % 5}};
    drawLeast(stages, random);
    for (MixedStage &stage : stages)
      stage.emptyMemory = stage.memory / 2;
    auto layers = static_cast<int64_t>(stages.size() + 1 + random() % 8);
    double least = std::numeric_limits<double>::infinity();
    std::vector<int64_t> counts(stages.size());
    eachDivision(stages, counts, 0, layers, [&](const std::vector<int64_t> &division) {
      double fullest = 0;
      std::vector<StageTime> times;
      for (size_t stage = 0; stage < stages.size(); ++stage) {
        auto count = static_cast<double>(division[stage]);
        double memory = stages[stage].memory + count * stages[stage].layerMemory[0];
        fullest = std::max(fullest, division[stage] == 0 ? stages[stage].emptyMemory : memory);
        double time = stages[stage].fixed + count * stages[stage].perLayer[0];
        times.push_back({time / 3, time * 2 / 3});
      }
      least = std::min(least, fullest);
      auto [time, memory] = leastOfDivision(stages, {layers}, division, 5, ScheduleKind::OneFOneB);
      EXPECT_DOUBLE_EQ(memory, fullest);
      EXPECT_LE(time, playSchedule(ScheduleKind::OneFOneB, times, 5, 1).time * (1 + 1e-9));
    });
    EXPECT_DOUBLE_EQ(leastMemory(stages, layers), least);
  }
}
