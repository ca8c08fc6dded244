// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a batch stands among the sizes that the model is costed at.
#include "backends/serving/Curve.h"
#include "gtest/gtest.h"

using namespace perfc::serving;

static Axis axisOf(std::initializer_list<int64_t> sizes) {
  Axis axis;
  for (int64_t size : sizes)
    axis.add(size);
  return axis;
}

TEST(Curve, SharesOfAPlaceAddUpToOne) {
  Axis rows = axisOf({1, 4, 16}), columns = axisOf({64, 256, 1024});
  for (double row : {1.0, 2.5, 16.0, 40.0})
    for (double column : {10.0, 64.0, 300.0, 4096.0}) {
      Cells cells(rows.quadratic(row), columns.linear(column), columns.count());
      double sum = 0, atRow = 0, atColumn = 0;
      const double rowSizes[] = {1, 4, 16}, columnSizes[] = {64, 256, 1024};
      for (Axis::Weight cell : cells) {
        ASSERT_LT(cell.index, 9U);
        sum += cell.share;
        atRow += cell.share * rowSizes[cell.index / 3];
        atColumn += cell.share * columnSizes[cell.index % 3];
      }
      EXPECT_NEAR(sum, 1, 1e-9);
      EXPECT_NEAR(atRow, row, 1e-9 * row);
      EXPECT_NEAR(atColumn, column, 1e-6 * column);
    }
}

TEST(Curve, ASizeThatWasCostedIsOneCell) {
  Axis rows = axisOf({1, 4, 16}), columns = axisOf({64, 256});
  Cells cells(rows.linear(4), columns.linear(256), columns.count());
  ASSERT_EQ(cells.end() - cells.begin(), 1);
  EXPECT_EQ(cells.begin()->index, 3U);
  EXPECT_EQ(cells.begin()->share, 1);
}

TEST(Curve, OneSizeOrNoneCountsForAll) {
  for (const Axis &axis : {axisOf({}), axisOf({8})}) {
    Cells cells(axis.quadratic(100), axis.linear(3), axis.count());
    ASSERT_EQ(cells.end() - cells.begin(), 1);
    EXPECT_EQ(cells.begin()->index, 0U);
    EXPECT_EQ(cells.begin()->share, 1);
  }
  EXPECT_TRUE(Cells().empty());
}
