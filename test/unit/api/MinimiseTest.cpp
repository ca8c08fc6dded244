// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Minimise.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>

using namespace perfc::api;

namespace {

/// Rows y = x a + b with unknowns a and b.
struct Line {
  std::vector<double> x, y;
  FitProblem problem;

  explicit Line(size_t rows) {
    for (size_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<double>(i) / static_cast<double>(rows));
      y.push_back(2 * x.back() + 1);
      problem.weights.push_back(1);
      problem.clusters.push_back(i);
    }
    std::vector<size_t> all(rows);
    for (size_t i = 0; i < rows; ++i)
      all[i] = i;
    problem.unknowns = {{0, -10, 10, 1e-4, all}, {0, -10, 10, 1e-4, all}};
  }
  FitSolution solve() const {
    return minimise(problem, [&](llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> rows) {
      std::vector<double> errors;
      for (size_t row : rows)
        errors.push_back(at[0] * x[row] + at[1] - y[row]);
      return errors;
    });
  }
};

} // namespace

TEST(Minimise, FindsWhatMadeTheRows) {
  Line line(20);
  FitSolution solution = line.solve();
  ASSERT_TRUE(solution.isFound);
  EXPECT_NEAR(solution.values[0], 2, 1e-3);
  EXPECT_NEAR(solution.values[1], 1, 1e-3);
  EXPECT_LT(solution.objective, 1e-4);
}

TEST(Minimise, RobustLossIsNotMovedByAFewOutliers) {
  Line line(40);
  line.y[3] += 5;
  line.y[30] += 5;
  FitSolution robust = line.solve();
  line.problem.isRobust = false;
  FitSolution squares = line.solve();
  EXPECT_NEAR(robust.values[1], 1, 0.03);
  EXPECT_GT(std::fabs(squares.values[1] - 1), 0.1);
}

TEST(Minimise, PriorsCountAsMeasurements) {
  // One unknown, n rows that say 1 with deviation d, a prior that says 0 with deviation s.
  constexpr size_t rows = 9;
  FitProblem problem;
  problem.isRobust = false;
  problem.scale = 0.1;
  problem.unknowns = {{0, -10, 10, 1e-4, {0, 1, 2, 3, 4, 5, 6, 7, 8}}};
  problem.weights.assign(rows, 1);
  problem.clusters.assign(rows, 0);
  constexpr double deviation = 0.2;
  problem.terms = {{{{0, 1 / deviation}}, 0}};
  FitSolution solution =
      minimise(problem, [](llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> wanted) {
        return std::vector<double>(wanted.size(), at[0] - 1);
      });
  double ofRows = rows / (0.1 * 0.1), ofPrior = 1 / (deviation * deviation);
  EXPECT_NEAR(solution.values[0], ofRows / (ofRows + ofPrior), 1e-6);
  // One cluster: the covariance is the inverse curvature.
  ASSERT_EQ(solution.covariance.size(), 1u);
  EXPECT_NEAR(solution.covariance[0], 1 / (ofRows + ofPrior), 1e-6);
}

TEST(Minimise, StopsAtBoundsAndTakesThemAsKnown) {
  Line line(20);
  line.problem.unknowns[0].high = 1.5;
  FitSolution solution = line.solve();
  EXPECT_EQ(solution.values[0], 1.5);
  EXPECT_EQ(solution.covariance[0], 0);
  EXPECT_GT(solution.covariance[3], 0);
}

TEST(Minimise, SaysWhereNothingIsANumber) {
  Line line(4);
  FitSolution solution =
      minimise(line.problem, [](llvm::ArrayRef<double>, llvm::ArrayRef<size_t> rows) {
        return std::vector<double>(rows.size(), std::nan(""));
      });
  EXPECT_FALSE(solution.isFound);
}

TEST(Minimise, IntervalsCoverWhatMadeTheRows) {
  // Rows with normal errors, many times over: the 90 % interval of the slope has 2 in it nine times
  // out of ten.
  std::mt19937_64 engine(5);
  int covered = 0;
  constexpr int rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    Line line(60);
    line.problem.isRobust = false;
    for (double &y : line.y) {
      double sum = -6; // of twelve uniform ones: nearly normal, and the same on every machine
      for (int i = 0; i < 12; ++i)
        sum += static_cast<double>(engine() >> 11) * 0x1p-53;
      y += 0.1 * sum;
    }
    FitSolution solution = line.solve();
    covered += std::fabs(solution.values[0] - 2) < 1.645 * std::sqrt(solution.covariance[0]);
  }
  EXPECT_NEAR(covered, 0.9 * rounds, 0.05 * rounds);
}
