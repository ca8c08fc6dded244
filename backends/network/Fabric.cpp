// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Fabric.h"

#include <numeric>

using namespace perfc;
using namespace perfc::network;

static constexpr uint32_t unreachable = ~0u;

std::string Fabric::linkName(uint32_t link) const {
  return names[allLinks[link].from] + " to " + names[allLinks[link].to];
}

SourceRange Fabric::faultBetween(uint32_t from, uint32_t to) const {
  for (uint32_t rank : {from, to})
    if (auto found = faultOfChip.find(rank); found != faultOfChip.end())
      return found->second;
  SourceRange first;
  for (const auto &[link, range] : faultOfLink) {
    const FabricLink &lost = allLinks[link];
    if (lost.to == to || lost.from == from)
      return range;
    first = first.isValid() ? first : range;
  }
  return first;
}

/// Links to `node` from everywhere over links of levels up to `level`, by breadth-first search.
const std::vector<uint32_t> &Fabric::distancesTo(uint32_t node, uint32_t level) {
  auto [entry, isNew] = distances.try_emplace({node, level});
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
      if (allLinks[link].isBroken || allLinks[link].level > level || result[from] != unreachable)
        continue;
      result[from] = result[queue[at]] + 1;
      queue.push_back(from);
    }
  return result;
}

uint32_t Fabric::lanes() {
  if (laneCount > 0)
    return laneCount;
  uint64_t result = 1;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> beside; // by where links lead, and their level
  for (const std::vector<uint32_t> &links : outgoing) {
    beside.clear();
    for (uint32_t link : links)
      if (!allLinks[link].isBroken)
        ++beside[{allLinks[link].to, allLinks[link].level}];
    for (const auto &[to, count] : beside)
      if (result = std::lcm(result, uint64_t(count)); result >= mostLanes)
        return laneCount = mostLanes;
  }
  return laneCount = static_cast<uint32_t>(result);
}

/// The `lane`-th of the links from `node` to where `link` leads.
uint32_t Fabric::beside(uint32_t node, uint32_t link, uint32_t lane) const {
  uint32_t parallel = 0;
  auto isBeside = [&](uint32_t other) {
    return allLinks[other].to == allLinks[link].to &&
           allLinks[other].level == allLinks[link].level && !allLinks[other].isBroken;
  };
  for (uint32_t other : outgoing[node])
    parallel += isBeside(other);
  uint32_t wanted = parallel > 1 ? lane % parallel : 0;
  for (uint32_t other : outgoing[node])
    if (isBeside(other) && wanted-- == 0)
      return other;
  return link;
}

/// The level of the smallest group with both ranks.
uint32_t Fabric::meetingLevel(uint32_t a, uint32_t b) const {
  if (a < rankCount && b < rankCount)
    for (uint32_t level = 0; level < groupOf.size(); ++level)
      if (groupOf[level][a] == groupOf[level][b] && groupOf[level][a] != unreachable)
        return level;
  return static_cast<uint32_t>(allLevels.size());
}

uint32_t Fabric::soleNeighbour(uint32_t node, uint32_t level) const {
  uint32_t link = unreachable;
  for (uint32_t other : incoming[node]) {
    if (allLinks[other].isBroken || allLinks[other].level > level)
      continue;
    if (link != unreachable && allLinks[other].from != allLinks[link].from)
      return unreachable;
    link = link == unreachable ? other : link;
  }
  return link;
}

/// The links from one rank to another over levels up to `level` as `path`; false when there is no
/// way.
bool Fabric::findPath(uint32_t from, uint32_t to, uint32_t level, uint32_t lane) {
  path.clear();
  // What hangs on one other node, as chips on a switch, needs no table of its own.
  uint32_t last = soleNeighbour(to, level);
  uint32_t end = last == unreachable ? to : allLinks[last].from;
  auto take = [&](uint32_t node, uint32_t link) {
    path.push_back(lane == 0 ? link : beside(node, link, lane));
  };
  const std::vector<uint32_t> &distance = distancesTo(end, level);
  if (distance[from] == unreachable)
    return false;
  for (uint32_t node = from; node != end;)
    for (uint32_t link : outgoing[node]) {
      uint32_t next = allLinks[link].to;
      if (allLinks[link].isBroken || allLinks[link].level > level ||
          distance[next] != distance[node] - 1)
        continue;
      take(node, link);
      node = next;
      break;
    }
  if (end != to)
    take(end, last);
  return true;
}

llvm::ArrayRef<uint32_t> Fabric::route(uint32_t from, uint32_t to, uint32_t lane) {
  if (!findPath(from, to, meetingLevel(from, to), lane))
    findPath(from, to, static_cast<uint32_t>(allLevels.size()), lane);
  return path;
}
