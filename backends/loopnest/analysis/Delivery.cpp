// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/analysis/Delivery.h"
#include <algorithm>
#include <map>

using namespace perfc;
using namespace perfc::loopnest;

int64_t loopnest::entryPosition(const FlatArray &array, unsigned axis) {
  return axis == 0 ? 0 : (array.place->axes[axis].size - 1) / 2;
}

Delivery::Delivery(const FlatNest &flat, unsigned above, unsigned below, unsigned tensor)
    : flat(flat), tensor(tensor), begin(flat.levels[above].parallel),
      end(flat.levels[below].parallel) {}

Delivery::Digits Delivery::digits(int64_t instance) const {
  Digits result(end - begin);
  for (unsigned i = end; i-- > begin;) {
    result[i - begin] = instance % flat.parallel[i].factor;
    instance /= flat.parallel[i].factor;
  }
  return result;
}

/// Children of one message under the declared network: equal where an axis does not share.
std::vector<std::vector<Delivery::Digits>> Delivery::split(llvm::ArrayRef<int64_t> children) const {
  std::map<std::vector<int64_t>, std::vector<Digits>> groups;
  for (int64_t child : children) {
    Digits all = digits(child);
    std::vector<int64_t> key;
    for (unsigned i = begin; i < end; ++i)
      if (!flat.shares(i, tensor))
        key.push_back(all[i - begin]);
    groups[key].push_back(std::move(all));
  }
  std::vector<std::vector<Digits>> result;
  for (auto &entry : groups)
    result.push_back(std::move(entry.second));
  return result;
}

NetworkCount Delivery::messages(llvm::ArrayRef<int64_t> children) const {
  return {1, int64_t(children.size()), int64_t(split(children).size())};
}

using Positions = std::vector<std::vector<int64_t>>;

/// Links of the tree that reaches `positions` (sorted, distinct) from `axis` on.
static int64_t treeLinks(const FlatArray &array, const Positions &positions, unsigned axis) {
  if (axis == array.place->axes.size())
    return 0;
  int64_t low = entryPosition(array, axis), high = low, links = 0;
  for (size_t i = 0; i < positions.size();) {
    Positions column;
    int64_t at = positions[i][axis];
    for (; i < positions.size() && positions[i][axis] == at; ++i)
      column.push_back(positions[i]);
    low = std::min(low, at);
    high = std::max(high, at);
    links += treeLinks(array, column, axis + 1);
  }
  return links + high - low;
}

/// Each copy of the array that a message reaches has a tree of its own.
int64_t Delivery::treesOf(unsigned index, llvm::ArrayRef<Digits> members) const {
  const FlatArray &array = flat.arrays[index];
  std::map<std::vector<int64_t>, Positions> copies;
  for (const Digits &member : members) {
    std::vector<int64_t> copy(member.begin(), member.begin() + (array.begin - begin));
    std::vector<int64_t> position(array.place->axes.size(), 0);
    for (unsigned i = array.begin; i < array.end; ++i)
      position[flat.parallel[i].axis] += member[i - begin] * flat.parallel[i].stride;
    copies[copy].push_back(std::move(position));
  }
  int64_t links = 0;
  for (auto &entry : copies) {
    Positions &positions = entry.second;
    std::sort(positions.begin(), positions.end());
    positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
    links += treeLinks(array, positions, 0);
  }
  return links;
}

void Delivery::addHops(llvm::ArrayRef<int64_t> children, std::vector<ArrayCounts> &arrays) const {
  std::vector<Digits> all;
  for (int64_t child : children)
    all.push_back(digits(child));
  std::vector<std::vector<Digits>> groups = split(children);
  for (unsigned a = 0; a < flat.arrays.size(); ++a) {
    if (flat.arrays[a].begin < begin || flat.arrays[a].end > end ||
        flat.arrays[a].begin == flat.arrays[a].end)
      continue;
    NetworkCount &hops = *arrays[a].hops[tensor];
    hops.shared += treesOf(a, all);
    for (const Digits &one : all)
      hops.separate += treesOf(a, one);
    for (const std::vector<Digits> &group : groups)
      hops.declared += treesOf(a, group);
  }
}
