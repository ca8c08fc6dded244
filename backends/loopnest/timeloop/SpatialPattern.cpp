// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/SpatialPattern.h"

#include "llvm/ADT/STLExtras.h"
#include <map>
#include <numeric>

using namespace perfc;
using namespace perfc::timeloop;

int64_t SpatialPattern::find(int64_t number) const {
  size_t dense = static_cast<size_t>(number); // as most arrays are: child k stands at k
  if (dense < children.size() && children[dense] == number)
    return number;
  auto place = std::lower_bound(children.begin(), children.end(), number);
  return place != children.end() && *place == number ? place - children.begin() : -1;
}

namespace {

/// Hops to groups of children: in at the middle of the left edge, along the row, then up and down
/// each column in use.
class HopCounter {
public:
  HopCounter(int64_t width, int64_t height)
      : width(static_cast<uint32_t>(width)), centre(static_cast<double>(height - 1) / 2),
        rows(static_cast<size_t>(width), {none, none}) {}

  /// `members` ascend.
  double hopsTo(llvm::ArrayRef<int64_t> members) {
    columns.clear();
    for (int64_t number : members) {
      auto member = static_cast<uint32_t>(number); // children are few
      uint32_t row = member / width, column = member % width;
      auto &[first, last] = rows[column];
      last = row;
      if (first != none)
        continue;
      first = row;
      columns.push_back(column);
    }
    double hops = 0;
    for (uint32_t column : columns) {
      auto &[first, last] = rows[column];
      hops += std::max(0.0, centre - static_cast<double>(first));
      hops += std::max(0.0, static_cast<double>(last) - centre);
      first = last = none;
    }
    return hops + static_cast<double>(*std::max_element(columns.begin(), columns.end()));
  }

private:
  static constexpr uint32_t none = ~uint32_t(0);
  uint32_t width;
  double centre;
  std::vector<std::pair<uint32_t, uint32_t>> rows; ///< by column: the first in use and the last
  std::vector<uint32_t> columns;
};

} // namespace

/// Most numbers that distances are sorted by at once, beside how many children there are.
static constexpr int64_t sparsest = 4;

std::vector<unsigned> Distances::grouped(std::vector<bool> &isFirst) const {
  size_t children = isFirst.size();
  std::vector<unsigned> order(children);
  std::iota(order.begin(), order.end(), 0);
  // Rank by rank, the last one first: sorting by the first keeps what was sorted before.
  std::vector<unsigned> sorted(children);
  std::vector<size_t> counts;
  for (size_t rank = ranks; rank-- > 0;) {
    auto value = [&](unsigned child) { return values[child * ranks + rank]; };
    int64_t low = INT64_MAX, high = INT64_MIN;
    for (unsigned child = 0; child < children; ++child) {
      low = std::min(low, value(child));
      high = std::max(high, value(child));
    }
    if (low >= high)
      continue;
    if ((high - low) / sparsest > static_cast<int64_t>(children)) {
      llvm::stable_sort(order, [&](unsigned a, unsigned b) { return value(a) < value(b); });
      continue;
    }
    counts.assign(static_cast<size_t>(high - low) + 2, 0);
    for (unsigned child = 0; child < children; ++child)
      ++counts[static_cast<size_t>(value(child) - low) + 1];
    std::partial_sum(counts.begin(), counts.end(), counts.begin());
    for (unsigned child : order)
      sorted[counts[static_cast<size_t>(value(child) - low)]++] = child;
    order.swap(sorted);
  }
  for (size_t i = 0; i < children; ++i)
    isFirst[i] = i == 0 || of(order[i]) != of(order[i - 1]);
  return order;
}

Groups timeloop::groupChildren(const SpatialPattern &pattern, unsigned space, bool alone,
                               const std::vector<bool> &isLeftOut) {
  llvm::ArrayRef<unsigned> order = pattern.order[space];
  const std::vector<bool> &begins = pattern.begins[space];
  std::map<int64_t, GroupSize> sizes;
  GroupSize *size = nullptr; // the last one: most groups are alike
  HopCounter hops(pattern.width, pattern.height);
  llvm::SmallVector<int64_t, 64> members;
  for (size_t first = 0, next = 0; first < order.size(); first = next) {
    members.clear();
    do {
      if (isLeftOut.empty() || !isLeftOut[order[next]])
        members.push_back(pattern.children[order[next]]);
      ++next;
    } while (next < order.size() && !alone && !begins[next]);
    if (members.empty())
      continue;
    auto multicast = static_cast<int64_t>(members.size());
    if (!size || size->multicast != multicast)
      size = &sizes[multicast];
    size->multicast = multicast;
    ++size->groups;
    size->hops += hops.hopsTo(members);
  }
  Groups result;
  for (const auto &[multicast, size] : sizes)
    result.push_back(size);
  return result;
}

std::vector<bool> timeloop::linkedChildren(const SpatialPattern &pattern,
                                           const SpatialPattern &previous, unsigned space,
                                           const Offset &shift) {
  int64_t width = pattern.width, height = pattern.height;
  const Distances &now = pattern.offsets[space], &before = previous.offsets[space];
  std::vector<bool> linked(pattern.children.size(), false);
  for (size_t i = 0; i < linked.size(); ++i) {
    int64_t number = pattern.children[i], row = number / width, column = number % width;
    auto holds = [&](bool exists, int64_t neighbour) {
      int64_t other = exists ? previous.find(neighbour) : -1;
      if (other < 0)
        return false;
      llvm::ArrayRef<int64_t> here = now.of(i), there = before.of(static_cast<size_t>(other));
      for (size_t rank = 0; rank < shift.size(); ++rank)
        if (here[rank] != there[rank] + shift[rank])
          return false;
      return true;
    };
    linked[i] = holds(row > 0, number - width) || holds(row < height - 1, number + width) ||
                holds(column > 0, number - 1) || holds(column < width - 1, number + 1);
  }
  return linked;
}
