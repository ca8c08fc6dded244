// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Digits.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

Digits::Digits(const FlatNest &flat, unsigned dim, unsigned level)
    : extent(flat.nest->dims[dim].size) {
  auto add = [&](const FlatLoop &loop, bool parallel, unsigned index) {
    if (loop.drives.front().dim != dim)
      return;
    if (loop.order < flat.levels[level].order)
      digits.push_back({parallel, index, loop.factor, loop.drives.front().step});
    else
      width *= loop.factor;
  };
  for (unsigned i = 0; i < flat.temporal.size(); ++i)
    add(flat.temporal[i], false, i);
  for (unsigned i = 0; i < flat.parallel.size(); ++i)
    add(flat.parallel[i], true, i);
  std::sort(digits.begin(), digits.end(),
            [](const Digit &a, const Digit &b) { return a.step > b.step; });
}

int64_t Digits::countBelow(int64_t limit, const Choices &choices) const {
  if (limit <= 0)
    return 0;
  int64_t rest = limit - 1, smaller = 0;
  bool equal = true;
  for (unsigned i = 0; i < digits.size(); ++i) {
    int64_t digit = rest / digits[i].step;
    rest %= digits[i].step;
    const Choice &choice = choices[i];
    smaller *= choice.end - choice.first;
    if (equal)
      smaller += std::max<int64_t>(0, std::min(digit, choice.end) - choice.first);
    equal &= choice.first <= digit && digit < choice.end;
  }
  return smaller + equal;
}

/// Tiles start at multiples of their width, so only the one that holds `high` is cut.
int64_t Digits::coveredBelow(int64_t high, int64_t limit, const Choices &choices) const {
  int64_t last = high / width * width;
  int64_t sum = width * countBelow(std::min(last, limit), choices);
  if (last < limit && last < high)
    sum += (high - last) * (countBelow(last + 1, choices) - countBelow(last, choices));
  return sum;
}

int64_t Digits::covered(int64_t low, int64_t high, int64_t limit, const Choices &choices) const {
  return high <= low ? 0 : coveredBelow(high, limit, choices) - coveredBelow(low, limit, choices);
}

void loopnest::forSettings(const Digits &digits, llvm::ArrayRef<unsigned> positions,
                           llvm::function_ref<void(llvm::ArrayRef<FixedDigit>)> visit) {
  llvm::SmallVector<FixedDigit, 4> setting;
  for (unsigned position : positions)
    setting.push_back({position, 0});
  for (;;) {
    visit(setting);
    unsigned k = setting.size();
    while (k > 0 && ++setting[k - 1].value == digits.list()[setting[k - 1].position].factor)
      setting[--k].value = 0;
    if (k == 0)
      return;
  }
}
