// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/LockStep.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

using namespace perfc;
using namespace perfc::loopnest;

/// Beyond so many trials the largest of many lanes is taken from the normal distribution.
static constexpr int64_t exactTrials = 1 << 14;
/// Beyond so many trials sums over all numbers of points left take too long.
static constexpr int64_t mostExact = 64;

/// The quantile of the standard normal at the median of the largest of `lanes` draws: Blom,
/// "Statistical Estimates and Transformed Beta-Variables", 1958. Bisected: it is asked for once.
static double largestNormal(double lanes) {
  double target = (lanes - 0.375) / (lanes + 0.25), low = -9, high = 9;
  for (int step = 0; step < 60; ++step) {
    double middle = (low + high) / 2;
    (std::erfc(-middle / std::sqrt(2.0)) / 2 < target ? low : high) = middle;
  }
  return low;
}

/// P(binomial(trials, share) = 0, 1, …, trials).
static std::vector<double> binomial(int64_t trials, double share) {
  std::vector<double> result(static_cast<size_t>(trials) + 1, 0);
  if (share <= 0 || share >= 1) {
    result[share <= 0 ? 0 : static_cast<size_t>(trials)] = 1;
    return result;
  }
  auto n = static_cast<double>(trials);
  for (size_t k = 0; k < result.size(); ++k) {
    auto x = static_cast<double>(k);
    result[k] = std::exp(std::lgamma(n + 1) - std::lgamma(x + 1) - std::lgamma(n - x + 1) +
                         x * std::log(share) + (n - x) * std::log1p(-share));
  }
  return result;
}

double loopnest::slowestLane(double lanes, llvm::ArrayRef<double> distribution) {
  double below = 0, expected = 0;
  for (double share : distribution.drop_back()) {
    below += share;
    expected += 1 - std::pow(std::min(below, 1.0), lanes);
  }
  return expected / std::max(1.0, static_cast<double>(distribution.size() - 1));
}

double loopnest::slowestLane(double lanes, int64_t trials, double share) {
  if (trials <= exactTrials)
    return slowestLane(lanes, binomial(trials, share));
  double deviation = std::sqrt(share * (1 - share) / static_cast<double>(trials));
  return std::min(1.0, share + largestNormal(lanes) * deviation);
}

/// H_i(s, k) for all s, from those of the level further in.
static std::vector<double> level(const LaneLevel &own,
                                 llvm::ArrayRef<std::vector<double>> distributions,
                                 llvm::ArrayRef<double> inner) {
  std::vector<double> result;
  for (const std::vector<double> &left : distributions) {
    double sum = 0;
    for (size_t t = 0; t < left.size(); ++t)
      sum += left[t] * inner[t];
    result.push_back(std::pow(std::min(sum, 1.0), own.lanes));
  }
  return result;
}

static double exactSlowest(llvm::ArrayRef<LaneLevel> levels, int64_t trials,
                           llvm::ArrayRef<double> first) {
  // By level and points before it: what is left.
  std::vector<std::vector<std::vector<double>>> left(levels.size());
  for (size_t i = 0; i < levels.size(); ++i)
    for (int64_t s = 0; s <= trials; ++s)
      left[i].push_back(binomial(s, levels[i].share));
  if (!first.empty())
    left[0].back() = first.vec();
  double expected = 0;
  for (int64_t k = 0; k < trials; ++k) {
    std::vector<double> within(static_cast<size_t>(trials) + 1, 0);
    std::fill(within.begin(), within.begin() + k + 1, 1);
    for (size_t i = levels.size(); i-- > 0;)
      within = level(levels[i], left[i], within);
    expected += 1 - within.back();
  }
  return expected / static_cast<double>(trials);
}

double loopnest::slowestLane(llvm::ArrayRef<LaneLevel> levels, int64_t trials,
                             llvm::ArrayRef<double> first) {
  assert((first.empty() || first.size() == static_cast<size_t>(trials) + 1) &&
         "one for each number");
  if (levels.size() == 1)
    return first.empty() ? slowestLane(levels[0].lanes, trials, levels[0].share)
                         : slowestLane(levels[0].lanes, first);
  if (trials <= mostExact)
    return exactSlowest(levels, trials, first);
  double lanes = 1, shared = 1, own = 1;
  for (const LaneLevel &level : levels) {
    lanes *= level.lanes;
    (lanes <= 1 ? shared : own) *= level.share;
  }
  // Of what all lanes share the mean number of points is left.
  auto left = std::max<int64_t>(1, std::llround(static_cast<double>(trials) * shared));
  return shared * slowestLane(lanes, left, own);
}
