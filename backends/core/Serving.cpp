// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Serving.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>

using namespace perfc;

namespace {

/// Percentiles of values in any order, which it moves; asked for in rising order.
class Percentiles {
public:
  explicit Percentiles(llvm::MutableArrayRef<double> values) : values(values) {}

  double at(double share) {
    double position = share * static_cast<double>(values.size() - 1);
    auto low = static_cast<size_t>(std::floor(position));
    std::nth_element(values.begin() + found, values.begin() + low, values.end());
    found = low;
    double value = values[low], rest = position - static_cast<double>(low);
    if (rest == 0)
      return value;
    return value + (*std::min_element(values.begin() + low + 1, values.end()) - value) * rest;
  }

private:
  llvm::MutableArrayRef<double> values;
  size_t found = 0; ///< what stands before it is smaller
};

} // namespace

static double meanOf(llvm::ArrayRef<double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

static constexpr size_t batchCount = 20;

/// Half of the 90 % interval of the mean of a figure of each batch, by Student's distribution with
/// 19 degrees of freedom.
static double halfWidth(llvm::ArrayRef<double> figures) {
  constexpr double student = 1.729133;
  double mean = meanOf(figures), squares = 0;
  for (double figure : figures)
    squares += (figure - mean) * (figure - mean);
  return student * std::sqrt(squares / (batchCount - 1) / batchCount);
}

/// From batches of values that follow each other, each of which it puts into another order.
static void setHalves(Distribution &result, llvm::MutableArrayRef<double> values) {
  struct Half {
    double share;
    size_t least; ///< values of a batch
    double Distribution::*half;
  };
  static constexpr Half halves[] = {{0.5, 2, &Distribution::p50Half},
                                    {0.9, 10, &Distribution::p90Half},
                                    {0.99, 100, &Distribution::p99Half}};
  size_t size = values.size() / batchCount;
  if (size == 0)
    return;
  std::array<double, batchCount> means;
  std::array<double, batchCount> figures[std::size(halves)];
  for (size_t i = 0; i < batchCount; ++i) {
    llvm::MutableArrayRef<double> batch = values.slice(i * size, size);
    means[i] = meanOf(batch);
    Percentiles percentiles(batch);
    for (size_t half = 0; half < std::size(halves); ++half)
      figures[half][i] = percentiles.at(halves[half].share);
  }
  result.meanHalf = halfWidth(means);
  for (size_t half = 0; half < std::size(halves); ++half)
    if (size >= halves[half].least)
      result.*halves[half].half = halfWidth(figures[half]);
}

llvm::Optional<double> Distribution::member(llvm::StringRef name) const {
  // In the order of `distributionMembers`.
  static constexpr double Distribution::*fields[] = {
      &Distribution::mean,    &Distribution::least,   &Distribution::most,
      &Distribution::p50,     &Distribution::p90,     &Distribution::p95,
      &Distribution::p99,     &Distribution::p999,    &Distribution::meanHalf,
      &Distribution::p50Half, &Distribution::p90Half, &Distribution::p99Half};
  llvm::ArrayRef<llvm::StringRef> names = distributionMembers();
  assert(names.size() == std::size(fields) && "a field for each");
  const auto *found = llvm::find(names, name);
  double value = found == names.end() ? -1 : this->*fields[found - names.begin()];
  return value < 0 ? llvm::None : llvm::Optional<double>(value);
}

Distribution Distribution::of(std::vector<double> values) {
  Distribution result;
  if (values.empty())
    return result;
  result.count = static_cast<int64_t>(values.size());
  result.mean = meanOf(values);
  setHalves(result, values);
  result.least = *std::min_element(values.begin(), values.end());
  result.most = *std::max_element(values.begin(), values.end());
  Percentiles percentiles(values);
  result.p50 = percentiles.at(0.5);
  result.p90 = percentiles.at(0.9);
  result.p95 = percentiles.at(0.95);
  result.p99 = percentiles.at(0.99);
  result.p999 = percentiles.at(0.999);
  return result;
}

double ServingSummary::meanOf(double ServedPool::*part) const {
  double sum = 0, chips = 0;
  for (const ServedPool &pool : pools) {
    sum += pool.*part * static_cast<double>(pool.chips);
    chips += static_cast<double>(pool.chips);
  }
  return sum / chips;
}

const ServedPool &ServingSummary::fullest() const {
  return *std::max_element(pools.begin(), pools.end(), [](const auto &a, const auto &b) {
    return a.memoryBytes() < b.memoryBytes();
  });
}
