// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Reliability.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace perfc::training;

TEST(ReliabilityTest, DalysIntervalIsCloseToTheBest) {
  Reliability run;
  run.mtbf = 3600;
  run.bandwidth = 1;
  run.restart = 60;
  double write = 30, chosen = run.interval(write), best = 0;
  for (double interval = 60; interval < 3600; interval += 1)
    best = std::max(best, run.availability(interval, write));
  EXPECT_GT(run.availability(chosen, write), best * (1 - 1e-4));
  EXPECT_NEAR(chosen, std::sqrt(2 * write * run.mtbf), write); // Young
}

TEST(ReliabilityTest, WithoutFailuresOnlyWritingCosts) {
  Reliability run;
  run.every = 100;
  EXPECT_DOUBLE_EQ(run.availability(run.interval(25), 25), 0.8);
}

TEST(ReliabilityTest, RareFailuresCostHalfAnIntervalEach) {
  Reliability run;
  run.mtbf = 1e7;
  run.every = 1000;
  // Lost per failure: half an interval and a half of the writing; and each interval writes.
  double slowdown = 1 / run.availability(1000, 10);
  EXPECT_NEAR(slowdown, 1.01 * (1 + 505 / 1e7), 1e-7);
}
