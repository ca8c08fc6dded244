// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Trunk.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::network;

/// Of a link: less than that is free by a rounding only.
static constexpr double leastFree = 1e-9;

Service Trunk::serve(int64_t now, double work, int64_t longest) {
  while (steps.size() > 1 && steps[1].from <= now)
    steps.erase(steps.begin());
  int64_t start = steps.front().from = std::max(steps.front().from, now), at = start;
  for (size_t i = 0;; ++i) {
    double pace = std::min(1.0, steps[i].free), left = work / pace;
    int64_t end = static_cast<double>(longest - at) > left ? at + std::llround(left) : longest;
    bool isLast = i + 1 == steps.size();
    if (!isLast && end > steps[i + 1].from) {
      work -= pace * static_cast<double>(steps[i + 1].from - at);
      at = steps[i + 1].from;
      steps[i].free -= pace;
      continue;
    }
    if (end > at && (isLast || end < steps[i + 1].from))
      steps.insert(steps.begin() + i + 1, Step{end, steps[i].free});
    if (end > at)
      steps[i].free -= pace;
    while (steps.front().free < leastFree)
      steps.erase(steps.begin());
    return {start, end - start};
  }
}
