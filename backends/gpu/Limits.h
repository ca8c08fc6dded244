// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What prices of kernels have in common: how limits that are near each other add up, and what of a
// tensor is still in a cache.
#ifndef PERFC_BACKENDS_GPU_LIMITS_H
#define PERFC_BACKENDS_GPU_LIMITS_H

#include <algorithm>
#include <cmath>
#include <initializer_list>

namespace perfc {
namespace gpu {

/// (a^p + b^p + …)^(1/p); the largest for p = 0.
inline double normOf(double p, std::initializer_list<double> times) {
  double largest = std::max(times);
  if (p == 0 || largest <= 0)
    return largest;
  double sum = 0;
  for (double time : times)
    if (time > 0)
      sum += std::pow(time / largest, p);
  return largest * std::pow(sum, 1 / p);
}

/// Share of what passes through `cache` that is still there after `bytes` have passed.
inline double heldShare(double bytes, double cache) {
  if (cache <= 0)
    return 0;
  double ratio = bytes / cache, square = ratio * ratio, fourth = square * square;
  return 1 / (1 + fourth * fourth);
}

/// The time of `amount`; 0 where no rate limits it.
inline double over(double amount, double rate) { return rate > 0 ? amount / rate : 0; }

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_LIMITS_H
