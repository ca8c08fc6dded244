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

/// Hops to a group: in at the middle of the left edge, along the row, then up and down each column
/// in use.
static double hopsTo(llvm::ArrayRef<int64_t> members, int64_t width, int64_t height) {
  double centre = static_cast<double>(height - 1) / 2;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 64> places; // column, row
  for (int64_t member : members)
    places.emplace_back(member % width, member / width);
  llvm::sort(places);
  double hops = static_cast<double>(places.back().first);
  for (size_t i = 0; i < places.size(); ++i) {
    double row = static_cast<double>(places[i].second);
    if (i == 0 || places[i - 1].first != places[i].first) // the first of its column
      hops += std::max(0.0, centre - row);
    if (i + 1 == places.size() || places[i + 1].first != places[i].first) // the last
      hops += std::max(0.0, row - centre);
  }
  return hops;
}

std::vector<unsigned> timeloop::orderByDistance(llvm::ArrayRef<Offset> offsets) {
  std::vector<unsigned> order(offsets.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::lexicographical_compare(offsets[a].begin(), offsets[a].end(), offsets[b].begin(),
                                        offsets[b].end());
  });
  return order;
}

Groups timeloop::groupChildren(const SpatialPattern &pattern, unsigned space, bool alone,
                               const std::vector<bool> &isLeftOut) {
  llvm::ArrayRef<Offset> offsets = pattern.offsets[space];
  llvm::ArrayRef<unsigned> order = pattern.order[space];
  std::map<int64_t, GroupSize> sizes;
  llvm::SmallVector<int64_t, 64> members;
  for (size_t first = 0, next = 0; first < order.size(); first = next) {
    members.clear();
    for (; next < order.size() &&
           (alone ? next == first : offsets[order[next]] == offsets[order[first]]);
         ++next)
      if (isLeftOut.empty() || !isLeftOut[order[next]])
        members.push_back(pattern.children[order[next]]);
    if (members.empty())
      continue;
    GroupSize &size = sizes[static_cast<int64_t>(members.size())];
    size.multicast = static_cast<int64_t>(members.size());
    ++size.groups;
    size.hops += hopsTo(members, pattern.width, pattern.height);
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
