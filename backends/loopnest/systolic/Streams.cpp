// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/systolic/Streams.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

OperandStream::OperandStream(const OperandWords &words, bool isInput, const Gemm &gemm,
                             const SystolicArray &array, const FoldPlan &plan)
    : words(words), isInput(isInput), gemm(gemm), array(array), plan(plan) {
  isLoaded = array.stationary == (isInput ? Stationary::Input : Stationary::Weight);
  lanesAreRows = !isLoaded && (isInput || array.stationary == Stationary::Input);
  length = plan.stream;
  delay = array.stationary == Stationary::Output ? 0 : array.rows;
}

int64_t OperandStream::sweeps() const {
  if (isLoaded)
    return 1;
  return lanesAreRows ? plan.columnFolds : plan.rowFolds;
}

int64_t OperandStream::lanesUsed(const Fold &fold) const {
  if (lanesAreRows)
    return std::min(array.rows, plan.rowExtent - fold.row * array.rows);
  return std::min(array.columns, plan.columnExtent - fold.column * array.columns);
}

int64_t OperandStream::rowsUsed(const Fold &fold) const {
  return std::min(array.rows, plan.rowExtent - fold.row * array.rows);
}

/// The matrix is indexed by what the dataflow spreads over rows, columns and time.
int32_t OperandStream::wordAt(const Fold &fold, int64_t step, int64_t lane) const {
  int64_t row = fold.row * array.rows + (isLoaded ? step : lane);
  int64_t column = fold.column * array.columns + lane;
  switch (array.stationary) {
  case Stationary::Output:
    return isInput ? words.at(row, step) : words.at(step, column);
  case Stationary::Weight:
    return isInput ? words.at(step, row) : words.at(row, column);
  case Stationary::Input:
    return isInput ? words.at(column, row) : words.at(row, step);
  }
  return -1;
}

std::vector<int32_t> OperandStream::prefetchOrder() const {
  std::vector<int32_t> order;
  int64_t lanes = lanesAreRows ? array.rows : array.columns;
  int64_t steps = isLoaded ? plan.rowExtent : length;
  int64_t rows = steps * folds();
  auto element = [&](int64_t row, int64_t lane) {
    int64_t number = row / steps, step = row % steps;
    Fold fold{lanesAreRows ? number : 0, lanesAreRows ? 0 : number};
    if (lane >= lanesUsed(fold))
      return int32_t(-1);
    return wordAt(fold, step, lane);
  };
  order.reserve(static_cast<size_t>(rows * lanes));
  if (isLoaded) {
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t lane = 0; lane < lanes; ++lane)
        order.push_back(element(row, lane));
    return order;
  }
  for (int64_t diagonal = 0; diagonal < rows + lanes; ++diagonal)
    for (int64_t row = std::min(diagonal, rows - 1);
         row >= std::max<int64_t>(0, diagonal - lanes + 1); --row)
      order.push_back(element(row, diagonal - row));
  return order;
}

int64_t loopnest::outputsInCycle(const Fold &fold, int64_t cycle, const SystolicArray &array,
                                 const FoldPlan &plan) {
  int64_t columns = std::min(array.columns, plan.columnExtent - fold.column * array.columns);
  // The word of column c at `cycle` is number `at` - c of its column.
  bool isOutput = array.stationary == Stationary::Output;
  int64_t at = cycle - (isOutput ? plan.stream - 1 : 2 * array.rows - 1);
  int64_t low = 0, high = plan.stream - 1; // of the words of a column
  if (isOutput) {
    high = array.rows - 1;
    low = array.rows - std::min(array.rows, plan.rowExtent - fold.row * array.rows);
  }
  int64_t first = std::max<int64_t>(0, at - high), last = std::min(columns - 1, at - low);
  return std::max<int64_t>(0, last - first + 1);
}
