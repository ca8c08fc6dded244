// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Tally.h"

#include <algorithm>
#include <cmath>

using namespace perfc;

/// The lower bound of the second bucket, and how many there are: up to 1e12.
static constexpr double smallest = 1e-12;
static constexpr double ratio = 1.001;
static constexpr size_t bucketCount = 55'300;

size_t Tally::placeOf(double value) const {
  static const double perRatio = 1 / std::log(ratio);
  if (!(value > smallest))
    return 0;
  return std::min(bucketCount - 1, 1 + static_cast<size_t>(std::log(value / smallest) * perRatio));
}

void Tally::add(double value, int64_t times) {
  if (buckets.empty())
    buckets.resize(bucketCount, 0);
  if (value != lastValue) {
    lastValue = value;
    lastPlace = placeOf(value);
  }
  buckets[lastPlace] += times;
  least = total == 0 ? value : std::min(least, value);
  most = std::max(most, value);
  sum += value * static_cast<double>(times);
  total += times;
}

double Tally::percentile(double share) const {
  auto wanted = static_cast<int64_t>(std::floor(share * static_cast<double>(total - 1)));
  int64_t before = 0;
  for (size_t place = 0; place < buckets.size(); ++place) {
    before += buckets[place];
    if (before <= wanted)
      continue;
    double middle = place == 0 ? 0 : smallest * std::pow(ratio, static_cast<double>(place) - 0.5);
    return std::min(std::max(middle, least), most);
  }
  return most;
}

Distribution Tally::distribution() const {
  Distribution result;
  result.count = total;
  if (total == 0)
    return result;
  result.mean = sum / static_cast<double>(total);
  result.least = least;
  result.most = most;
  result.p50 = percentile(0.5);
  result.p90 = percentile(0.9);
  result.p95 = percentile(0.95);
  result.p99 = percentile(0.99);
  result.p999 = percentile(0.999);
  return result;
}
