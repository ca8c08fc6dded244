// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/LockStep.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace perfc::loopnest;

/// E[points of the slowest lane] / trials over all zeros of a tensor that all `lanes` share and one
/// of which each has its own elements.
static double enumerated(unsigned lanes, unsigned trials, double shared, double own) {
  unsigned bits = trials * (lanes + 1);
  double expected = 0;
  for (uint32_t mask = 0; mask < uint32_t(1) << bits; ++mask) {
    uint32_t first = mask & ((1u << trials) - 1);
    int slowest = 0, ownOnes = std::popcount(mask >> trials);
    for (unsigned lane = 0; lane < lanes; ++lane)
      slowest = std::max(slowest, std::popcount(first & (mask >> (trials * (lane + 1)))));
    expected += slowest * std::pow(shared, std::popcount(first)) *
                std::pow(1 - shared, trials - std::popcount(first)) * std::pow(own, ownOnes) *
                std::pow(1 - own, trials * lanes - ownOnes);
  }
  return expected / trials;
}

TEST(LockStep, OneTensorIsTheSlowestOfIndependentLanes) {
  EXPECT_NEAR(slowestLane({{8, 0.25}}, 1, {}), 1 - std::pow(0.75, 8), 1e-12);
  // Two lanes of two: none, one or two of each.
  EXPECT_NEAR(slowestLane({{2, 0.5}}, 2, {}), (1 * (9 - 1) / 16.0 + 2 * 7 / 16.0) / 2, 1e-12);
}

TEST(LockStep, WhatAllLanesShareIsLeftOutTogether) {
  EXPECT_NEAR(slowestLane({{1, 0.25}, {8, 0.25}}, 1, {}), 0.25 * (1 - std::pow(0.75, 8)), 1e-12);
  for (unsigned lanes : {1u, 2u, 3u})
    for (unsigned trials : {1u, 2u, 4u})
      EXPECT_NEAR(slowestLane({{1, 0.3}, {static_cast<double>(lanes), 0.6}}, trials, {}),
                  enumerated(lanes, trials, 0.3, 0.6), 1e-12);
}

TEST(LockStep, GivenDistributionsReplaceTheFirst) {
  // Always one of two: then each of three lanes has it with a half.
  EXPECT_NEAR(slowestLane({{1, 0.5}, {3, 0.5}}, 2, {0, 1, 0}), 7 / 8.0 / 2, 1e-12);
}

TEST(LockStep, LongStretchesComeNearTheirMean) {
  double share = slowestLane({{1, 0.25}, {8, 0.5}}, 1000, {});
  EXPECT_GT(share, 0.125);
  EXPECT_LT(share, 0.25 * slowestLane({{8, 0.5}}, 60, {}));
}
