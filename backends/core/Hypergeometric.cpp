// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/Hypergeometric.h"

#include <algorithm>
#include <cmath>

using namespace perfc;

static constexpr double maxFactors = 1 << 16;

long double perfc::logChoose(long double n, long double k) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

double perfc::probabilityOfNone(double marked, double drawn, double total) {
  if (marked + drawn > total)
    return 0;
  double count = std::min(marked, drawn), other = std::max(marked, drawn);
  if (count > maxFactors)
    return static_cast<double>(
        std::exp(logChoose(total - marked, drawn) - logChoose(total, drawn)));
  long double product = 1;
  for (long double i = 0; i < count; ++i)
    product *= (static_cast<long double>(total) - other - i) / (total - i);
  return static_cast<double>(product);
}
