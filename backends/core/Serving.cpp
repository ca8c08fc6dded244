// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Serving.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;

Distribution Distribution::of(std::vector<double> values) {
  Distribution result;
  if (values.empty())
    return result;
  std::sort(values.begin(), values.end());
  auto at = [&](double share) {
    double position = share * static_cast<double>(values.size() - 1);
    auto low = static_cast<size_t>(std::floor(position));
    size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (values[high] - values[low]) * (position - static_cast<double>(low));
  };
  result.count = static_cast<int64_t>(values.size());
  result.mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  result.least = values.front();
  result.most = values.back();
  result.p50 = at(0.5);
  result.p90 = at(0.9);
  result.p95 = at(0.95);
  result.p99 = at(0.99);
  return result;
}
