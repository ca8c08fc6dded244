// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Probabilities of nonzeros in a tile.
#include "backends/loopnest/timeloop/sparse/DensityModel.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace perfc::timeloop;

TEST(DensityModel, HypergeometricProbabilities) {
  Density density{0, Distribution::Hypergeometric, 0.25};
  DensityModel model(&density, 8); // 2 of 8
  EXPECT_EQ(model.least(4), 0);
  EXPECT_EQ(model.most(4), 2);
  std::vector<double> chances = model.probabilities(4);
  ASSERT_EQ(chances.size(), 3u);
  EXPECT_DOUBLE_EQ(chances[0], 15.0 / 70);
  EXPECT_DOUBLE_EQ(chances[1], 40.0 / 70);
  EXPECT_DOUBLE_EQ(chances[2], 15.0 / 70);
  EXPECT_DOUBLE_EQ(model.emptyProbability(4), 15.0 / 70);
  EXPECT_DOUBLE_EQ(model.emptyProbability(2, {4, 1}), 0.5);
  EXPECT_EQ(model.least(7), 1); // more than the 6 zeros
  EXPECT_EQ(model.emptyProbability(7), 0);
}

TEST(DensityModel, LargeTilesAddUpToOne) {
  Density density{0, Distribution::Hypergeometric, 0.5};
  DensityModel model(&density, 200000);
  std::vector<double> chances = model.probabilities(100000);
  EXPECT_NEAR(std::accumulate(chances.begin(), chances.end(), 0.0), 1, 1e-9);
}

TEST(DensityModel, FixedStructuredRoundsBothWays) {
  Density density{0, Distribution::FixedStructured, 0.375};
  DensityModel model(&density, 64);
  EXPECT_EQ(model.probabilities(8), std::vector<double>({1}));
  EXPECT_EQ(model.probabilities(4), std::vector<double>({0.5, 0.5})); // 1.5 of 4
  EXPECT_DOUBLE_EQ(model.emptyProbability(1), 0.625);
  EXPECT_EQ(model.emptyProbability(4), 0);
}
