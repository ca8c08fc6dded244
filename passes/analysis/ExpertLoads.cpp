// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/ExpertLoads.h"

#include <cmath>
#include <limits>
#include <numeric>

using namespace perfc;
using namespace perfc::passes;

/// Rows that keys choose by chance: of so few that experts stay without, how many are not.
static ExpertRows byChance(double rows, double experts, double chosen = 0) {
  constexpr double many = 3; // of which 5 % of the experts have none
  double mean = rows / experts;
  if (mean >= many)
    return {experts, mean};
  double none =
      chosen > 0 ? std::pow(1 - std::min(1.0, chosen / experts), rows / chosen) : std::exp(-mean);
  double active = experts * (1 - none);
  return {active, std::max(1.0, rows / std::max(active, 1e-9))};
}

/// Loads in proportion to these, none above `most`.
static std::vector<double> inProportion(std::vector<double> loads, double rows, double most) {
  for (double limit : {most, std::numeric_limits<double>::infinity()}) {
    double sum = std::accumulate(loads.begin(), loads.end(), 0.0);
    for (double &load : loads)
      load = std::min(load * rows / sum, limit);
  }
  return loads;
}

/// Of so many experts, or of so many groups of like ones.
static std::vector<double> powerLaw(const ExpertSpread &spread, int64_t experts) {
  double most = std::max(spread.most, 2.0), power = 1 - spread.theta;
  std::vector<double> loads;
  for (int64_t i = 0; i < experts; ++i) {
    double quantile = (static_cast<double>(i) + 0.5) / static_cast<double>(experts);
    loads.push_back(std::abs(power) < 1e-9
                        ? std::pow(most, quantile)
                        : std::pow((std::pow(most, power) - 1) * quantile + 1, 1 / power));
  }
  return loads;
}

static std::vector<double> zipf(const ExpertSpread &spread, int64_t experts) {
  std::vector<double> loads;
  for (int64_t i = 1; i <= experts; ++i)
    loads.push_back(std::pow(static_cast<double>(i), -spread.theta));
  return loads;
}

std::vector<ExpertRows> passes::expertLoads(const ExpertSpread &spread, double rows,
                                            int64_t experts, double tokens) {
  auto all = static_cast<double>(experts);
  double mean = rows / all;
  if (spread.kind == "balanced")
    return {mean >= 1 ? ExpertRows{all, mean} : ExpertRows{rows, 1}};
  bool isPower = spread.kind == "power_law" && mean > 1, isZipf = spread.kind == "zipf";
  if (!isPower && !isZipf)
    return {byChance(rows, all, spread.chosen)};
  constexpr int64_t mostQuantiles = 65536;
  int64_t groups = isZipf ? experts : std::min(experts, mostQuantiles);
  double each = all / static_cast<double>(groups);
  std::vector<double> loads = inProportion(isZipf ? zipf(spread, groups) : powerLaw(spread, groups),
                                           rows / each, tokens > 0 ? tokens : rows);
  std::vector<ExpertRows> result;
  for (double load : loads)
    result.push_back(isZipf ? byChance(load, 1)
                            : ExpertRows{each * std::min(1.0, load), std::max(1.0, load)});
  return result;
}
