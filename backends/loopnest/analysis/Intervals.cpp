// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Intervals.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

void loopnest::normalise(Intervals &intervals) {
  std::sort(intervals.begin(), intervals.end());
  size_t end = 0;
  for (const Interval &next : intervals) {
    if (end && next.low <= intervals[end - 1].high)
      intervals[end - 1].high = std::max(intervals[end - 1].high, next.high);
    else
      intervals[end++] = next;
  }
  intervals.resize(end);
}

/// Adds c * i for all i below `length`: where no interval is shorter than c, its copies touch.
static bool addTerm(Intervals &set, int64_t coefficient, int64_t length, size_t most) {
  int64_t reach = coefficient * (length - 1);
  bool touch = llvm::all_of(
      set, [&](const Interval &one) { return one.high - one.low >= std::abs(coefficient); });
  if (touch) {
    for (Interval &one : set)
      (reach < 0 ? one.low : one.high) += reach;
  } else {
    if (set.size() > most / static_cast<size_t>(length))
      return false;
    Intervals copies;
    for (int64_t i = 0; i < length; ++i)
      for (const Interval &one : set)
        copies.push_back({one.low + i * coefficient, one.high + i * coefficient});
    set = std::move(copies);
  }
  normalise(set);
  return true;
}

Intervals loopnest::imageOf(llvm::ArrayRef<int64_t> coefficients, llvm::ArrayRef<int64_t> lengths,
                            size_t most) {
  std::vector<unsigned> order(coefficients.size());
  std::iota(order.begin(), order.end(), 0u);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(coefficients[a]) < std::abs(coefficients[b]);
  });
  Intervals set = {{0, 1}};
  for (unsigned k : order)
    if (!addTerm(set, coefficients[k], lengths[k], most))
      return {};
  return set;
}

int64_t loopnest::sizeOf(const Intervals &set) {
  int64_t size = 0;
  for (const Interval &one : set)
    size += one.high - one.low;
  return size;
}

bool loopnest::contains(const Intervals &set, int64_t value) {
  auto after = std::upper_bound(set.begin(), set.end(), Interval{value, INT64_MAX});
  return after != set.begin() && value < std::prev(after)->high;
}

void loopnest::appendDifference(Intervals &result, const Intervals &set, int64_t shift,
                                const Intervals &held, int64_t heldShift) {
  auto next = held.begin();
  for (const Interval &one : set) {
    int64_t low = one.low + shift, high = one.high + shift;
    while (next != held.end() && next->high + heldShift <= low)
      ++next;
    for (auto at = next; at != held.end() && at->low + heldShift < high; ++at) {
      if (at->low + heldShift > low)
        result.push_back({low, at->low + heldShift});
      low = std::max(low, at->high + heldShift);
    }
    if (low < high)
      result.push_back({low, high});
  }
}
