// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of the closed form against their definitions.
#include "Nests.h"
#include "backends/loopnest/analysis/Digits.h"
#include "backends/loopnest/analysis/Footprint.h"
#include "backends/loopnest/analysis/RankSums.h"
#include "backends/loopnest/analysis/ValueSet.h"
#include <gtest/gtest.h>
#include <set>

using namespace perfc;
using namespace perfc::loopnest;

/// Size 53 as 3 * 4 * 5 with the innermost 5 as tile of the second memory.
TEST(Digits, CountsStartsAndWhatTheirTilesCover) {
  Nest nest = parseNest(R"({"dims": {"a": 53}, "tensors": {"Z": [{"a": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["Z"]}, {"memory": "L", "keep": ["Z"]}],
    "mapping": {"M": [["a", 3], ["a", 4]], "L": [["a", 5]]}})");
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  ASSERT_TRUE(flat);
  Digits digits(*flat, 0, 1);
  ASSERT_EQ(digits.tile(), 5);
  for (Choice outer : {Choice::any(3), Choice::only(0), Choice{1, 3}})
    for (Choice inner : {Choice::any(4), Choice::only(2), Choice{1, 4}})
      for (int64_t limit = 0; limit <= 53; ++limit) {
        int64_t count = 0, covered = 0;
        for (int64_t i = outer.first; i < outer.end; ++i)
          for (int64_t j = inner.first; j < inner.end; ++j)
            for (int64_t start = i * 20 + j * 5, k = start; start < limit && k < start + 5; ++k) {
              count += k == start;
              covered += k >= 7 && k < 41;
            }
        EXPECT_EQ(digits.countBelow(limit, {outer, inner}), count);
        EXPECT_EQ(digits.covered(7, 41, limit, {outer, inner}), covered);
      }
}

TEST(ValueSet, HoldsTheValuesOfABox) {
  for (int64_t a : {1, 2, 5, -3})
    for (int64_t b : {1, 3, -1, -4})
      for (int64_t n = 1; n < 5; ++n) {
        std::set<int64_t> values;
        for (int64_t i = 0; i < n; ++i)
          for (int64_t j = 0; j < 3; ++j)
            values.insert(a * i + b * j);
        ValueSet set({{0, a}, {1, b}}, {n, 3});
        std::set<int64_t> listed;
        for (const Interval &one : set.intervals())
          for (int64_t v = one.low; v < one.high; ++v)
            listed.insert(v);
        EXPECT_EQ(listed, values);
        EXPECT_EQ(set.count(), int64_t(values.size()));
        EXPECT_EQ(set.countWithin(-2, 4),
                  std::distance(values.lower_bound(-2), values.lower_bound(4)));
        for (int64_t v = -20; v < 20; ++v)
          EXPECT_EQ(set.countWithin(v, v + 1), int64_t(values.count(v)));
      }
}

TEST(Rank, PaddingLeavesARangeOfIndices) {
  Nest nest;
  nest.dims = {{"a", 10}};
  for (int64_t c : {1, 2, 3, -1, -2})
    for (int64_t constant = -12; constant < 25; ++constant)
      for (int64_t extent : {1, 4, 9}) {
        Rank rank = normalise(nest, {{{0, c}}, constant, extent});
        IndexRange range = unpadded(rank, 10);
        for (int64_t i = 0; i < 10; ++i) {
          int64_t value = c * i + constant;
          EXPECT_EQ(range.low <= i && i < range.high, value >= 0 && value < extent)
              << c << " * " << i << " + " << constant << " in " << extent;
        }
      }
}

/// One factor spans x = 0, 2 and another y = 0..2 of which y = 2 holds the element.
TEST(TreeSum, CountsTheTreeToWhatMoves) {
  TreeSum tree(1);
  Footprints row = {{columnsOf({{{0, 0, 0}, true}, {{0, 2, 0}, true}}), 5}};
  Footprints column = {{columnsOf({{{0, 0, 0}, false}, {{0, 0, 1}, false}, {{0, 0, 2}, true}}), 7}};
  EXPECT_EQ(tree.totalWith({{{row}}, {{column}}}).value(), 5 * 7 * (2 + 2 * 1));
  EXPECT_EQ(tree.totalWith({{{row}, {row}}, {{column}}}).value(), 2 * 5 * 7 * (2 + 2 * 1));
}

TEST(Checked, RemembersOverflow) {
  Checked big = INT64_MAX;
  EXPECT_FALSE((big + Checked(0)).overflowed());
  EXPECT_TRUE((big + Checked(1)).overflowed());
  EXPECT_TRUE((big * Checked(2) * Checked(0)).overflowed());
  EXPECT_TRUE((Checked(INT64_MIN) - Checked(1)).overflowed());
}
