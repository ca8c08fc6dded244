// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/HopSums.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

HopSums::HopSums(const MapSpace &space) : space(space) {}

/// The axes between the parent and the level.
std::pair<unsigned, unsigned> HopSums::axesOf(const Crossing &crossing) const {
  unsigned begin = crossing.parentEnd;
  while (begin < crossing.end && !space.slots[begin].isAxis)
    ++begin;
  unsigned end = begin;
  while (end < crossing.end && space.slots[end].isAxis)
    ++end;
  return {begin, end};
}

bool HopSums::covers(const Crossing &crossing) const {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  if (crossing.arrays.size() != 1 || tensor.cut || tensor.plainSize == 0 ||
      tensor.windows.empty() || tensor.windows.size() > 2)
    return false;
  auto [begin, end] = axesOf(crossing);
  for (unsigned s = begin; s < end; ++s)
    if (!(tensor.isOutput ? space.slots[s].reduce : space.slots[s].multicast))
      return false;
  return end - begin <= 2;
}

/// The loops of a window outside a level, in values of its subscript.
struct HopSums::Loops {
  struct OnAxis {
    int64_t factor, step;
    int32_t stride; ///< in lanes
    bool second;    ///< axis
  };
  llvm::SmallVector<OnAxis, 4> onAxes;
  llvm::SmallVector<std::array<int64_t, 3>, 8> free; ///< first value, end, step
  int64_t held = 0;                                  ///< from a tile to the one before
  bool holds = false;
  int64_t low = 0;  ///< least value of a tile at 0
  int64_t sizes[2]; ///< of a tile
};

void HopSums::collectLoops(const Mapping &mapping, const Crossing &crossing, const Window &window,
                           const Part &part, Loops &loops) const {
  auto [begin, end] = axesOf(crossing);
  loops.holds = part.holds;
  for (unsigned k = 0; k < 2; ++k) {
    unsigned dim = k == 0 ? window.first : window.second;
    int64_t coefficient = k == 0 ? window.a : window.b;
    int64_t size = space.nest.dims[dim].size, inside = 1;
    for (unsigned s = 0; s < crossing.end; ++s)
      size /= mapping.factor[s][dim];
    loops.sizes[k] = size;
    loops.low += std::min<int64_t>(0, coefficient * (size - 1));
    bool carries = part.carry == (k == 0 ? Carry::First : Carry::Second);
    for (unsigned s = crossing.end; s-- > 0;) {
      int64_t factor = mapping.factor[s][dim], step = coefficient * size * inside;
      if (factor == 1)
        continue;
      inside *= factor;
      if (s >= begin && s < end) {
        int32_t stride = 1;
        for (unsigned i = space.dims(); mapping.order[s][--i] != dim;)
          stride *= static_cast<int32_t>(mapping.factor[s][mapping.order[s][i]]);
        loops.onAxes.push_back({factor, step, stride, s > begin});
      } else if (!space.slots[s].isAxis && s >= part.prefix[k]) {
        loops.held += (factor - 1) * step;
      } else if (!space.slots[s].isAxis && carries) {
        loops.free.push_back({1, factor, step});
        loops.held -= step;
        carries = false;
      } else {
        loops.free.push_back({0, factor, step});
      }
    }
  }
}

void HopSums::findLanes(const Loops &loops) {
  lanes.assign(1, {0, 0, 0});
  for (const Loops::OnAxis &loop : loops.onAxes) {
    size_t before = lanes.size();
    for (int64_t i = 1; i < loop.factor; ++i)
      for (size_t l = 0; l < before; ++l) {
        Lane lane = lanes[l];
        lane.offset += i * loop.step;
        (loop.second ? lane.y : lane.x) += static_cast<int32_t>(i) * loop.stride;
        lanes.push_back(lane);
      }
  }
  std::sort(lanes.begin(), lanes.end(),
            [](const Lane &a, const Lane &b) { return std::tie(a.x, a.y) < std::tie(b.x, b.y); });
}

void HopSums::findOffsets(const Loops &loops) {
  offsets.assign(1, 0);
  for (auto [first, end, step] : loops.free) {
    size_t before = offsets.size();
    for (int64_t i = first + 1; i < end; ++i)
      for (size_t o = 0; o < before; ++o)
        offsets.push_back(offsets[o] + i * step);
    for (size_t o = 0; o < before; ++o)
      offsets[o] += first * step;
  }
  std::sort(offsets.begin(), offsets.end());
}

/// The lanes that need an element, as columns; `count` positions of the window have it.
void HopSums::addElement(Footprints &result, int64_t element, int64_t count, const Loops &loops) {
  auto has = [&](int64_t value) {
    value -= loops.low;
    return value >= 0 && value < int64_t(tile.size()) && tile[value];
  };
  auto first = static_cast<unsigned>(result.columns.size());
  for (const Lane &lane : lanes) {
    int64_t own = element - lane.offset;
    if (!has(own))
      continue;
    if (result.columns.size() == first || result.columns.back().x != lane.x)
      result.columns.push_back({lane.x, lane.y, lane.y, 0, 0, false});
    Column &column = result.columns.back();
    column.high = lane.y; // they come by growing y
    if (loops.holds && has(own - loops.held))
      continue;
    column.lackLow = column.lacks ? column.lackLow : lane.y;
    column.lackHigh = lane.y;
    column.lacks = true;
  }
  auto end = static_cast<unsigned>(result.columns.size());
  if (end == first)
    return;
  for (Footprint &other : result.list)
    if (other.end - other.first == end - first &&
        std::equal(&result.columns[first], &result.columns[0] + end,
                   &result.columns[other.first])) {
      other.count += count;
      result.columns.resize(first);
      return;
    }
  result.list.push_back({first, end, count});
}

HopSums::Footprints HopSums::compute(const Window &window, const Loops &loops) {
  findLanes(loops);
  findOffsets(loops);
  int64_t width =
      std::abs(window.a) * (loops.sizes[0] - 1) + std::abs(window.b) * (loops.sizes[1] - 1) + 1;
  tile.assign(width, 0);
  for (int64_t i = 0; i < loops.sizes[0]; ++i)
    for (int64_t k = 0; k < loops.sizes[1]; ++k)
      tile[window.a * i + window.b * k - loops.low] = 1;
  int64_t low = 0, high = 0;
  for (const Lane &lane : lanes) {
    low = std::min(low, lane.offset);
    high = std::max(high, lane.offset);
  }
  Footprints result;
  for (int64_t element = low + loops.low; element < high + loops.low + width; ++element) {
    auto count = static_cast<int64_t>(offsets.size());
    if (window.extent) {
      int64_t base = window.constant + element; // 0 <= base + offset < extent
      auto from = std::lower_bound(offsets.begin(), offsets.end(), -base);
      count = std::lower_bound(from, offsets.end(), *window.extent - base) - from;
    }
    if (count > 0)
      addElement(result, element, count, loops);
  }
  return result;
}

const HopSums::Footprints &HopSums::footprintsOf(const Mapping &mapping, const Crossing &crossing,
                                                 unsigned number, const Part &part) {
  const Window &window = space.tensors[crossing.tensor].windows[number];
  Loops loops;
  collectLoops(mapping, crossing, window, part, loops);
  auto pack = [](int64_t a, int64_t b) { return uint64_t(uint32_t(a)) << 32 | uint32_t(b); };
  key.clear();
  key.push_back(crossing.tensor | number << 8 | uint64_t(loops.holds) << 16 |
                uint64_t(loops.free.size()) << 20);
  key.push_back(pack(loops.sizes[0], loops.sizes[1]));
  key.push_back(static_cast<uint64_t>(loops.held));
  for (const auto &[first, end, step] : loops.free) {
    key.push_back(pack(first, end));
    key.push_back(static_cast<uint64_t>(step));
  }
  for (const Loops::OnAxis &loop : loops.onAxes) {
    key.push_back(pack(loop.factor, int64_t(loop.stride) << 1 | int64_t(loop.second)));
    key.push_back(static_cast<uint64_t>(loop.step));
  }
  bool isNew;
  double &at = known(key, isNew);
  if (isNew) {
    at = static_cast<double>(all.size());
    all.push_back(std::make_unique<Footprints>(compute(window, loops)));
    return *all.back();
  }
  return *all[static_cast<size_t>(at)];
}

//===-- Trees
//----------------------------------------------------------------------------------===//

void HopSums::setFrame(const Mapping &mapping, const Crossing &crossing) {
  const FlatTensor &tensor = space.tensors[crossing.tensor];
  auto [begin, end] = axesOf(crossing);
  frame.reach = 0;
  frame.columns = 1;
  int64_t counts[2] = {1, 1}, sums[2] = {0, 0}, lacking = 0;
  llvm::SmallVector<int64_t, 16> shifts{0}; // in y, of plain ranks
  for (unsigned s = begin; s < end; ++s) {
    int64_t stride = 1;
    for (unsigned i = space.dims(); i-- > 0;) {
      unsigned d = mapping.order[s][i];
      int64_t factor = mapping.factor[s][d];
      if (tensor.plain >> d & 1) {
        unsigned axis = s - begin;
        sums[axis] = sums[axis] * factor + counts[axis] * (factor * (factor - 1) / 2) * stride;
        counts[axis] *= factor;
        size_t before = shifts.size();
        for (int64_t v = 1; axis > 0 && v < factor; ++v)
          for (size_t k = 0; k < before; ++k)
            shifts.push_back(shifts[k] + v * stride);
      } else if (!(tensor.windowed >> d & 1)) {
        (s == begin ? frame.reach : lacking) += (factor - 1) * stride;
        frame.columns *= s == begin ? factor : 1;
      }
      stride *= factor;
    }
  }
  frame.settings = counts[0] * counts[1];
  frame.settingsReach = sums[0] * counts[1];
  int64_t size = end - begin > 1 ? space.slots[begin + 1].size : 1, middle = (size - 1) / 2;
  frame.above.assign(size, 0);
  frame.below.assign(size, 0);
  for (int64_t y = 0; y < size; ++y)
    for (int64_t shift : shifts) {
      frame.above[y] += counts[0] * std::max<int64_t>(0, y + shift + lacking - middle);
      frame.below[y] += counts[0] * std::max<int64_t>(0, middle - y - shift);
    }
}

int64_t HopSums::linksOf(const Footprints &a) const {
  int64_t total = 0;
  for (const Footprint &footprint : a.list) {
    int64_t farthest = -1, spans = 0;
    for (unsigned i = footprint.first; i < footprint.end; ++i) {
      const Column &column = a.columns[i];
      if (!column.lacks)
        continue;
      farthest = column.x;
      spans += frame.above[column.lackHigh] + frame.below[column.lackLow];
    }
    if (farthest >= 0)
      total += footprint.count * (frame.settings * (farthest + frame.reach) + frame.settingsReach +
                                  frame.columns * spans);
  }
  return total;
}

/// A lane lacks an element of both if it lacks that of either.
int64_t HopSums::linksOf(const Footprints &a, const Footprints &b) const {
  int64_t total = 0;
  for (const Footprint &first : a.list)
    for (const Footprint &second : b.list) {
      int64_t farthest = -1, spans = 0;
      for (unsigned i = first.first; i < first.end; ++i)
        for (unsigned k = second.first; k < second.end; ++k) {
          const Column &p = a.columns[i], &q = b.columns[k];
          if (!p.lacks && !q.lacks)
            continue;
          int32_t low = p.lacks ? p.lackLow + q.low : p.low + q.lackLow;
          int32_t high = p.lacks ? p.lackHigh + q.high : p.high + q.lackHigh;
          if (p.lacks && q.lacks) {
            low = std::min(low, p.low + q.lackLow);
            high = std::max(high, p.high + q.lackHigh);
          }
          farthest = std::max<int64_t>(farthest, p.x + q.x);
          spans += frame.above[high] + frame.below[low];
        }
      if (farthest >= 0)
        total += first.count * second.count *
                 (frame.settings * (farthest + frame.reach) + frame.settingsReach +
                  frame.columns * spans);
    }
  return total;
}

int64_t HopSums::links(const Mapping &mapping, const Crossing &crossing,
                       llvm::ArrayRef<Part> parts) {
  setFrame(mapping, crossing);
  const Footprints &first = footprintsOf(mapping, crossing, 0, parts[0]);
  if (parts.size() == 1)
    return linksOf(first);
  return linksOf(first, footprintsOf(mapping, crossing, 1, parts[1]));
}
