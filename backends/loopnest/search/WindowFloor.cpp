// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/WindowFloor.h"

#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

//===-- One tile
//-------------------------------------------------------------------------------===//

TileMarks::TileMarks(const Window &window, int64_t firstSize, int64_t secondSize) {
  int64_t ends[2] = {window.a * (firstSize - 1), window.b * (secondSize - 1)};
  first = std::min<int64_t>(0, ends[0]) + std::min<int64_t>(0, ends[1]);
  marks.assign(std::abs(ends[0]) + std::abs(ends[1]) + 1, 0);
  for (int64_t i = 0; i < firstSize; ++i)
    for (int64_t k = 0; k < secondSize; ++k)
      marks[window.a * i + window.b * k - first] = 1;
  sum();
}

void TileMarks::sum() {
  before.assign(1, 0);
  for (char mark : marks)
    before.push_back(before.back() + mark);
}

TileMarks TileMarks::sharedWith(int64_t distance) const {
  TileMarks result;
  result.first = first;
  result.marks.assign(marks.size(), 0);
  for (int64_t v = 0; v < width(); ++v)
    if (v + distance >= 0 && v + distance < width())
      result.marks[v] = marks[v] & marks[v + distance];
  result.sum();
  return result;
}

int64_t TileMarks::within(int64_t from, int64_t to) const {
  auto at = [&](int64_t v) {
    return before[std::min<int64_t>(std::max<int64_t>(v - first, 0), width())];
  };
  return to <= from ? 0 : at(to) - at(from);
}

//===-- Turns
//----------------------------------------------------------------------------------===//

namespace {

/// Loops in time of a dimension, with lanes somewhere between them, that go back to their start:
/// the steps that they go back, and those that the next loop outside, if there can be one, goes on.
struct Turn {
  int64_t back, on;
  bool operator<(const Turn &other) const {
    return std::tie(back, on) < std::tie(other.back, other.on);
  }
  bool operator==(const Turn &other) const { return back == other.back && on == other.on; }
};

} // namespace

/// All of them, where the innermost loop is a multiple of `factor`.
static std::vector<Turn> turnsOf(llvm::ArrayRef<int64_t> divisors, int64_t factor) {
  std::vector<Turn> result;
  int64_t all = divisors.back();
  for (int64_t inner : divisors)
    for (int64_t lanes : divisors)
      for (int64_t outer : divisors)
        if (int64_t product = inner * lanes * outer; inner % factor == 0 && all % product == 0)
          result.push_back({inner - 1 + (outer - 1) * inner * lanes,
                            product < all ? inner * (lanes - 1) + 1 : 0});
  llvm::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

/// The distances below `width` that a tile can move when loops of a window start again.
static std::vector<int64_t> distances(llvm::ArrayRef<Turn> own, llvm::ArrayRef<Turn> other,
                                      const int64_t (&step)[2], int64_t width) {
  std::vector<char> possible(2 * width - 1, 0);
  auto consider = [&](int64_t distance) {
    if (std::abs(distance) < width)
      possible[distance + width - 1] = 1;
  };
  for (const Turn &i : own)
    for (const Turn &k : other) {
      consider(-step[0] * i.back - step[1] * k.back);
      if (k.on > 0)
        consider(step[1] * k.on - step[0] * i.back);
      if (i.on > 0)
        consider(step[0] * i.on - step[1] * k.back);
    }
  std::vector<int64_t> result;
  for (int64_t d = 1 - width; d < width; ++d)
    if (possible[d + width - 1])
      result.push_back(d);
  return result;
}

//===-- Sums over positions
//--------------------------------------------------------------------===//

WindowFloor::WindowFloor(const MapSpace &space, const TileGrid &grid, const Window &window)
    : window(window), grid(grid), seconds(grid.divisorCount(window.second)) {
  for (size_t i = 0; i < grid.divisorCount(window.first); ++i)
    for (size_t k = 0; k < seconds; ++k)
      tiles.push_back(makeTile(space, static_cast<uint8_t>(i), static_cast<uint8_t>(k)));
  addSharing();
}

WindowFloor::Tile WindowFloor::makeTile(const MapSpace &space, uint8_t i, uint8_t k) const {
  int64_t firsts = grid.value(window.first, i), secondsOutside = grid.value(window.second, k);
  int64_t firstSize = space.nest.dims[window.first].size / firsts;
  int64_t secondSize = space.nest.dims[window.second].size / secondsOutside;
  TileMarks marks(window, firstSize, secondSize);
  Tile result;
  result.width = marks.width();
  result.count = marks.count();
  result.hasHoles = marks.count() < marks.width();
  result.step[0] = window.a * firstSize;
  result.step[1] = window.b * secondSize;
  std::vector<int64_t> bases;
  for (int64_t p = 0; p < firsts; ++p)
    for (int64_t r = 0; r < secondsOutside; ++r)
      bases.push_back(window.constant + p * result.step[0] + r * result.step[1]);
  std::vector<int64_t> factors = divisors(firsts);
  llvm::append_range(factors, divisors(secondsOutside));
  factors.push_back(2); // at least
  addFresh(result, marks, bases, factors);
  // Lanes of one array at most can stand between loops of the window.
  bool severalArrays =
      llvm::any_of(space.slots, [](const Slot &s) { return s.isAxis && s.number > 0; });
  addStarts(result, marks, bases, i, k, severalArrays);
  return result;
}

/// What tiles at a distance, in either direction, cannot share.
void WindowFloor::addFresh(Tile &tile, const TileMarks &marks, llvm::ArrayRef<int64_t> bases,
                           llvm::ArrayRef<int64_t> factors) const {
  std::vector<int64_t> tilesWith(marks.count() + 1, 0); // by how many elements are no padding
  for (int64_t base : bases)
    ++tilesWith[inside(marks, base)];
  std::vector<double> newFull; // of all tiles, as if there were no padding
  for (int64_t shift = 0; shift <= marks.width(); ++shift) {
    int64_t overlap = marks.sharedWith(shift).count();
    newFull.push_back(static_cast<double>(bases.size()) *
                      static_cast<double>(marks.count() - overlap));
    double total = 0;
    for (int64_t words = overlap + 1; words <= marks.count(); ++words)
      total += static_cast<double>(tilesWith[words] * (words - overlap));
    tile.newAt.push_back(total);
  }
  auto leastFrom = [&](std::vector<double> &values) {
    for (int64_t shift = marks.width(); shift-- > 0;)
      values[shift] = std::min(values[shift], values[shift + 1]);
  };
  tile.newFrom = tile.newAt;
  leastFrom(tile.newFrom);
  for (int64_t factor : factors) {
    auto isSame = [&](const auto &entry) { return entry.first == factor; };
    if (factor == 1 || llvm::any_of(tile.newInside, isSame))
      continue;
    std::vector<double> values = tile.newAt;
    for (size_t shift = 0; shift < values.size(); ++shift)
      values[shift] = std::max(0.0, values[shift] - newFull[shift] / static_cast<double>(factor));
    leastFrom(values);
    tile.newInside.push_back({factor, std::move(values)});
  }
}

double WindowFloor::freshInside(const TileGrid::Point &outside, bool first, int64_t lanes,
                                int64_t factor) const {
  const Tile &of = tile(outside);
  int64_t distance = std::min<int64_t>(std::abs(of.step[first ? 0 : 1]) * lanes, of.width);
  double least = 0;
  for (const auto &[known, values] : of.newInside)
    if (known <= factor)
      least = std::max(least, values[distance]);
  return least;
}

/// The sums by the loops that are at their start, which stand inside all others of their dimension.
void WindowFloor::addStarts(Tile &tile, const TileMarks &marks, llvm::ArrayRef<int64_t> bases,
                            uint8_t i, uint8_t k, bool severalArrays) const {
  int64_t firsts = grid.value(window.first, i), secondsOutside = grid.value(window.second, k);
  std::vector<int64_t> own = divisors(firsts), other = divisors(secondsOutside);
  std::vector<TileMarks> shared;
  for (int64_t d = 1 - tile.width; d < tile.width; ++d)
    shared.push_back(marks.sharedWith(d));
  size_t classes = grid.divisorCount(window.first) * seconds;
  tile.all.resize(classes);
  tile.kept.resize(classes * shared.size());
  tile.turns.resize(classes);
  std::vector<int64_t> kept(shared.size());
  for (int64_t f : own)
    for (int64_t g : other) {
      size_t starts = at({grid.number(window.first, f), grid.number(window.second, g)});
      std::vector<int64_t> turns =
          distances(turnsOf(own, f), turnsOf(other, g), tile.step, tile.width);
      Sum *sums = &tile.kept[starts * shared.size()];
      for (int64_t p = 0; p < firsts; p += f)
        for (int64_t r = 0; r < secondsOutside; r += g) {
          int64_t base = bases[p * secondsOutside + r], most = 0, mostFull = 0;
          for (size_t d = 0; d < shared.size(); ++d) {
            kept[d] = inside(shared[d], base);
            sums[d].words += static_cast<double>(kept[d]);
            sums[d].full += static_cast<double>(shared[d].count());
          }
          for (int64_t d : turns) {
            most = std::max(most, kept[d + tile.width - 1]);
            mostFull = std::max(mostFull, shared[d + tile.width - 1].count());
          }
          if (severalArrays) {
            most = inside(marks, base);
            mostFull = marks.count();
          }
          tile.turns[starts].words += static_cast<double>(most);
          tile.turns[starts].full += static_cast<double>(mostFull);
        }
      tile.all[starts] = sums[tile.width - 1];
    }
}

//===-- Lanes
//----------------------------------------------------------------------------------===//

/// Most lanes along both dimensions, and most entries of a table.
static constexpr int64_t bothLimit = 4096;
static constexpr size_t sharingLimit = 300000;

/// Each dimension alone: the other's lanes may all need the same.
Sharing WindowFloor::sharingOf(const Tile &steps, const Tile &held,
                               const TileGrid::Point &lanes) const {
  int64_t n[2] = {grid.value(window.first, lanes[window.first]),
                  grid.value(window.second, lanes[window.second])};
  auto along = [&](int64_t lanes, int64_t step) {
    int64_t elements = (held.width - 1) / std::abs(step) + 1;
    auto n = static_cast<double>(lanes), m = static_cast<double>(elements);
    if (!held.hasHoles && elements > 1)
      m = static_cast<double>(held.width) / static_cast<double>(std::abs(step));
    return Sharing{std::min<double>(n, elements), n * m / (n + m - 1)};
  };
  Sharing first = along(n[0], steps.step[0]), second = along(n[1], steps.step[1]);
  auto firsts = static_cast<double>(n[0]), seconds = static_cast<double>(n[1]);
  Sharing result{std::min(seconds * first.most, firsts * second.most),
                 std::min(seconds * first.mean, firsts * second.mean)};
  if (n[0] == 1 || n[1] == 1 || n[0] > bothLimit / n[1])
    return result;
  Sharing both = sharingOfBoth(steps, held, n[0], n[1]);
  return {std::min(result.most, both.most), std::min(result.mean, both.mean)};
}

/// From where the tiles of all lanes begin.
Sharing WindowFloor::sharingOfBoth(const Tile &steps, const Tile &held, int64_t firsts,
                                   int64_t seconds) const {
  std::vector<int64_t> begins;
  for (int64_t i = 0; i < firsts; ++i)
    for (int64_t k = 0; k < seconds; ++k)
      begins.push_back(i * steps.step[0] + k * steps.step[1]);
  llvm::sort(begins);
  int64_t together = held.width, different = 1;
  size_t most = 1;
  for (size_t last = 1, first = 0; last < begins.size(); ++last) {
    int64_t gap = begins[last] - begins[last - 1];
    together += std::min(gap, held.width);
    different += gap > 0;
    while (begins[last] - begins[first] >= held.width)
      ++first;
    most = std::max(most, last - first + 1);
  }
  auto n = static_cast<double>(begins.size());
  double mean = held.hasHoles ? n * static_cast<double>(held.count) /
                                    static_cast<double>(different + held.count - 1)
                              : n * static_cast<double>(held.width) / static_cast<double>(together);
  return {static_cast<double>(most), mean};
}

void WindowFloor::addSharing() {
  size_t all = tiles.size();
  if (all * all * all > sharingLimit)
    return;
  shared.resize(all * all * all);
  auto divides = [&](size_t a, size_t b) {
    auto number = [](size_t i) { return static_cast<uint8_t>(i); };
    return grid.quotient(window.first, number(b / seconds), number(a / seconds)) !=
               TileGrid::none &&
           grid.quotient(window.second, number(b % seconds), number(a % seconds)) != TileGrid::none;
  };
  for (size_t outside = 0; outside < all; ++outside)
    for (size_t lanes = 0; lanes < all; ++lanes) {
      if (!divides(lanes, outside))
        continue;
      TileGrid::Point numbers{};
      numbers[window.first] = static_cast<uint8_t>(lanes / seconds);
      numbers[window.second] = static_cast<uint8_t>(lanes % seconds);
      for (size_t held = outside; held < all; ++held)
        if (divides(outside, held))
          shared[(outside * all + lanes) * all + held] =
              sharingOf(tiles[outside], tiles[held], numbers);
    }
}

/// Along one dimension of lanes, or along both; tiles that nothing overlaps share nothing.
bool WindowFloor::reachesAsFar(const TileGrid::Point &a, const TileGrid::Point &b,
                               const TileGrid::Point *steps) const {
  const Tile &one = tile(a), &other = tile(b);
  if (other.hasHoles && !one.hasHoles)
    return false; // the holes may let more lanes share
  bool moreElements = !one.hasHoles || one.count >= (other.hasHoles ? other.count : other.width);
  if (one.width >= other.width && moreElements)
    return true;
  if (!steps)
    return false;
  const Tile &at = tile(*steps);
  bool first = (*steps)[window.first] > 0, second = (*steps)[window.second] > 0;
  if (first && second) // all of them begin at multiples of this
    return !one.hasHoles && other.width <= int64_t(std::gcd(at.step[0], at.step[1]));
  if (!first && !second)
    return true;
  int64_t apart = std::abs(at.step[first ? 0 : 1]);
  if (one.width >= other.width)
    return true;
  return one.hasHoles ? (one.width - 1) / apart == (other.width - 1) / apart : other.width <= apart;
}
