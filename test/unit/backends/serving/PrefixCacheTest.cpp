// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that begin alike, in blocks of 4 tokens.
#include "backends/serving/PrefixCache.h"

#include "gtest/gtest.h"

using namespace perfc::serving;

using Text = std::vector<PrefixPiece>;

TEST(PrefixCache, FindsTheLongestBeginningInWholeBlocks) {
  PrefixCache cache(4);
  cache.insert(Text{{1, 10}, {2, 7}},
               100); // 17 tokens: 4 blocks, of which 2 are of the first piece
  EXPECT_EQ(cache.freeBlocks(), 4);
  EXPECT_EQ(cache.match(Text{{1, 10}, {2, 7}, {3, 5}}, 100).tokens, 16);
  EXPECT_EQ(cache.match(Text{{1, 10}, {9, 7}}, 100).tokens, 8);
  EXPECT_EQ(cache.match(Text{{2, 7}}, 100).tokens, 0);
  EXPECT_EQ(cache.match(Text{{1, 10}, {2, 7}}, 13).tokens, 12);
  EXPECT_EQ(cache.match(Text{{1, 10}, {2, 7}}, 3).tokens, 0);
}

TEST(PrefixCache, KeepsWhatIsUsedAndDropsTheOldest) {
  PrefixCache cache(4);
  cache.insert(Text{{1, 8}, {2, 8}}, 100);
  cache.insert(Text{{1, 8}, {3, 8}}, 100);
  cache.insert(Text{{5, 8}}, 100);
  EXPECT_EQ(cache.freeBlocks(), 8);
  PrefixCache::Match found = cache.match(Text{{1, 8}, {2, 8}}, 100);
  EXPECT_EQ(cache.lock(found.node), 4);
  EXPECT_EQ(cache.freeBlocks(), 4);
  cache.shrink(2); // of {3} and {5} the older one goes
  EXPECT_EQ(cache.match(Text{{1, 8}, {3, 8}}, 100).tokens, 8);
  EXPECT_EQ(cache.match(Text{{5, 8}}, 100).tokens, 8);
  cache.shrink(0);
  EXPECT_EQ(cache.match(Text{{5, 8}}, 100).tokens, 0);
  EXPECT_EQ(cache.match(Text{{1, 8}, {2, 8}}, 100).tokens, 16);
  EXPECT_EQ(cache.unlock(found.node), 4);
  cache.shrink(3); // the leaf goes before what it stands on
  EXPECT_EQ(cache.match(Text{{1, 8}, {2, 8}}, 100).tokens, 8);
}

TEST(PrefixCache, TakesNoMoreThanItsRoom) {
  PrefixCache cache(4);
  cache.insert(Text{{1, 8}, {2, 400}}, 10);
  EXPECT_LE(cache.freeBlocks(), 10);
  cache.insert(Text{{3, 40}}, 10);
  EXPECT_EQ(cache.freeBlocks(), 10);
  EXPECT_EQ(cache.match(Text{{1, 8}}, 100).tokens, 0);
}

/// The last token of an answer was not read: its block is not full until somebody goes on.
TEST(PrefixCache, LacksWhatWasNotRead) {
  PrefixCache cache(4);
  cache.insert(Text{{1, 8}, {2, 8}}, 100, 1);
  EXPECT_EQ(cache.freeBlocks(), 3);
  EXPECT_EQ(cache.match(Text{{1, 8}, {2, 8}, {3, 4}}, 100).tokens, 12);
  cache.insert(Text{{1, 8}, {2, 8}, {3, 4}, {4, 4}}, 100, 1);
  EXPECT_EQ(cache.freeBlocks(), 5); // of 23 tokens
  EXPECT_EQ(cache.match(Text{{1, 8}, {2, 8}, {3, 4}}, 100).tokens, 20);
  EXPECT_EQ(cache.match(Text{{1, 8}, {2, 8}, {3, 4}, {4, 4}, {5, 9}}, 100).tokens, 20);
}
