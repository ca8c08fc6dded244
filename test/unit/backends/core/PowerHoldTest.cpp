// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/PowerHold.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace perfc;

// In 1 s a board gives 700 J, of which 100 J are drawn whatever runs.
static PowerDemand demand(double operations, double memory, double clocked) {
  return {operations, memory, 100, 700, clocked};
}

TEST(PowerHold, WhatTheBoardGivesTakesNoLonger) {
  EXPECT_EQ(heldStretch(demand(500, 100, 1), 1), 1);
  EXPECT_EQ(heldTime(demand(500, 100, 1), 1), 0);
  EXPECT_EQ(heldStretch({500, 100, 100, 0, 1}, 1), 1) << "no limit is known";
  EXPECT_EQ(heldStretch(PowerDemand(), 0), 1);
}

TEST(PowerHold, OperationsFallWithTheSquareOfTheClock) {
  // All of the time follows the clock: 1200 x^2 = 600 / x.
  double clock = std::cbrt(0.5);
  EXPECT_NEAR(heldStretch(demand(1200, 0, 1), 1), 1 / clock, 1e-6);
  // A half of it: 1200 x^2 + 100 = 600 (1 + (1 / x - 1) / 2), which x = 0.71765 solves.
  EXPECT_NEAR(heldStretch(demand(1200, 100, 0.5), 1), 1.1967, 1e-4);
}

TEST(PowerHold, TheClockFallsAfterATenthOfASecond) {
  PowerDemand most = demand(1200, 0, 1), less = most;
  EXPECT_NEAR(heldTime(most, 1), 0.9 * (std::cbrt(2) - 1), 1e-6);
  less.add(most, -0.95);
  EXPECT_EQ(heldTime(less, 0.05), 0);
}

TEST(PowerHold, DemandsAddUp) {
  PowerDemand both = demand(1200, 0, 1);
  both.add(demand(0, 300, 0), 2);
  EXPECT_EQ(both.operations, 1200);
  EXPECT_EQ(both.memory, 600);
  EXPECT_EQ(both.rest, 300);
  EXPECT_EQ(both.limit, 2100);
  EXPECT_EQ(both.clocked, 1);
  EXPECT_EQ(heldStretch(both, 3), 1) << "what moves data lends its power";
}
