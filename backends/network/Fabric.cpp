// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Fabric.h"

using namespace perfc;
using namespace perfc::network;

static constexpr uint32_t unreachable = ~0u;

std::string Fabric::linkName(uint32_t link) const {
  return names[allLinks[link].from] + " to " + names[allLinks[link].to];
}

/// Links to `node` from everywhere, by breadth-first search.
const std::vector<uint32_t> &Fabric::distancesTo(uint32_t node) {
  auto [entry, isNew] = distances.try_emplace(node);
  std::vector<uint32_t> &result = entry->second;
  if (!isNew)
    return result;
  result.assign(names.size(), unreachable);
  result[node] = 0;
  std::vector<uint32_t> queue = {node};
  for (size_t at = 0; at < queue.size(); ++at)
    for (uint32_t link : incoming[queue[at]]) {
      uint32_t from = allLinks[link].from;
      // Chips other than the ends hand on only where they are wired to each other.
      if (allLinks[link].isBroken || result[from] != unreachable)
        continue;
      result[from] = result[queue[at]] + 1;
      queue.push_back(from);
    }
  return result;
}

llvm::ArrayRef<uint32_t> Fabric::route(uint32_t from, uint32_t to) {
  path.clear();
  const std::vector<uint32_t> &distance = distancesTo(to);
  if (distance[from] == unreachable)
    return path;
  for (uint32_t node = from; node != to;)
    for (uint32_t link : outgoing[node]) {
      uint32_t next = allLinks[link].to;
      if (allLinks[link].isBroken || distance[next] != distance[node] - 1)
        continue;
      path.push_back(link);
      node = next;
      break;
    }
  return path;
}
