// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/chakra/Trace.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::chakra;

llvm::StringRef chakra::fieldName(Field field) {
  static constexpr llvm::StringLiteral names[fieldCount] = {
      "comm_type", "comm_size", "comm_tag", "comm_src", "comm_dst", "tensor_size", "num_ops"};
  return names[static_cast<unsigned>(field)];
}

void Trace::add(Node node, llvm::ArrayRef<uint64_t> dependencies) {
  nodes.push_back(node);
  llvm::append_range(dependencyIds, dependencies);
  dependencyEnds.push_back(dependencyIds.size());
}

std::vector<std::pair<uint32_t, uint32_t>> Trace::linkIds() {
  std::vector<uint32_t> order(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  auto byId = [&](uint32_t a, uint32_t b) { return nodes[a].id < nodes[b].id; };
  if (!std::is_sorted(order.begin(), order.end(), byId))
    std::stable_sort(order.begin(), order.end(), byId);
  std::vector<uint32_t> kept;
  kept.reserve(order.size());
  for (uint32_t added : order) {
    if (!kept.empty() && nodes[kept.back()].id == nodes[added].id) {
      duplicates.push_back(nodes[added].id);
      kept.back() = added; // the later one in the file replaces the earlier one
      continue;
    }
    kept.push_back(added);
  }
  std::vector<Node> sorted;
  sorted.reserve(kept.size());
  for (uint32_t added : kept)
    sorted.push_back(nodes[added]);
  nodes = std::move(sorted);

  std::vector<std::pair<uint32_t, uint32_t>> edges;
  edges.reserve(dependencyIds.size());
  std::vector<uint64_t> ids;
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    uint64_t begin = kept[node] ? dependencyEnds[kept[node] - 1] : 0;
    ids.assign(dependencyIds.begin() + begin, dependencyIds.begin() + dependencyEnds[kept[node]]);
    llvm::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (uint64_t id : ids) {
      auto at = llvm::partition_point(nodes, [&](const Node &other) { return other.id < id; });
      if (at == nodes.end() || at->id != id)
        missing.push_back({node, id});
      else
        edges.emplace_back(at - nodes.begin(), node);
    }
  }
  return edges;
}

void Trace::link() {
  std::vector<std::pair<uint32_t, uint32_t>> edges = linkIds();
  dependencyIds = {};
  dependencyEnds = {};
  parents.assign(nodes.size(), 0);
  childBegin.assign(nodes.size() + 1, 0);
  childList.resize(edges.size());
  for (const MissingNode &edge : missing)
    ++parents[edge.node];
  for (auto [parent, child] : edges) {
    ++parents[child];
    ++childBegin[parent + 1];
  }
  std::partial_sum(childBegin.begin(), childBegin.end(), childBegin.begin());
  std::vector<uint32_t> next(childBegin.begin(), childBegin.end() - 1);
  for (auto [parent, child] : edges)
    childList[next[parent]++] = child;
}

size_t Trace::dropMissing() {
  for (const MissingNode &edge : missing)
    --parents[edge.node];
  size_t count = missing.size();
  missing.clear();
  return count;
}

std::vector<uint32_t> Trace::unreachable() const {
  std::vector<uint32_t> left = parents, ready, stuck;
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (left[node] == 0)
      ready.push_back(node);
  while (!ready.empty()) {
    uint32_t node = ready.back();
    ready.pop_back();
    for (uint32_t child : children(node))
      if (--left[child] == 0)
        ready.push_back(child);
  }
  for (uint32_t node = 0; node < nodes.size(); ++node)
    if (left[node] != 0)
      stuck.push_back(node);
  return stuck;
}

std::vector<uint32_t> Trace::cycle() const {
  std::vector<uint32_t> stuck = unreachable();
  // A stuck node waits for a stuck node or a missing one: following the former ends in a cycle.
  std::vector<int64_t> waitsFor(nodes.size(), -1), seenAt(nodes.size(), -1);
  for (uint32_t node : stuck)
    for (uint32_t child : children(node))
      if (waitsFor[child] < 0)
        waitsFor[child] = node;
  for (uint32_t start : stuck) {
    std::vector<uint32_t> path;
    int64_t node = start;
    while (node >= 0 && seenAt[node] < 0) {
      seenAt[node] = static_cast<int64_t>(start);
      path.push_back(static_cast<uint32_t>(node));
      node = waitsFor[node];
    }
    auto begin = llvm::find(path, static_cast<uint32_t>(node));
    if (node >= 0 && begin != path.end())
      return {begin, path.end()};
  }
  return {};
}
