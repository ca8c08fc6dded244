// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Tally.h"

#include "gtest/gtest.h"
#include <random>

using namespace perfc;

/// Counted and kept, the same values say the same: percentiles to 0.1 %.
TEST(Tally, AgreesWithKeptValues) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> values(-5, 2);
  std::vector<double> kept;
  Tally tally;
  for (int i = 0; i < 50000; ++i) {
    double value = i % 10 == 0 ? 0 : values(random);
    kept.push_back(value);
    tally.add(value);
  }
  Distribution exact = Distribution::of(kept), counted = tally.distribution();
  EXPECT_EQ(counted.count, exact.count);
  EXPECT_EQ(counted.least, exact.least);
  EXPECT_EQ(counted.most, exact.most);
  EXPECT_NEAR(counted.mean, exact.mean, 1e-9 * exact.mean);
  for (double Distribution::*part :
       {&Distribution::p50, &Distribution::p90, &Distribution::p95, &Distribution::p99})
    EXPECT_NEAR(counted.*part, exact.*part, 1.5e-3 * exact.*part);
  EXPECT_LT(counted.meanHalf, 0); // not known
}

TEST(Tally, OfOneValueAndOfNone) {
  Tally tally;
  EXPECT_EQ(tally.distribution().count, 0);
  tally.add(7, 3);
  Distribution one = tally.distribution();
  EXPECT_EQ(one.count, 3);
  EXPECT_EQ(one.p50, 7);
  EXPECT_EQ(one.p999, 7);
}

TEST(Tally, CountsAValueThatComesAgain) {
  Tally tally;
  for (double value : {0.5, 0.5, 0.0, 0.7, 0.5, 0.7})
    tally.add(value);
  tally.add(0.7, 3);
  Distribution result = tally.distribution();
  EXPECT_EQ(result.count, 9);
  EXPECT_NEAR(result.mean, (3 * 0.5 + 5 * 0.7) / 9, 1e-12);
  EXPECT_NEAR(result.p50, 0.7, 0.7 * 0.0005);
  EXPECT_EQ(result.least, 0);
}
