// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lanes share of a window is at most what the tables say.
#include "backends/loopnest/search/WindowFloor.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A space with one window over two dimensions and no more.
MapSpace spaceOf(int64_t firsts, int64_t seconds) {
  MapSpace space;
  space.nest.dims.resize(2);
  space.nest.dims[0].size = firsts;
  space.nest.dims[1].size = seconds;
  return space;
}

class SharingTest : public testing::Test {
protected:
  int64_t pick(std::vector<int64_t> from) { return from[random() % from.size()]; }
  void makeWindow();
  void compare();
  bool chain(TileGrid::Point &lanes, TileGrid::Point &outside, TileGrid::Point &held);
  std::vector<int64_t> tileAt(const TileGrid::Point &outside) const;

  std::mt19937 random{77};
  MapSpace space;
  std::unique_ptr<TileGrid> grid;
  std::unique_ptr<WindowFloor> window;
  unsigned compared = 0, both = 0, holes = 0;
};

} // namespace

void SharingTest::makeWindow() {
  space = spaceOf(pick({1, 4, 6, 8, 12, 14, 16}), pick({1, 2, 3, 4, 5, 6, 8}));
  grid = std::make_unique<TileGrid>(space);
  int64_t b = pick({1, 1, 1, 2, 3, -1});
  window = std::make_unique<WindowFloor>(space, *grid,
                                         Window{0, 1, pick({1, 1, 2, 3, 4}), b, 0, llvm::None});
}

/// Random numbers of divisors, each of which divides the next.
bool SharingTest::chain(TileGrid::Point &lanes, TileGrid::Point &outside, TileGrid::Point &held) {
  for (unsigned d = 0; d < 2; ++d)
    for (TileGrid::Point *point : {&lanes, &outside, &held})
      (*point)[d] = static_cast<uint8_t>(random() % grid->divisorCount(d));
  TileGrid::Point factor{};
  return grid->between(lanes, outside, factor) && grid->between(outside, held, factor);
}

std::vector<int64_t> SharingTest::tileAt(const TileGrid::Point &outside) const {
  std::vector<int64_t> result;
  for (int64_t i = 0; i < space.nest.dims[0].size / grid->value(0, outside[0]); ++i)
    for (int64_t k = 0; k < space.nest.dims[1].size / grid->value(1, outside[1]); ++k)
      result.push_back(window->window.a * i + window->window.b * k);
  llvm::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// Any part of a tile with holes, any stretch of one without.
void SharingTest::compare() {
  TileGrid::Point lanes{}, outside{}, held{};
  if (!chain(lanes, outside, held))
    return;
  std::vector<int64_t> tile = tileAt(held), part;
  bool hasHoles = tile.back() - tile.front() >= int64_t(tile.size());
  size_t begin = random() % tile.size(), size = 1 + random() % (tile.size() - begin);
  for (size_t i = 0; i < tile.size(); ++i)
    if (hasHoles ? random() % 3 > 0 : i >= begin && i < begin + size)
      part.push_back(tile[i]);
  std::map<int64_t, unsigned> needed; // by element: lanes
  for (int64_t i = 0; i < grid->value(0, lanes[0]); ++i)
    for (int64_t k = 0; k < grid->value(1, lanes[1]); ++k)
      for (int64_t element : part)
        ++needed[element + i * window->step(outside, true) + k * window->step(outside, false)];
  unsigned most = 0, all = 0;
  for (auto [element, count] : needed) {
    most = std::max(most, count);
    all += count;
  }
  if (part.empty())
    return;
  Sharing bound = window->sharing(outside, held, lanes);
  EXPECT_LE(most, bound.most + 1e-9);
  EXPECT_LE(static_cast<double>(all) / static_cast<double>(needed.size()), bound.mean + 1e-9);
  if (!hasHoles && part.size() == tile.size()) {
    EXPECT_GE(all / static_cast<double>(needed.size()), bound.mean - 1e-9);
  }
  ++compared;
  both += lanes[0] > 0 && lanes[1] > 0;
  holes += hasHoles;
}

TEST_F(SharingTest, IsAtMostTheBound) {
  for (unsigned i = 0; i < 3000 && !HasFailure(); ++i) {
    makeWindow();
    for (unsigned k = 0; k < 40 && !HasFailure(); ++k)
      compare();
  }
  EXPECT_GT(compared, 5000U);
  EXPECT_GT(both, 500U);
  EXPECT_GT(holes, 500U);
}

/// Whatever lanes there are, a tile that reaches as far shares at least as much.
TEST_F(SharingTest, GrowsWithReach) {
  unsigned reaches = 0, shorter = 0;
  for (unsigned i = 0; i < 3000 && !HasFailure(); ++i) {
    makeWindow();
    for (unsigned k = 0; k < 80 && !HasFailure(); ++k) {
      TileGrid::Point lanes{}, outside{}, a{}, b{}, factor{};
      if (!chain(lanes, outside, a))
        continue;
      for (unsigned d = 0; d < 2; ++d)
        b[d] = static_cast<uint8_t>(random() % grid->divisorCount(d));
      if (!grid->between(outside, b, factor))
        continue;
      bool anywhere = random() % 2;
      if (!window->reachesAsFar(a, b, anywhere ? nullptr : &outside))
        continue;
      ++reaches;
      Sharing one = window->sharing(outside, a, lanes), other = window->sharing(outside, b, lanes);
      shorter += tileAt(a).size() < tileAt(b).size();
      EXPECT_GE(one.most, other.most - 1e-9);
      EXPECT_GE(one.mean, other.mean - 1e-9);
    }
  }
  EXPECT_GT(reaches, 5000U);
  EXPECT_GT(shorter, 100U);
}
