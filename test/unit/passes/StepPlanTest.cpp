// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StepPlan.h"
#include "passes/training/StageGraphs.h"

#include <gtest/gtest.h>
#include <set>
#include <tuple>

using namespace perfc::passes;

static PipelineOrder orderOfCase(ScheduleKind kind, int64_t stages, int64_t rounds) {
  bool isCut = kind == ScheduleKind::Interleaved && stages > 1;
  return orderOf(kind, stages, isCut ? rounds * stages : rounds + 1, isCut ? 3 : 1);
}

static constexpr ScheduleKind allKinds[] = {ScheduleKind::GPipe, ScheduleKind::OneFOneB,
                                            ScheduleKind::Interleaved, ScheduleKind::ZeroBubble};

TEST(StepPlanTest, eachStageRunsEachPassOnceForwardFirst) {
  for (ScheduleKind kind : allKinds)
    for (int64_t stages : {1, 2, 5})
      for (int64_t rounds : {1, 2, 7}) {
        PipelineOrder order = orderOfCase(kind, stages, rounds);
        for (int64_t stage = 0; stage < stages; ++stage) {
          std::set<std::tuple<bool, int64_t, int64_t>> seen;
          for (const StageTask &task : order.tasksOf(stage)) {
            EXPECT_TRUE(seen.insert({task.isBackward, task.microbatch, task.chunk}).second);
            EXPECT_TRUE(!task.isBackward || seen.count({false, task.microbatch, task.chunk}));
          }
          EXPECT_EQ(seen.size(), static_cast<size_t>(2 * order.microbatches * order.chunks));
        }
      }
}

TEST(StepPlanTest, holdsAsManyMicrobatchesAsTheScheduleSays) {
  PipelineOrder order = orderOf(ScheduleKind::OneFOneB, 4, 8, 1);
  for (int64_t stage = 0; stage < 4; ++stage) {
    int64_t held = 0, most = 0;
    for (const StageTask &task : order.tasksOf(stage))
      most = std::max(most, held += task.isBackward ? -1 : 1);
    EXPECT_EQ(most, 4 - stage);
  }
}

TEST(StepPlanTest, layersGoToChunksOfAllStagesInTurn) {
  Strategy strategy;
  strategy.pipeline = 2;
  strategy.batch = 4;
  strategy.schedule = ScheduleKind::Interleaved;
  strategy.chunks = 2;
  std::string problem;
  auto plan = planStep(strategy, {{3, false}, {5, false}}, problem);
  ASSERT_TRUE(plan.hasValue()) << problem;
  using Chunks = std::vector<std::vector<uint32_t>>;
  EXPECT_EQ(plan->layers[0], (Chunks{{0, 0}, {1, 1}}));
  EXPECT_EQ(plan->layers[1], (Chunks{{0, 1}, {1, 1}}));
  EXPECT_EQ(plan->order.microbatches, 4);
}

TEST(StepPlanTest, saysWhyLayersAndStagesDoNotGoTogether) {
  Strategy strategy;
  strategy.pipeline = 3;
  strategy.batch = 3;
  std::string problem;
  EXPECT_FALSE(planStep(strategy, {{8, false}}, problem).hasValue());
  EXPECT_NE(problem.find("8 layers cannot be divided evenly among 3 stages"), std::string::npos);
}

TEST(StepPlanTest, dealsLayersOfAllKindsInOrder) {
  using Dealt = std::vector<std::vector<int64_t>>;
  EXPECT_EQ(dealEvenly({2, 5}, 3), (Dealt{{2, 1}, {0, 2}, {0, 2}}));
  EXPECT_EQ(dealEvenly({1, 1, 1}, 1), (Dealt{{1, 1, 1}}));
  EXPECT_EQ(dealEvenly({0, 4}, 2), (Dealt{{0, 2}, {0, 2}}));
}
