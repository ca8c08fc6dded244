// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Schedule.h"

#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::training;
using passes::ScheduleKind;

/// Equal stages: playing the schedule gives the closed form.
TEST(ScheduleTest, ClosedFormsAgreeWithPlay) {
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    auto p = static_cast<int64_t>(1 + random() % 8);
    auto v = static_cast<int64_t>(2 + random() % 3);
    int64_t m = p * static_cast<int64_t>(1 + random() % 5);
    StageTime stage{1.0 + random() % 5, 1.0 + random() % 9};
    stage.weights = std::min(stage.forward, stage.backward / 2) * (random() % 5) / 4;
    ASSERT_TRUE(hasClosedForm(ScheduleKind::ZeroBubble, p, m, stage));
    std::vector<StageTime> stages(p, stage);
    for (ScheduleKind kind : {ScheduleKind::GPipe, ScheduleKind::OneFOneB}) {
      double played = playSchedule(kind, stages, m, 1, 0).time;
      EXPECT_NEAR(played, closedFormTime(kind, p, m, 1, stage), 1e-9 * played);
    }
    double played = playSchedule(ScheduleKind::Interleaved, stages, m, v, 0).time;
    EXPECT_NEAR(played, closedFormTime(ScheduleKind::Interleaved, p, m, v, stage), 1e-9 * played)
        << p << ' ' << m << ' ' << v << ' ' << stage.forward << ' ' << stage.backward;
    double zero = playSchedule(ScheduleKind::ZeroBubble, stages, m, 1, 0).time;
    EXPECT_NEAR(zero, closedFormTime(ScheduleKind::ZeroBubble, p, m, 1, stage), 1e-9 * zero);
  }
}

TEST(ScheduleTest, WaitingMicrobatchesAgreeWithPlay) {
  for (int64_t p : {1, 2, 4, 7})
    for (int64_t m : {1, 3, 8, 16}) {
      std::vector<StageTime> stages(p, StageTime{1, 2, 1});
      for (ScheduleKind kind :
           {ScheduleKind::GPipe, ScheduleKind::OneFOneB, ScheduleKind::ZeroBubble}) {
        ScheduleResult played = playSchedule(kind, stages, m, 1, 0);
        for (int64_t stage = 0; stage < p; ++stage)
          EXPECT_EQ(played.inFlight[stage], microbatchesInFlight(kind, stage, p, m, 1));
      }
    }
  for (int64_t p : {2, 4, 7})
    for (int64_t rounds : {1, 2, 3})
      for (int64_t v : {2, 3}) {
        std::vector<StageTime> stages(p, StageTime{1, 2});
        ScheduleResult played = playSchedule(ScheduleKind::Interleaved, stages, rounds * p, v, 0);
        for (int64_t stage = 0; stage < p; ++stage)
          EXPECT_NEAR(played.inFlight[stage],
                      microbatchesInFlight(ScheduleKind::Interleaved, stage, p, rounds * p, v),
                      1e-9)
              << p << ' ' << rounds << ' ' << v << ' ' << stage;
      }
}

/// The tasks of a zero-bubble schedule are what its time is: none overlap, all work is there, and
/// the last ends with it; few microbatches cannot fill all gaps.
TEST(ScheduleTest, ZeroBubbleIsPlayed) {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    auto p = static_cast<int64_t>(2 + random() % 6), m = static_cast<int64_t>(1 + random() % 20);
    std::vector<StageTime> stages;
    for (int64_t stage = 0; stage < p; ++stage)
      stages.push_back({1.0 + random() % 3, 1.0 + random() % 6, 0.25 * (random() % 5)});
    std::vector<ScheduledTask> tasks;
    double time = playSchedule(ScheduleKind::ZeroBubble, stages, m, 1, 0, &tasks).time, end = 0;
    std::vector<double> free(p, 0), worked(p, 0);
    for (const ScheduledTask &task : tasks) {
      EXPECT_GE(task.start, free[task.stage]);
      free[task.stage] = task.end;
      worked[task.stage] += task.end - task.start;
      end = std::max(end, task.end);
    }
    EXPECT_EQ(end, time);
    for (int64_t stage = 0; stage < p; ++stage)
      EXPECT_NEAR(worked[stage], m * (stages[stage].forward + stages[stage].backward), 1e-9 * time);
    EXPECT_LE(time, playSchedule(ScheduleKind::OneFOneB, stages, m, 1, 0).time * (1 + 1e-12));
    StageTime equal{2, 4, 2};
    double few =
        playSchedule(ScheduleKind::ZeroBubble, std::vector<StageTime>(p, equal), m, 1, 0).time;
    EXPECT_GE(few, closedFormTime(ScheduleKind::ZeroBubble, p, m, 1, equal));
  }
}

TEST(ScheduleTest, OneSlowStageSetsThePace) {
  std::vector<StageTime> stages{{1, 2}, {2, 4}, {1, 2}};
  double time = playSchedule(ScheduleKind::OneFOneB, stages, 100, 1, 0).time;
  EXPECT_GE(time, 600);
  EXPECT_LE(time, 600 + 12);
}
