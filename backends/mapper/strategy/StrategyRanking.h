// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The best strategy so far and the front of step time and memory, whatever the order in which
// strategies come: of equal ones the first in the order of the space counts. A strategy whose
// bounds show that it neither is the best nor on the front need not be run.
#ifndef PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYRANKING_H
#define PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYRANKING_H

#include "backends/training/StepModel.h"
#include <limits>

namespace perfc::mapper {

/// What a goal grows with.
enum class GoalKind : uint8_t { Time, Memory, Other };

class StrategyRanking {
public:
  /// A strategy that was run: its number in the order of the space.
  struct Entry {
    StrategyPoint point;
    size_t number = 0;
  };

  /// `kind` is that of the goal, whose values are better the smaller they are.
  void setGoal(GoalKind goal) { kind = goal; }
  void addToFront(Entry entry);
  /// True when `value` of strategy `number`, with that step time and memory, is the best so far.
  bool isBest(double value, size_t number, double time, double memory);
  /// True when a strategy within `bound` can be neither the best nor on the front.
  bool isBeaten(const training::StepBound &bound) const;

  bool hasBest() const { return bestValue < std::numeric_limits<double>::infinity(); }
  double value() const { return bestValue; }
  double time() const { return bestTime; }
  double memory() const { return bestMemory; }
  /// The front by step time.
  std::vector<StrategyPoint> front() const;

private:
  GoalKind kind = GoalKind::Other;
  std::vector<Entry> entries;
  double bestValue = std::numeric_limits<double>::infinity();
  size_t bestNumber = 0;
  double bestTime = std::numeric_limits<double>::infinity();
  double bestMemory = std::numeric_limits<double>::infinity();
};

} // namespace perfc::mapper

#endif // PERFC_BACKENDS_MAPPER_STRATEGY_STRATEGYRANKING_H
