// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/mapper/strategy/StrategyRanking.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <tuple>

using namespace perfc;
using namespace perfc::mapper;

/// No worse in both, and better or earlier.
static bool beats(const StrategyRanking::Entry &a, const StrategyRanking::Entry &b) {
  bool isNoWorse = a.point.stepTime <= b.point.stepTime && a.point.memory <= b.point.memory;
  bool isEqual = a.point.stepTime == b.point.stepTime && a.point.memory == b.point.memory;
  return isNoWorse && (!isEqual || a.number <= b.number);
}

void StrategyRanking::addToFront(Entry entry) {
  if (llvm::any_of(entries, [&](const Entry &known) { return beats(known, entry); }))
    return;
  llvm::erase_if(entries, [&](const Entry &known) { return beats(entry, known); });
  entries.push_back(std::move(entry));
}

bool StrategyRanking::isBest(double value, size_t number, double time, double memory) {
  if (std::tie(value, number) >= std::tie(bestValue, bestNumber))
    return false;
  bestValue = value;
  bestNumber = number;
  bestTime = time;
  bestMemory = memory;
  return true;
}

bool StrategyRanking::isBeaten(const training::StepBound &bound) const {
  // Bounds are sums in another order than the step's: what is left of them is below it. Memory is
  // counted in whole bytes.
  double time = bound.time * (1 - 1e-9), memory = std::floor(bound.memory + 1e-3);
  bool losesGoal = kind == GoalKind::Time     ? bestTime < time
                   : kind == GoalKind::Memory ? bestMemory < memory
                                              : false;
  return losesGoal && llvm::any_of(entries, [&](const Entry &known) {
           return known.point.stepTime < time && known.point.memory <= memory;
         });
}

std::vector<StrategyPoint> StrategyRanking::front() const {
  std::vector<StrategyPoint> points;
  for (const Entry &entry : entries)
    points.push_back(entry.point);
  llvm::sort(points, [](const StrategyPoint &a, const StrategyPoint &b) {
    return a.stepTime < b.stepTime;
  });
  return points;
}
