// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/LockStep.h"

#include "backends/loopnest/sparse/Sparsity.h"
#include <cmath>
#include <vector>

using namespace perfc;
using namespace perfc::loopnest;

/// Beyond so many trials sums over all numbers of points left take too long.
static constexpr int64_t mostExact = 64;

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
  if (first.size() == static_cast<size_t>(trials) + 1)
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
