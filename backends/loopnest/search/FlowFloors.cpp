// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/FlowFloors.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

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
    result.padding.resize(tensor.windows.empty() ? 0 : grid.size());
    for (size_t x = 0; x < grid.size(); ++x) {
      double missing = 1, whole = static_cast<double>(tensor.plainSize);
      for (unsigned d = 0; d < space.dims(); ++d)
        if (!(used >> d & 1))
          missing *= static_cast<double>(grid.value(d, grid.point(x)[d]));
      WindowFloor::Sum all{whole, whole};
      for (const WindowFloor &window : result.windows) {
        WindowFloor::Sum of = window.all(grid.point(x), {0, 0});
        all = {all.words * of.words, all.full * of.full};
      }
      whole = all.words;
      if (!result.windows.empty())
        result.padding[x] = all.full - all.words;
      result.missing[x] = missing;
      result.whole[x] = whole;
    }
    tensors.push_back(std::move(result));
  }
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
  bool first = window.window.first == dim;
  // When the loop starts again, another one of the same window may bring the tile back; with
  // padding the tiles there can have more than their share of what is new.
  double fresh =
      partner ? window.freshInside(point, first, lanes, factor) : window.fresh(point, first, lanes);
  return whole(tensor, outside) / all * fresh;
}

/// The epochs of the loops of a slot, from the inside out: those in which one of them advances and
/// those further in start again.
class FlowFloors::Epochs {
public:
  Epochs(const std::vector<WindowFloor> &windows, const TileGrid::Point &point)
      : windows(windows), point(point), starts(windows.size(), {0, 0}), back(windows.size(), 0) {}

  /// A loop that advances brings new tiles throughout, and so does any further out.
  void addPlain() { add(1, all(), {}); }
  void addOther(double factor) {
    add(1 - 1 / factor, all(), kept());
    settings /= factor;
  }
  void addWindow(unsigned window, bool first, uint8_t number, int64_t factor);
  /// All loops of the slot start again, whatever stands further out.
  void addTurn();
  Brought result;

private:
  using Sum = WindowFloor::Sum;
  static Sum times(const Sum &a, const Sum &b) { return {a.words * b.words, a.full * b.full}; }
  void add(double share, const Sum &allOf, const Sum &keptOf) {
    Sum fresh = allOf - keptOf;
    result.words += settings * share * fresh.words;
    result.padding += settings * share * (fresh.full - fresh.words);
  }
  /// Over all windows but one.
  Sum all(int without = -1) const {
    Sum product{1, 1};
    for (int w = 0; w < int(windows.size()); ++w)
      if (w != without)
        product = times(product, windows[w].all(point, starts[w]));
    return product;
  }
  Sum kept(int without = -1) const {
    Sum product{1, 1};
    for (int w = 0; w < int(windows.size()); ++w)
      if (w != without)
        product = times(product, windows[w].kept(point, starts[w], -back[w]));
    return product;
  }

  const std::vector<WindowFloor> &windows;
  const TileGrid::Point &point;
  llvm::SmallVector<WindowFloor::Starts, 2> starts;
  llvm::SmallVector<int64_t, 2> back; ///< of each window, by the loops so far
  double settings = 1;                ///< share, of loops of other dimensions
};

/// The loop is not at its start: all positions of those further in, without those where it is.
void FlowFloors::Epochs::addWindow(unsigned w, bool first, uint8_t number, int64_t factor) {
  const WindowFloor &window = windows[w];
  WindowFloor::Starts before = starts[w], now = before;
  now[first ? 0 : 1] = number;
  int64_t step = window.step(point, first), distance = step - back[w];
  Sum moves = window.all(point, before) - window.all(point, now);
  Sum keeps = window.kept(point, before, distance) - window.kept(point, now, distance);
  add(1, times(all(w), moves), times(kept(w), keeps));
  starts[w] = now;
  back[w] += step * (factor - 1);
}

/// Other windows may be where they were: nothing is known of what moves further out.
void FlowFloors::Epochs::addTurn() {
  Sum most{1, 1};
  for (unsigned w = 0; w < windows.size(); ++w) {
    bool moved = starts[w][0] > 0 || starts[w][1] > 0;
    most = times(most, moved ? windows[w].keptOnTurn(point, starts[w])
                             : windows[w].all(point, starts[w]));
  }
  Sum every = all();
  result.words += settings * (every.words - most.words);
  // If nothing is kept, all padding is met.
  result.padding += settings * (every.full - every.words);
}

FlowFloors::Brought FlowFloors::slidingInside(unsigned t, size_t outside,
                                              llvm::ArrayRef<SlotLoop> loops) const {
  const FlatTensor &tensor = space.tensors[t];
  Epochs epochs(tensors[t].windows, grid.point(outside));
  bool over = false;
  for (auto [dim, number] : loops) {
    if (tensor.plain >> dim & 1) {
      epochs.addPlain();
      over = true;
      break;
    }
    int64_t factor = grid.value(dim, number);
    if (tensor.windowed >> dim & 1)
      epochs.addWindow(tensor.windowOf[dim], windowOf(t, dim).window.first == dim, number, factor);
    else
      epochs.addOther(static_cast<double>(factor));
  }
  if (!over)
    epochs.addTurn();
  auto size = static_cast<double>(tensor.plainSize);
  return {size * epochs.result.words, size * epochs.result.padding};
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

double FlowFloors::flow(unsigned tensor, size_t outside, const Trail &trail, DimMask moving) const {
  double times = missing(tensor, outside) / trail.repeats;
  if (trail.next != Trail::Slide)
    return times * whole(tensor, outside);
  return times * sliding(tensor, outside, trail.dim, trail.factor, trail.lanes,
                         moving >> partnerOf(tensor, trail.dim) & 1);
}

double FlowFloors::flowAtBest(unsigned t, size_t outside, const TileGrid::Point &factor,
                              const Trails &before) const {
  const FlatTensor &tensor = space.tensors[t];
  Trail trail = before.of[t];
  double repeats = 1, fresh = -1;
  bool moves = false;
  for (unsigned d = 0; d < space.dims(); ++d) {
    if (factor[d] == 0)
      continue;
    int64_t value = grid.value(d, factor[d]);
    if (tensor.windowed >> d & 1) {
      unsigned partner = partnerOf(t, d);
      double words =
          sliding(t, outside, d, value, 1, before.moving >> partner & 1 || factor[partner] > 0);
      fresh = fresh < 0 ? words : std::min(fresh, words);
    } else if (!(tensor.plain >> d & 1)) {
      repeats *= static_cast<double>(value);
    }
    moves |= (tensor.plain | tensor.windowed) >> d & 1;
  }
  if (!moves) {
    trail.repeats *= repeats;
    return flow(t, outside, trail, before.moving);
  }
  return missing(t, outside) / repeats * (fresh < 0 ? whole(t, outside) : fresh);
}

Sharing FlowFloors::sharing(unsigned tensor, const TileGrid::Point &outside,
                            const TileGrid::Point &held, const TileGrid::Point &lanes) const {
  Sharing product;
  for (const WindowFloor &window : tensors[tensor].windows) {
    const Window &dims = window.window;
    if (lanes[dims.first] == 0 && lanes[dims.second] == 0)
      continue;
    Sharing of = window.sharing(outside, held, lanes);
    product = {product.most * of.most, product.mean * of.mean};
  }
  return product;
}
