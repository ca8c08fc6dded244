// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/FlowFloors.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

//===-- Windows
//--------------------------------------------------------------------------------===//

namespace {

/// The values a * i + b * k of one tile, from 0 on.
class TileMarks {
public:
  TileMarks(const Window &window, int64_t tp, int64_t tr) {
    int64_t low =
        std::min<int64_t>(0, window.a * (tp - 1)) + std::min<int64_t>(0, window.b * (tr - 1));
    int64_t high =
        std::max<int64_t>(0, window.a * (tp - 1)) + std::max<int64_t>(0, window.b * (tr - 1));
    first = low;
    marks.assign(high - low + 1, 0);
    for (int64_t i = 0; i < tp; ++i)
      for (int64_t k = 0; k < tr; ++k)
        marks[window.a * i + window.b * k - low] = 1;
    before.assign(1, 0);
    for (char mark : marks)
      before.push_back(before.back() + mark);
  }
  int64_t count() const { return before.back(); }
  int64_t width() const { return static_cast<int64_t>(marks.size()); }
  /// Elements in [from, to).
  int64_t within(int64_t from, int64_t to) const {
    auto at = [&](int64_t v) {
      return before[std::min<int64_t>(std::max<int64_t>(v - first, 0), width())];
    };
    return to <= from ? 0 : at(to) - at(from);
  }
  /// Elements that it shares with itself that far away.
  int64_t overlap(int64_t shift) const {
    int64_t both = 0;
    for (int64_t v = 0; v + shift < width(); ++v)
      both += marks[v] & marks[v + shift];
    return both;
  }

private:
  int64_t first;
  std::vector<char> marks;
  std::vector<int64_t> before;
};

} // namespace

WindowFloor::WindowFloor(const MapSpace &space, const TileGrid &grid, const Window &window)
    : window(window), seconds(grid.divisorCount(window.second)) {
  for (size_t i = 0; i < grid.divisorCount(window.first); ++i)
    for (size_t k = 0; k < seconds; ++k)
      tiles.push_back(makeTile(space, grid, static_cast<uint8_t>(i), static_cast<uint8_t>(k)));
}

/// All ways in which loops in time of a dimension, with lanes somewhere between them, go back to
/// their start: the steps that they go back, and those that the next loop outside, if there can be
/// one, goes on by.
static void turns(llvm::ArrayRef<int64_t> divisors, int64_t factor,
                  llvm::function_ref<void(int64_t back, int64_t on)> visit) {
  int64_t all = divisors.back();
  for (int64_t inner : divisors)
    for (int64_t lanes : divisors)
      for (int64_t outer : divisors)
        if (int64_t product = inner * lanes * outer; inner % factor == 0 && all % product == 0)
          visit(inner - 1 + (outer - 1) * inner * lanes,
                product < all ? inner * (lanes - 1) + 1 : 0);
}

/// Words that are new when a loop of `factor` of the own dimension starts again, at least.
WindowFloor::Sum WindowFloor::leastOnReturn(const Tile &tile, llvm::ArrayRef<int64_t> own,
                                            llvm::ArrayRef<int64_t> other, int64_t factor,
                                            int64_t ownStep, int64_t otherStep) {
  Sum least{tile.newAt.back(), tile.fullAt.back()};
  auto consider = [&](int64_t distance) {
    int64_t shift = std::min(std::abs(distance), tile.width);
    least.words = std::min(least.words, tile.newAt[shift]);
    least.full = std::min(least.full, tile.fullAt[shift]);
  };
  turns(own, factor, [&](int64_t back, int64_t on) {
    turns(other, 1, [&](int64_t otherBack, int64_t otherOn) {
      consider(-ownStep * back - otherStep * otherBack);
      if (otherOn > 0)
        consider(otherStep * otherOn - ownStep * back);
      if (on > 0)
        consider(ownStep * on - otherStep * otherBack);
    });
  });
  return least;
}

WindowFloor::Tile WindowFloor::makeTile(const MapSpace &space, const TileGrid &grid, uint8_t i,
                                        uint8_t k) {
  int64_t tp = space.nest.dims[window.first].size / grid.value(window.first, i);
  int64_t tr = space.nest.dims[window.second].size / grid.value(window.second, k);
  TileMarks marks(window, tp, tr);
  // Tiles by how many of their elements are no padding.
  std::vector<int64_t> tilesWith(marks.count() + 1, 0);
  int64_t count = grid.value(window.first, i) * grid.value(window.second, k);
  if (!window.extent) {
    tilesWith.back() = count;
  } else {
    for (int64_t p = 0; p < grid.value(window.first, i); ++p)
      for (int64_t r = 0; r < grid.value(window.second, k); ++r) {
        int64_t base = window.constant + window.a * p * tp + window.b * r * tr;
        ++tilesWith[marks.within(-base, *window.extent - base)];
      }
  }
  Tile result;
  result.width = marks.width();
  result.step[0] = std::abs(window.a) * tp;
  result.step[1] = std::abs(window.b) * tr;
  for (int64_t shift = 0; shift <= marks.width(); ++shift) {
    int64_t overlap = marks.overlap(shift);
    double total = 0;
    for (int64_t words = overlap + 1; words <= marks.count(); ++words)
      total += static_cast<double>(tilesWith[words] * (words - overlap));
    if (overlap < marks.count())
      share = std::min(share, total / static_cast<double>(count * (marks.count() - overlap)));
    result.newAt.push_back(total);
    result.fullAt.push_back(static_cast<double>(count * (marks.count() - overlap)));
  }
  result.newFrom = result.newAt;
  result.fullFrom = result.fullAt;
  for (int64_t shift = marks.width(); shift-- > 0;) {
    result.newFrom[shift] = std::min(result.newFrom[shift], result.newFrom[shift + 1]);
    result.fullFrom[shift] = std::min(result.fullFrom[shift], result.fullFrom[shift + 1]);
  }
  // Lanes of one array at most can stand between these loops.
  bool severalArrays =
      llvm::any_of(space.slots, [](const Slot &s) { return s.isAxis && s.number > 0; });
  for (unsigned which = 0; which < 2; ++which) {
    unsigned own = which == 0 ? window.first : window.second;
    unsigned other = which == 0 ? window.second : window.first;
    std::vector<int64_t> ownSteps = divisors(grid.value(own, which == 0 ? i : k));
    std::vector<int64_t> otherSteps = divisors(grid.value(other, which == 0 ? k : i));
    for (unsigned f = 0; f < grid.divisorCount(own); ++f) {
      int64_t factor = grid.value(own, static_cast<uint8_t>(f));
      bool possible = factor > 1 && ownSteps.back() % factor == 0 && !severalArrays;
      result.turns[which].push_back(possible
                                        ? leastOnReturn(result, ownSteps, otherSteps, factor,
                                                        which == 0 ? window.a * tp : window.b * tr,
                                                        which == 0 ? window.b * tr : window.a * tp)
                                        : Sum{0, 0});
    }
  }
  return result;
}

//===-- Tensors
//--------------------------------------------------------------------------------===//

FlowFloors::FlowFloors(const MapSpace &space, const TileGrid &grid) : space(space), grid(grid) {
  for (const FlatTensor &tensor : space.tensors) {
    PerTensor result;
    for (const Window &window : tensor.windows)
      result.windows.emplace_back(space, grid, window);
    DimMask used = tensor.plain | tensor.windowed;
    result.missing.resize(grid.size());
    result.whole.resize(grid.size());
    for (size_t x = 0; x < grid.size(); ++x) {
      double missing = 1, whole = static_cast<double>(tensor.plainSize);
      for (unsigned d = 0; d < space.dims(); ++d)
        if (!(used >> d & 1))
          missing *= static_cast<double>(grid.value(d, grid.point(x)[d]));
      for (const WindowFloor &window : result.windows)
        whole *= window.whole(grid.point(x));
      result.missing[x] = missing;
      result.whole[x] = whole;
    }
    tensors.push_back(std::move(result));
  }
}

double FlowFloors::insideShare(unsigned tensor) const {
  double share = 1;
  for (const WindowFloor &window : tensors[tensor].windows)
    share *= window.insideShare();
  return share;
}

unsigned FlowFloors::partnerOf(unsigned tensor, unsigned dim) const {
  const Window &window = windowOf(tensor, dim).window;
  return window.first == dim ? window.second : window.first;
}

double FlowFloors::sliding(unsigned tensor, size_t outside, unsigned dim, int64_t factor,
                           int64_t lanes, bool partner) const {
  const WindowFloor &window = windowOf(tensor, dim);
  const TileGrid::Point &point = grid.point(outside);
  double all = window.whole(point);
  if (all == 0)
    return 0;
  double words =
      whole(tensor, outside) / all * window.fresh(point, window.window.first == dim, lanes);
  // When the loop starts again, another one of the same window may bring the tile back.
  return partner ? words * (1 - 1 / static_cast<double>(factor)) : words;
}

namespace {

/// Sums over all positions of the tiles of a tensor, in events of one kind each. `least` is what
/// every position brings at least; an event that some of them are in may bring more.
class EventSums {
public:
  EventSums(WindowFloor::Sum least) : least(least), words(least.words) {}
  /// A share of the positions brings at least this. Padding may lie in those that do.
  void add(double share, WindowFloor::Sum sum) {
    double more = sum.full - least.full;
    if (more >= 0)
      words += std::max(0.0, sum.words - least.words - (1 - share) * more);
    else
      words += share * more;
  }
  double total() const { return std::max(0.0, words); }

private:
  WindowFloor::Sum least;
  double words;
};

} // namespace

/// The positions in which the first loop advances bring what one step brings. It starts again when
/// a loop outside advances: of those of the slot it is known how far that takes the tile.
double FlowFloors::slidingInside(unsigned tensor, size_t outside,
                                 llvm::ArrayRef<SlotLoop> loops) const {
  const FlatTensor &flat = space.tensors[tensor];
  const TileGrid::Point &point = grid.point(outside);
  unsigned slides = loops.front().first;
  const WindowFloor &window = windowOf(tensor, slides);
  bool first = window.window.first == slides;
  if (window.whole(point) == 0)
    return 0;
  WindowFloor::Sum all = window.at(point, INT32_MAX);
  EventSums sums(window.advance(point, first));
  double share = 1;
  int64_t back = 0; // of this window, by the loops so far
  for (auto [dim, number] : loops) {
    auto factor = static_cast<double>(grid.value(dim, number));
    bool own = flat.windowOf[dim] == flat.windowOf[slides];
    int64_t step = own ? window.step(point, window.window.first == dim) : 0;
    if (share < 1) {
      double now = share * (1 - 1 / factor);
      if (flat.plain >> dim & 1) {
        sums.add(now, all);
      } else {
        WindowFloor::Sum turned = window.at(point, step - back);
        if (flat.windowed >> dim & 1 && !own) {
          // Both windows move: what is kept is in both.
          const WindowFloor &other = windowOf(tensor, dim);
          WindowFloor::Sum whole = other.at(point, INT32_MAX);
          WindowFloor::Sum moved = other.at(point, other.step(point, other.window.first == dim));
          if (moved.full == whole.full)
            turned = all;
        }
        sums.add(now, turned);
      }
    }
    share /= factor;
    back += step * (grid.value(dim, number) - 1);
  }
  WindowFloor::Sum turn = window.turn(point, first, loops.front().second);
  if (turn.full < window.advance(point, first).full)
    sums.add(share, turn);
  return whole(tensor, outside) / window.whole(point) * sums.total();
}

double FlowFloors::slidingAtBest(unsigned tensor, size_t outside, const TileGrid::Point &time,
                                 const TileGrid::Point &lanes) const {
  double best = whole(tensor, outside);
  DimMask windowed = space.tensors[tensor].windowed;
  for (unsigned d = 0; d < space.dims(); ++d)
    if (windowed >> d & 1 && time[d] > 0)
      best = std::min(best, sliding(tensor, outside, d, 2, grid.value(d, lanes[d]),
                                    time[partnerOf(tensor, d)] > 0));
  return best;
}

double FlowFloors::flow(unsigned tensor, size_t outside, const Trails &trails) const {
  const Trail &trail = trails.of[tensor];
  double times = missing(tensor, outside) / trail.repeats;
  if (trail.next != Trail::Slide)
    return times * whole(tensor, outside);
  return times * sliding(tensor, outside, trail.dim, trail.factor, trail.lanes,
                         trails.moving >> partnerOf(tensor, trail.dim) & 1);
}

double FlowFloors::sharing(unsigned tensor, const TileGrid::Point &outside,
                           const TileGrid::Point &held, const TileGrid::Point &lanes) const {
  double product = 1;
  for (const WindowFloor &window : tensors[tensor].windows) {
    const Window &dims = window.window;
    if (lanes[dims.first] > 0 || lanes[dims.second] > 0)
      product *= window.sharing(outside, held, grid.value(dims.first, lanes[dims.first]),
                                grid.value(dims.second, lanes[dims.second]));
  }
  return product;
}
