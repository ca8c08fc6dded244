// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Boxes, and counts from traffic.
#include "Inputs.h"
#include "backends/loopnest/timeloop/Boxes.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::timeloop;

TEST(Boxes, ADifferenceIsCutRankByRank) {
  Boxes rest;
  subtract({0, 4, 0, 4}, {1, 3, 2, 6}, rest);
  ASSERT_EQ(rest.size(), 3u);
  EXPECT_EQ(rest[0], llvm::ArrayRef<int64_t>({0, 1, 0, 4}));
  EXPECT_EQ(rest[1], llvm::ArrayRef<int64_t>({3, 4, 0, 4}));
  EXPECT_EQ(rest[2], llvm::ArrayRef<int64_t>({1, 3, 0, 2}));
  EXPECT_EQ(rest.volume(), 12);
  subtract({0, 4, 0, 4}, {4, 8, 0, 4}, rest);
  EXPECT_EQ(rest.volume(), 16);
  subtract({1, 3, 2, 4}, {0, 4, 0, 4}, rest);
  EXPECT_TRUE(rest.empty());
}

TEST(Boxes, ATranslationIsTheRoundedDistanceOfCentres) {
  Offset moved;
  translation({0, 4}, {3, 7}, moved);
  EXPECT_EQ(moved, Offset({3}));
  translation({0, 4}, {4, 7}, moved); // from 1.5 to 5
  EXPECT_EQ(moved, Offset({4}));
}

TEST(Boxes, ShiftedSetsAreRecognised) {
  Boxes a, b;
  a.add({0, 1, 0, 4});
  a.add({3, 4, 0, 4});
  b.add({5, 6, 2, 6});
  b.add({2, 3, 2, 6});
  b.sort();
  Offset shift;
  EXPECT_TRUE(isShifted(a, b, shift));
  EXPECT_EQ(shift, Offset({2, 2}));
  b.clear();
  b.add({2, 3, 2, 6});
  EXPECT_FALSE(isShifted(a, b, shift));
}

/// A count that falls below zero wraps around (TimeloopWrapped warns of it).
TEST(Tiles, ACountBelowZeroWraps) {
  Input input = gemm();
  LoopList list(input);
  AnalysisResult analysis;
  Traffic traffic;
  traffic.histogram[{1, 1}].words = 10;
  traffic.tileSize = traffic.senderSize = 16;
  analysis.traffic.assign(2, std::vector<Traffic>(3, traffic));
  Tile tile = countTiles(input, list, analysis)[2][1];
  EXPECT_TRUE(tile.wrapped);
  EXPECT_EQ(tile.updates, 10u);
  EXPECT_EQ(tile.reads, Count(0) - 6);
}
