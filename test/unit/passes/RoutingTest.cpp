// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/Routing.h"
#include "gtest/gtest.h"

using namespace perfc::passes;

TEST(RoutingTest, BalancedLoadIsTheMean) {
  ExpertLoad load = expertLoad({}, 64, 8, 1e6, 1);
  EXPECT_DOUBLE_EQ(load.slowest, 1);
  EXPECT_DOUBLE_EQ(load.dropped, 0);
}

TEST(RoutingTest, CapacityBoundsTheLoadAndDropsTheRest) {
  Routing routing;
  routing.kind = Routing::Zipf;
  routing.theta = 1;
  routing.seed = 1;
  ExpertLoad open = expertLoad(routing, 8, 8, 1e6, 1);
  // Of 8 experts the first has 8 / H(8) times the mean.
  double harmonic = 0;
  for (int i = 1; i <= 8; ++i)
    harmonic += 1.0 / i;
  EXPECT_NEAR(open.slowest, 8 / harmonic, 1e-9);
  routing.capacity = 1.5;
  ExpertLoad limited = expertLoad(routing, 8, 8, 1e6, 1);
  EXPECT_NEAR(limited.slowest, 1.5, 1e-9);
  EXPECT_NEAR(limited.dropped, (8 / harmonic - 1.5) / 8, 1e-9); // the second has 1.47
}

TEST(RoutingTest, ChanceMattersLessWithMoreTokens) {
  Routing routing;
  routing.kind = Routing::Uniform;
  double few = expertLoad(routing, 64, 8, 1e3, 1).slowest;
  double many = expertLoad(routing, 64, 8, 1e5, 1).slowest;
  EXPECT_GT(few, many);
  EXPECT_NEAR((few - 1) / (many - 1), 10, 1e-6); // with the root of their number
  EXPECT_DOUBLE_EQ(expertLoad(routing, 64, 1, 1e3, 1).slowest, 1);
}

/// No expert gets more than all tokens; the others share the rest in proportion.
TEST(RoutingTest, EachTokenChoosesAnExpertOnce) {
  Routing routing;
  routing.kind = Routing::Zipf;
  routing.theta = 2;
  // Of 1, 1/4, 1/9, 1/16 and two choices the first has 2 * 0.702, more than 1: then 1, and the
  // others 1 in proportion to 36, 16 and 9 of 61.
  EXPECT_NEAR(expertLoad(routing, 4, 4, 1e6, 2).slowest, 2, 1e-12);
  routing.capacity = 4 * 36.0 / 61 / 2; // what the second has
  EXPECT_NEAR(expertLoad(routing, 4, 4, 1e6, 2).dropped, (2 - routing.capacity) / 4, 1e-12);
  routing.capacity = 0;
  EXPECT_NEAR(expertLoad(routing, 4, 4, 1e6, 1).slowest, 4 / (1 + 1 / 4.0 + 1 / 9.0 + 1 / 16.0),
              1e-12);
  EXPECT_NEAR(expertLoad(routing, 4, 4, 1e6, 4).slowest, 1, 1e-12); // all choose all
  // However steep and however many are chosen: all of the choices are made, none more than once.
  for (double theta : {0.3, 1.0, 3.0, 8.0})
    for (int64_t chosen : {1, 2, 5, 8}) {
      routing.theta = theta;
      EXPECT_LE(expertLoad(routing, 8, 8, 1e6, chosen).slowest, 8.0 / chosen * (1 + 1e-12));
      EXPECT_NEAR(expertLoad(routing, 8, 1, 1e6, chosen).slowest, 1, 1e-12);
    }
}

/// Second places of the experts that are chosen most take load from the busiest rank, on which no
/// less than the mean is left. More of them need not take more: places are dealt out one by one.
TEST(RoutingTest, RedundantExpertsEvenTheLoad) {
  passes::Routing routing;
  routing.kind = passes::Routing::Zipf;
  routing.theta = 0.8;
  routing.seed = 1;
  double before = passes::expertLoad(routing, 256, 32, 0, 8).slowest;
  for (int64_t redundant : {32, 64, 256}) {
    routing.redundant = redundant;
    double after = passes::expertLoad(routing, 256, 32, 0, 8).slowest;
    EXPECT_LT(after, before);
    EXPECT_GE(after, 1);
  }
  // All twice are the same experts on half as many ranks, dealt out.
  routing.theta = 0;
  EXPECT_NEAR(passes::expertLoad(routing, 256, 32, 0, 8).slowest, 1, 1e-9);
}
