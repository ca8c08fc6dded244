// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Rational.h"
#include "ir/common/Uncertain.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace perfc;

TEST(Rational, LowestTermsAndPositiveDenominator) {
  Rational value = *Rational::make(6, -4);
  EXPECT_EQ(value.numerator(), -3);
  EXPECT_EQ(value.denominator(), 2);
  EXPECT_EQ(*Rational::make(0, -7), Rational(0));
  EXPECT_FALSE(Rational::make(1, 0).hasValue());
  EXPECT_FALSE(Rational::make(static_cast<__int128>(INT64_MAX) + 1, 1).hasValue());
  EXPECT_EQ(Rational::make((static_cast<__int128>(INT64_MAX) + 1) * 3, 6)->numerator(), int64_t(1)
                                                                                            << 62);
}

TEST(Rational, FloorAndCeilOfNegativeNumbers) {
  EXPECT_EQ(Rational::make(-7, 2)->floor(), -4);
  EXPECT_EQ(Rational::make(-7, 2)->ceil(), -3);
  EXPECT_EQ(Rational::make(7, 2)->floor(), 3);
  EXPECT_EQ(Rational::make(7, 2)->ceil(), 4);
  EXPECT_EQ(Rational(-3).floor(), -3);
  EXPECT_EQ(Rational(-3).ceil(), -3);
}

TEST(Rational, FieldLawsHoldForRandomNumbers) {
  std::mt19937_64 random(7);
  auto draw = [&] {
    std::uniform_int_distribution<int64_t> small(-100000, 100000);
    int64_t below = small(random);
    return *Rational::make(small(random), below == 0 ? 1 : below);
  };
  for (int i = 0; i < 10000; ++i) {
    Rational a = draw(), b = draw(), c = draw();
    EXPECT_EQ(*subtract(*add(a, b), b), a);
    EXPECT_EQ(*multiply(a, *add(b, c)), *add(*multiply(a, b), *multiply(a, c)));
    if (b.numerator() != 0) {
      EXPECT_EQ(*multiply(*divide(a, b), b), a);
    }
    EXPECT_EQ(a.compare(b), -b.compare(a));
    EXPECT_EQ(a.compare(b) > 0, subtract(a, b)->numerator() > 0);
    EXPECT_LE(Rational(a.floor()).compare(a), 0);
    EXPECT_GE(Rational(a.ceil()).compare(a), 0);
  }
}

TEST(Rational, WhatDoesNotFitGivesNothing) {
  EXPECT_FALSE(add(Rational(INT64_MAX), 1).hasValue());
  EXPECT_FALSE(multiply(INT64_MAX, 2).hasValue());
  EXPECT_FALSE(divide(1, 0).hasValue());
  EXPECT_FALSE(power(10, 19).hasValue());
  EXPECT_FALSE(power(0, -1).hasValue());
  EXPECT_FALSE(power(3, INT64_MIN).hasValue());
  EXPECT_EQ(power(10, 18)->numerator(), 1000000000000000000);
  EXPECT_EQ(power(2, -3)->denominator(), 8);
  EXPECT_EQ(*power(1, INT64_MAX), Rational(1));
  EXPECT_EQ(*power(0, 0), Rational(1));
  EXPECT_FALSE(checkedAdd(INT64_MAX, 1).hasValue());
  EXPECT_FALSE(checkedMultiply(INT64_MIN, -1).hasValue());
}

TEST(Uncertain, CorrelatedAddLinearlyIndependentInQuadrature) {
  Uncertain a(10, 3, 1), b(20, 4, 2);
  EXPECT_DOUBLE_EQ((a + b).halfWidth(), 5);
  EXPECT_DOUBLE_EQ((a + a).halfWidth(), 6);
  EXPECT_TRUE((a - a).isCertain());
  EXPECT_DOUBLE_EQ((a * b).halfWidth(), std::hypot(3 * 20, 4 * 10));
  EXPECT_TRUE((a / a).isCertain());
  EXPECT_DOUBLE_EQ((a / b).halfWidth(), std::hypot(3 / 20.0, 4 * 10 / 400.0));
}

TEST(Uncertain, ContributionsOfOneSourceAreMerged) {
  Uncertain value(1, {{5, 0.25}, {3, 1}, {5, 0.5}, {4, 0.1}, {4, -0.1}});
  ASSERT_EQ(value.contributions().size(), 2u);
  EXPECT_EQ(value.contributions()[0].source, 3u);
  EXPECT_DOUBLE_EQ(value.contributions()[1].delta, 0.75);
}

TEST(Uncertain, AFunctionScalesByItsDerivative) {
  Uncertain x(4, 0.4, 1);
  Uncertain root = x.map(2, 0.25);
  EXPECT_DOUBLE_EQ(root.central(), 2);
  EXPECT_DOUBLE_EQ(root.halfWidth(), 0.1);
  EXPECT_TRUE(x.map(7, 0).isCertain());
}

TEST(Uncertain, MaximumFollowsTheLargerCentralValue) {
  Uncertain a(1, 0.5, 1), b(2, 0.25, 2);
  EXPECT_DOUBLE_EQ(max(a, b).halfWidth(), 0.25);
  EXPECT_DOUBLE_EQ(min(a, b).halfWidth(), 0.5);
}

TEST(Uncertain, SourcesAreStableAndDistinct) {
  EXPECT_EQ(uncertaintySource("a.perf", 10), uncertaintySource("a.perf", 10));
  EXPECT_NE(uncertaintySource("a.perf", 10), uncertaintySource("a.perf", 11));
  EXPECT_NE(uncertaintySource("a.perf", 10), uncertaintySource("b.perf", 10));
}

/// The analytic first-order width against the spread of sampled values: 90 % of the outcomes of a
/// product of two independent normal factors lie inside it.
TEST(Uncertain, IntervalCoversNinetyPercentOfSamples) {
  constexpr double z = 1.6448536269514722; // 90 % two-sided quantile of the normal distribution
  Uncertain product = Uncertain(10, 0.5, 1) * Uncertain(4, 0.1, 2);
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  int inside = 0;
  constexpr int samples = 100000;
  for (int i = 0; i < samples; ++i) {
    double value = (10 + 0.5 / z * normal(random)) * (4 + 0.1 / z * normal(random));
    inside += std::fabs(value - product.central()) <= product.halfWidth();
  }
  EXPECT_NEAR(inside / static_cast<double>(samples), 0.9, 0.01);
}
