// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The levels that a group of ranks meets on, of those of the whole system.
#include "backends/network/NetworkLevels.h"

using namespace perfc;
using namespace perfc::network;

/// `level` for `members` of its members, each `step` further than the one before. Groups beside
/// this one use the links in between.
static NetworkLevel partOf(NetworkLevel level, int64_t members, int64_t step) {
  auto whole = static_cast<double>(level.members);
  bool isRound = level.topology == Topology::Ring && members * step == level.members && members > 2;
  if (members == 1 || (members == level.members && step == 1)) {
    level.members = members;
    return level;
  }
  if (level.topology == Topology::FullyConnected && level.bandwidth)
    level.bandwidth =
        *level.bandwidth * Uncertain((static_cast<double>(members) - 1) / (whole - 1));
  if (level.topology == Topology::Ring || level.topology == Topology::Line) {
    // Two opposite ranks of a ring may go either way.
    bool wasRing = level.topology == Topology::Ring,
         areOpposite = wasRing && 2 * step == level.members;
    level.topology = isRound ? Topology::Ring : Topology::Line;
    level.latency = level.latency * Uncertain(static_cast<double>(step));
    level.ringLoad = level.pairsLoad =
        std::max(1.0, static_cast<double>(areOpposite ? step / 2 : step));
    // Between the ends of more than half of a ring the shorter way leads around.
    if (!isRound && wasRing && 2 * (members - 1) * step > level.members)
      level.pairsLoad /= 2;
    if (step > 1)
      level.approximation = fmt::format("groups of ranks that stand {} apart share the links of "
                                        "`{}`",
                                        step, level.name);
  }
  level.members = members;
  return level;
}

/// The stretch of `dim` between groups of `below` ranks and those of `up`: members and how far they
/// stand apart. One member where it does not meet there, none where it does not divide.
static GroupDim stretchOf(const GroupDim &dim, int64_t below, int64_t up) {
  int64_t reach = dim.ranks * dim.stride, from = std::max(dim.stride, below);
  int64_t to = std::min(reach, up);
  if (from >= to)
    return {1, from};
  if (up % from != 0 || from % below != 0 || to % from != 0 || reach % to != 0)
    return {0, from};
  return {to / from, from};
}

/// Where switches join the members it does not matter which of them a group has: dimensions that
/// meet there are one level.
static bool joinsDimensions(const NetworkLevel &level, llvm::ArrayRef<GroupDim> dims, int64_t below,
                            int64_t up, int64_t &members) {
  int64_t stretches = 0;
  members = 1;
  for (const GroupDim &dim : dims) {
    int64_t own = stretchOf(dim, below, up).ranks;
    members *= own;
    stretches += own > 1;
  }
  return stretches > 1 &&
         (level.topology == Topology::Switch || level.topology == Topology::FullyConnected);
}

llvm::Optional<NetworkLevels> network::levelsOfGroup(const NetworkLevels &network,
                                                     llvm::ArrayRef<GroupDim> dims) {
  NetworkLevels result;
  result.notes = network.notes;
  int64_t below = 1, left = 1, inner = 1;
  const NetworkLevel *wholeOfLast = nullptr; // that of the last one of the result
  for (const GroupDim &dim : dims)
    left *= dim.ranks;
  for (const NetworkLevel &level : network.levels) {
    int64_t up = below * level.members, joined = 1;
    bool isJoined = joinsDimensions(level, dims, below, up, joined);
    for (const GroupDim &dim : dims) {
      // Ranks of the group that stand in one member of this level are apart by the dimension's
      // stride, those of different members meet here.
      auto [members, step] = stretchOf(dim, below, up);
      if (members == 0)
        return llvm::None;
      if (members == 1)
        continue;
      left /= members;
      result.enclosing = up;
      if (isJoined && joined == 1)
        continue; // with the dimension before
      result.levels.push_back(partOf(level, isJoined ? joined : members, step / below));
      NetworkLevel &part = result.levels.back();
      // Two parts of one ring share its links: they follow each other.
      if (wholeOfLast == &level)
        part.grid = result.levels.end()[-2].grid = 0;
      wholeOfLast = &level;
      bool isShared = level.shared.kind != SharedLinks::Kind::None;
      if (isJoined && isShared) {
        part.approximation = "groups of ranks share links of `" + level.name + "`";
        part.ringLoad = part.pairsLoad = 1;
      } else if (level.topology == Topology::Switch) {
        part.ringLoad = level.shared.ofRing(members, step);
        part.pairsLoad = inner == step ? level.shared.ofAllToAll(members, step) : 1;
      }
      inner *= isJoined ? joined : members;
      joined = 1;
    }
    below = up;
  }
  if (left != 1)
    return llvm::None;
  return result;
}
