// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Routing.h"
#include "gtest/gtest.h"

using namespace perfc::passes;

TEST(RoutingTest, BalancedLoadIsTheMean) {
  ExpertLoad load = expertLoad({}, 64, 8, 1e6);
  EXPECT_DOUBLE_EQ(load.slowest, 1);
  EXPECT_DOUBLE_EQ(load.dropped, 0);
}

TEST(RoutingTest, CapacityBoundsTheLoadAndDropsTheRest) {
  Routing routing;
  routing.kind = Routing::Zipf;
  routing.theta = 1;
  routing.seed = 1;
  ExpertLoad open = expertLoad(routing, 8, 8, 1e6);
  // Of 8 experts the first has 8 / H(8) times the mean.
  double harmonic = 0;
  for (int i = 1; i <= 8; ++i)
    harmonic += 1.0 / i;
  EXPECT_NEAR(open.slowest, 8 / harmonic, 1e-9);
  routing.capacity = 1.5;
  ExpertLoad limited = expertLoad(routing, 8, 8, 1e6);
  EXPECT_NEAR(limited.slowest, 1.5, 1e-9);
  EXPECT_NEAR(limited.dropped, (8 / harmonic - 1.5) / 8, 1e-9); // the second has 1.47
}

TEST(RoutingTest, ChanceMattersLessWithMoreTokens) {
  Routing routing;
  routing.kind = Routing::Uniform;
  double few = expertLoad(routing, 64, 8, 1e3).slowest;
  double many = expertLoad(routing, 64, 8, 1e5).slowest;
  EXPECT_GT(few, many);
  EXPECT_NEAR((few - 1) / (many - 1), 10, 1e-6); // with the root of their number
  EXPECT_DOUBLE_EQ(expertLoad(routing, 64, 1, 1e3).slowest, 1);
}
