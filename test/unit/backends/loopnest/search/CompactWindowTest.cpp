// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Positions that have one element, and those that are padding, are the same with shorter steps.
#include "backends/loopnest/search/CompactWindow.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::loopnest;

static bool isPadding(const Window &window, int64_t element) {
  return window.extent &&
         (element + window.constant < 0 || element + window.constant >= *window.extent);
}

/// Elements of one are those of the other by another name.
static void compare(const Window &window, const Window &compact, int64_t firsts, int64_t seconds) {
  std::map<int64_t, int64_t> there, back;
  for (int64_t p = 0; p < firsts; ++p)
    for (int64_t r = 0; r < seconds; ++r) {
      int64_t one = window.a * p + window.b * r, other = compact.a * p + compact.b * r;
      EXPECT_EQ(there.insert({one, other}).first->second, other);
      EXPECT_EQ(back.insert({other, one}).first->second, one);
      EXPECT_EQ(isPadding(window, one), isPadding(compact, other)) << p << " " << r;
    }
  EXPECT_EQ(window.extent.hasValue(), compact.extent.hasValue());
}

TEST(CompactWindow, KeepsWhatTilesShare) {
  std::mt19937 random(5);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  unsigned padded = 0, shorter = 0, none = 0;
  for (unsigned i = 0; i < 20000 && !testing::Test::HasFailure(); ++i) {
    int64_t firsts = pick(2, 9), seconds = pick(2, 9), scale = pick(0, 2) ? 1 : 10000000000;
    Window window{0, 1, pick(1, 20), pick(1, 20) * scale, 0, llvm::None};
    if (pick(0, 1))
      std::swap(window.a, window.b);
    window.a *= pick(0, 3) ? 1 : -1;
    window.b *= pick(0, 3) ? 1 : -1;
    int64_t reach = std::abs(window.a) * firsts + std::abs(window.b) * seconds;
    if (pick(0, 1)) {
      window.constant = pick(-reach, reach);
      window.extent = pick(1, reach);
    }
    llvm::Optional<Window> compact = compactWindow(window, firsts, seconds);
    if (!compact) {
      EXPECT_TRUE(window.extent);
      ++none;
      continue;
    }
    compare(window, *compact, firsts, seconds);
    padded += window.extent.hasValue();
    int64_t own = std::abs(compact->a) * (firsts - 1) + std::abs(compact->b) * (seconds - 1);
    shorter += own < reach - std::abs(window.a) - std::abs(window.b);
    if (!window.extent) {
      EXPECT_LT(own, 2 * firsts * seconds);
    }
  }
  EXPECT_GT(padded, 5000U);
  EXPECT_GT(shorter, 5000U);
  EXPECT_LT(none, 100U);
}

TEST(CompactWindow, RefusesLongStepsWithPaddingInNoOrder) {
  Window window{0, 1, 3000000001, 3000000000, -1, 12000000000};
  EXPECT_FALSE(compactWindow(window, 6, 3));
  window.extent = llvm::None;
  EXPECT_TRUE(compactWindow(window, 6, 3));
}
