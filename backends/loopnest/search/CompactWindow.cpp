// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/CompactWindow.h"

#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

/// The limits of padding in `result`, whose elements have the order of those of `window`.
static void moveExtent(const Window &window, Window &result, int64_t firsts, int64_t seconds) {
  int64_t low = INT64_MAX, high = INT64_MIN; // of the elements that are no padding
  for (int64_t p = 0; p < firsts; ++p)
    for (int64_t r = 0; r < seconds; ++r) {
      int64_t element = window.a * p + window.b * r + window.constant;
      if (element < 0 || element >= *window.extent)
        continue;
      low = std::min(low, result.a * p + result.b * r);
      high = std::max(high, result.a * p + result.b * r);
    }
  result.constant = low > high ? 0 : -low;
  result.extent = low > high ? 0 : high - low + 1;
}

/// Most elements from the first to the last of a window.
static constexpr int64_t reachLimit = int64_t(1) << 21;

llvm::Optional<Window> loopnest::compactWindow(const Window &window, int64_t firsts,
                                               int64_t seconds) {
  Window result = window;
  int64_t common = std::gcd(window.a, window.b);
  result.a /= common;
  result.b /= common;
  int64_t a = std::abs(result.a), b = std::abs(result.b);
  // Elements in the order of one index, and of the other where that is the same.
  bool byFirst = a / (seconds - 1) >= b && a > b * (seconds - 1);
  bool bySecond = b / (firsts - 1) >= a && b > a * (firsts - 1);
  bool isApart = a >= seconds || b >= firsts;
  if (byFirst || (isApart && !bySecond && !window.extent)) {
    result.a = result.a < 0 ? -seconds : seconds;
    result.b = result.b < 0 ? -1 : 1;
  } else if (bySecond) {
    result.a = result.a < 0 ? -1 : 1;
    result.b = result.b < 0 ? -firsts : firsts;
  } else if (isApart && (a > reachLimit / firsts || b > reachLimit / seconds)) {
    return llvm::None;
  }
  if (window.extent)
    moveExtent(window, result, firsts, seconds);
  return result;
}
