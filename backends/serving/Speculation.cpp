// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Speculation.h"

#include "backends/serving/Random.h"
#include <algorithm>

using namespace perfc::serving;

int64_t Speculation::held(uint64_t id, int64_t processed) const {
  auto place = static_cast<uint64_t>(processed);
  if (!recorded.empty()) {
    double drawn = uniformOf(seed, id, place) * static_cast<double>(recorded.size());
    return std::min(guesses, recorded[static_cast<size_t>(drawn)]);
  }
  int64_t count = 0;
  for (; count < guesses; ++count) {
    size_t at = std::min(static_cast<size_t>(count), chances.size() - 1);
    if (uniformOf(seed, id, place + (static_cast<uint64_t>(count) << 40)) >= chances[at])
      break;
  }
  return count;
}
