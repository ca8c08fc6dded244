// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/SpatialPattern.h"

#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace perfc;
using namespace perfc::timeloop;

int64_t SpatialPattern::find(int64_t number) const {
  auto place = std::lower_bound(children.begin(), children.end(), number);
  return place != children.end() && *place == number ? place - children.begin() : -1;
}

/// Hops to a group: in at the middle of the left edge, along the row, then up and down each column
/// in use. `members` are ascending.
static double hopsTo(llvm::ArrayRef<int64_t> members, int64_t width, int64_t height) {
  double centre = static_cast<double>(height - 1) / 2;
  std::map<int64_t, std::pair<int64_t, int64_t>> columns;
  for (int64_t member : members) {
    int64_t column = member % width, row = member / width;
    auto [place, isNew] = columns.try_emplace(column, row, row);
    if (!isNew)
      place->second.second = row;
  }
  double hops = static_cast<double>(columns.rbegin()->first);
  for (const auto &[column, rows] : columns)
    hops += std::max(0.0, centre - static_cast<double>(rows.first)) +
            std::max(0.0, static_cast<double>(rows.second) - centre);
  return hops;
}

Groups timeloop::groupChildren(const SpatialPattern &pattern, unsigned space, bool alone,
                               const std::vector<bool> &isLeftOut) {
  const std::vector<Offset> &offsets = pattern.offsets[space];
  std::vector<unsigned> order;
  for (unsigned i = 0; i < offsets.size(); ++i)
    if (isLeftOut.empty() || !isLeftOut[i])
      order.push_back(i);
  auto less = [&](unsigned a, unsigned b) {
    return std::lexicographical_compare(offsets[a].begin(), offsets[a].end(), offsets[b].begin(),
                                        offsets[b].end());
  };
  if (!alone)
    llvm::stable_sort(order, less);
  std::map<int64_t, GroupSize> sizes;
  for (size_t first = 0; first < order.size();) {
    std::vector<int64_t> members;
    size_t last = first;
    do
      members.push_back(pattern.children[order[last++]]);
    while (!alone && last < order.size() && offsets[order[last]] == offsets[order[first]]);
    GroupSize &size = sizes[static_cast<int64_t>(members.size())];
    size.multicast = static_cast<int64_t>(members.size());
    ++size.groups;
    size.hops += hopsTo(members, pattern.width, pattern.height);
    first = last;
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
  const std::vector<Offset> &now = pattern.offsets[space], &before = previous.offsets[space];
  std::vector<bool> linked(now.size(), false);
  for (size_t i = 0; i < now.size(); ++i) {
    int64_t number = pattern.children[i], row = number / width, column = number % width;
    auto holds = [&](bool exists, int64_t neighbour) {
      int64_t other = exists ? previous.find(neighbour) : -1;
      if (other < 0)
        return false;
      for (size_t rank = 0; rank < shift.size(); ++rank)
        if (now[i][rank] != before[static_cast<size_t>(other)][rank] + shift[rank])
          return false;
      return true;
    };
    linked[i] = holds(row > 0, number - width) || holds(row < height - 1, number + width) ||
                holds(column > 0, number - 1) || holds(column < width - 1, number + 1);
  }
  return linked;
}
