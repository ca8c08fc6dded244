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
      double played = playSchedule(kind, stages, m, 1).time;
      EXPECT_NEAR(played, closedFormTime(kind, p, m, 1, stage), 1e-9 * played);
    }
    StageTime chunk;
    chunk.add(stage, 1 / static_cast<double>(v));
    double played =
        playSchedule(ScheduleKind::Interleaved, std::vector<StageTime>(p * v, chunk), m, v).time;
    EXPECT_NEAR(played, closedFormTime(ScheduleKind::Interleaved, p, m, v, stage), 1e-9 * played)
        << p << ' ' << m << ' ' << v << ' ' << stage.forward << ' ' << stage.backward;
    double zero = playSchedule(ScheduleKind::ZeroBubble, stages, m, 1).time;
    EXPECT_NEAR(zero, closedFormTime(ScheduleKind::ZeroBubble, p, m, 1, stage), 1e-9 * zero);
  }
}

TEST(ScheduleTest, WaitingMicrobatchesAgreeWithPlay) {
  for (int64_t p : {1, 2, 4, 7})
    for (int64_t m : {1, 3, 8, 16}) {
      std::vector<StageTime> stages(p, StageTime{1, 2, 1});
      for (ScheduleKind kind :
           {ScheduleKind::GPipe, ScheduleKind::OneFOneB, ScheduleKind::ZeroBubble}) {
        ScheduleResult played = playSchedule(kind, stages, m, 1);
        for (int64_t stage = 0; stage < p; ++stage)
          EXPECT_EQ(played.inFlight[stage], microbatchesInFlight(kind, stage, p, m, 1));
      }
    }
  for (int64_t p : {2, 4, 7})
    for (int64_t rounds : {1, 2, 3})
      for (int64_t v : {2, 3}) {
        std::vector<StageTime> stages(p * v, StageTime{1, 2});
        ScheduleResult played = playSchedule(ScheduleKind::Interleaved, stages, rounds * p, v);
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
    double time = playSchedule(ScheduleKind::ZeroBubble, stages, m, 1, &tasks).time, end = 0;
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
    EXPECT_LE(time, playSchedule(ScheduleKind::OneFOneB, stages, m, 1).time * (1 + 1e-12));
    StageTime equal{2, 4, 2};
    double few =
        playSchedule(ScheduleKind::ZeroBubble, std::vector<StageTime>(p, equal), m, 1).time;
    EXPECT_GE(few, closedFormTime(ScheduleKind::ZeroBubble, p, m, 1, equal));
  }
}

TEST(ScheduleTest, OneSlowStageSetsThePace) {
  std::vector<StageTime> stages{{1, 2}, {2, 4}, {1, 2}};
  double time = playSchedule(ScheduleKind::OneFOneB, stages, 100, 1).time;
  EXPECT_GE(time, 600);
  EXPECT_LE(time, 600 + 12);
}

/// Two stages, three microbatches, messages of 1 s: a stage begins nothing while its own is on the
/// way; the last forward pass and the first backward pass have nowhere to send to.
TEST(ScheduleTest, StagesWaitForTheirOwnSends) {
  std::vector<StageTime> stages{{1, 2, 0, {1, 1}, {}}, {1, 2, 0, {}, {1, 1}}};
  std::vector<ScheduledTask> tasks;
  ScheduleResult result = playSchedule(ScheduleKind::OneFOneB, stages, 3, 1, &tasks);
  // Stage 0: F0 0-1, F1 2-3, B0 6-8, F2 8-9, B1 10-12, B2 14-16.
  // Stage 1: F0 2-3, B0 3-5, F1 6-7, B1 7-9, F2 10-11, B2 11-13.
  EXPECT_DOUBLE_EQ(result.time, 16);
  EXPECT_DOUBLE_EQ(result.sending[0], 3);
  EXPECT_DOUBLE_EQ(result.sending[1], 3);
  EXPECT_DOUBLE_EQ(result.working[0], 9);
  for (const ScheduledTask &task : tasks) {
    double start = task.stage == 0 ? 14 : 11;
    if (task.kind == 'B' && task.microbatch == 2) {
      EXPECT_DOUBLE_EQ(task.start, start);
    }
  }
  // What is hidden still takes its way: 0 is free at once, 1 waits for the message.
  for (StageTime &stage : stages)
    stage.sendForward.waits = stage.sendBackward.waits = 0;
  result = playSchedule(ScheduleKind::OneFOneB, stages, 1, 1);
  EXPECT_DOUBLE_EQ(result.time, 1 + 1 + 1 + 2 + 1 + 2);
  EXPECT_DOUBLE_EQ(result.sending[0] + result.sending[1], 0);
}

/// Gradients of weights run while a message is on the way: of 1 s of sends none is left.
TEST(ScheduleTest, GradientsOfWeightsRunBesideSends) {
  std::vector<StageTime> stages{{1, 2, 1, {1, 1}, {}}, {1, 2, 1, {}, {1, 1}}};
  ScheduleResult zero = playSchedule(ScheduleKind::ZeroBubble, stages, 8, 1);
  ScheduleResult plain = playSchedule(ScheduleKind::OneFOneB, stages, 8, 1);
  EXPECT_LT(zero.sending[1], plain.sending[1]);
  EXPECT_LT(zero.time, plain.time);
  EXPECT_DOUBLE_EQ(stages[1].least(ScheduleKind::ZeroBubble), 3);
  EXPECT_DOUBLE_EQ(stages[1].least(ScheduleKind::OneFOneB), 4);
  std::mt19937 random(9);
  for (int round = 0; round < 200; ++round) {
    auto p = static_cast<int64_t>(2 + random() % 4), m = static_cast<int64_t>(1 + random() % 12);
    for (StageTime &stage : stages = std::vector<StageTime>(p)) {
      double way = 0.25 * (random() % 8);
      stage = {
          1.0 + random() % 3, 1.0 + random() % 4, 0.25 * (random() % 5), {way, way}, {way, way}};
    }
    double time = playSchedule(ScheduleKind::ZeroBubble, stages, m, 1).time;
    for (const StageTime &stage : stages) // but for what it sends last
      EXPECT_GE(time + stage.waits(), m * stage.least(ScheduleKind::ZeroBubble) * (1 - 1e-12));
  }
}

/// The first chunk of the first stage is 1 s longer, as if it had the embedding: it delays each
/// round once, not each chunk by a half.
TEST(ScheduleTest, ChunksTakeTheirOwnTime) {
  std::vector<StageTime> chunks(4, StageTime{1, 2});
  double even = playSchedule(ScheduleKind::Interleaved, chunks, 2, 2).time;
  EXPECT_DOUBLE_EQ(even, closedFormTime(ScheduleKind::Interleaved, 2, 2, 2, {2, 4}));
  chunks[0].forward += 1;
  EXPECT_DOUBLE_EQ(playSchedule(ScheduleKind::Interleaved, chunks, 2, 2).time, even + 2);
  chunks[0].forward -= 1;
  chunks[3].backward += 1;
  EXPECT_DOUBLE_EQ(playSchedule(ScheduleKind::Interleaved, chunks, 2, 2).time, even + 2);
}
