// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/FusedHalo.h"

#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace perfc;
using namespace perfc::passes;

namespace {

using Element = std::vector<int64_t>;
using Box = std::vector<std::pair<int64_t, int64_t>>; ///< from, to by index

/// Makes a tensor tile by tile, ahead of the steps that need it, and holds what is still needed.
class Execution {
public:
  explicit Execution(const std::vector<TileSteps> &indices) : indices(indices) {}

  int64_t run() {
    std::vector<std::set<Element>> needs;
    forEach(counts(), [&](const Element &step) { needs.push_back(elementsOf(needOf(step))); });
    std::vector<Box> tiles = tilesInOrder();
    size_t next = 0, most = 0;
    std::set<Element> made;
    for (size_t step = 0; step < needs.size(); ++step) {
      for (; !std::includes(made.begin(), made.end(), needs[step].begin(), needs[step].end());
           ++next) {
        std::set<Element> more = elementsOf(tiles.at(next));
        made.insert(more.begin(), more.end());
      }
      std::set<Element> later;
      for (size_t other = step; other < needs.size(); ++other)
        for (const Element &element : needs[other])
          if (made.count(element))
            later.insert(element);
      most = std::max(most, later.size());
    }
    return static_cast<int64_t>(most);
  }

private:
  Element counts() const {
    Element all;
    for (const TileSteps &index : indices)
      all.push_back(index.count);
    return all;
  }

  template <typename Callback> static void forEach(const Element &extents, Callback &&callback) {
    Element at(extents.size(), 0);
    for (size_t k = 0; k < at.size();) {
      callback(at);
      for (k = at.size(); k-- > 0 && ++at[k] == extents[k];)
        at[k] = 0;
      if (k == SIZE_MAX)
        return;
    }
  }

  Box needOf(const Element &step) const {
    Box box;
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t from = step[i] * indices[i].step - indices[i].missing();
      box.emplace_back(std::clamp<int64_t>(from, 0, indices[i].extent),
                       std::min(from + indices[i].tile, indices[i].extent));
    }
    return box;
  }

  static std::set<Element> elementsOf(const Box &box) {
    std::set<Element> all;
    Element sizes;
    for (const auto &[from, to] : box)
      sizes.push_back(to - from);
    if (std::count(sizes.begin(), sizes.end(), 0))
      return all;
    forEach(sizes, [&](Element element) {
      for (size_t i = 0; i < box.size(); ++i)
        element[i] += box[i].first;
      all.insert(element);
    });
    return all;
  }

  /// Whole tiles of new values, except for the first ones of a halo.
  std::vector<Box> tilesInOrder() const {
    std::vector<Box> byIndex;
    Element sizes;
    for (const TileSteps &index : indices) {
      Box cuts;
      int64_t halo = index.count > 1 ? std::max<int64_t>(0, index.tile - index.step) : 0;
      int64_t step = index.count > 1 ? index.step : index.tile;
      int64_t first = (halo + step - index.missing()) % step;
      for (int64_t to = first ? first : step, from = 0; from < index.extent; from = to, to += step)
        cuts.emplace_back(from, std::min(to, index.extent));
      sizes.push_back(static_cast<int64_t>(cuts.size()));
      byIndex.push_back(std::move(cuts));
    }
    std::vector<Box> tiles;
    forEach(sizes, [&](const Element &number) {
      Box box;
      for (size_t i = 0; i < number.size(); ++i)
        box.push_back(byIndex[i][static_cast<size_t>(number[i])]);
      tiles.push_back(std::move(box));
    });
    return tiles;
  }

  const std::vector<TileSteps> &indices;
};

} // namespace

TEST(FusedHalo, KeepsATileAlongTheInnermostLoop) {
  // Tiles of 4 rows, 2 of them new: the step's rows are all that is kept.
  EXPECT_EQ(*keptElements({{4, 2, 4, 10}}), 4);
  EXPECT_EQ(*keptElements({{4, 2, 4, 10}, {3, 1, 1, 3}}), 12);
}

TEST(FusedHalo, KeepsLinesAlongAnOuterLoop) {
  // 2 lines of 10 values stay, and 2 new lines as far as the tile goes.
  EXPECT_EQ(*keptElements({{4, 2, 4, 10}, {4, 2, 4, 10}}), 2 * 10 + 2 * 4);
  // The channels of an inner loop wait for the next lines as well.
  EXPECT_EQ(*keptElements({{4, 2, 4, 10}, {3, 3, 5, 15}}), 2 * 15 + 2 * 3);
  EXPECT_EQ(*keptElements({{3, 3, 5, 15}, {4, 2, 4, 10}}), 3 * 4);
}

TEST(FusedHalo, StepsAheadBeginWithWhatIsLeft) {
  // Of 2 steps that run ahead by 1 the first makes 1 value; 2 lines of 4 and 2 of the next lines.
  EXPECT_EQ((TileSteps{3, 2, 2, 4, 1}.missing()), 1);
  EXPECT_EQ(*keptElements({{3, 1, 2, 4}, {4, 2, 2, 5, 1}}), 2 * 5 + 4);
}

TEST(FusedHalo, LargeCountsAreNone) {
  EXPECT_FALSE(keptElements({{1 << 20, 1, 1 << 30, INT64_MAX}, {INT64_MAX, 1, 1, INT64_MAX}}));
}

TEST(FusedHalo, RandomTensorsHoldWhatExecutionHolds) {
  std::mt19937 random(29);
  auto pick = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(random);
  };
  for (unsigned round = 0; round < rounds(200); ++round) {
    std::vector<TileSteps> indices;
    for (int64_t rank = pick(1, 3); rank > 0; --rank) {
      TileSteps index{pick(1, 5), pick(1, 3), pick(1, 4), 1};
      index.tile = std::max(index.tile, index.step); // gaps have no halo
      index.ahead = pick(0, 4);
      int64_t whole = (index.count - 1) * index.step + index.tile - index.missing();
      // Some tiles reach beyond the last value, as with padding.
      index.extent = std::max(index.tile, whole - (pick(0, 2) ? 0 : pick(0, 4)));
      indices.push_back(index);
    }
    EXPECT_EQ(keptElements(indices).getValueOr(-1), Execution(indices).run()) << "round " << round;
  }
}
