// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/AstraNetworks.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::emit;
using network::CollectiveKind;
using network::NetworkLevel;

/// The levels on which ranks `from` and `to` stand at different positions.
static std::vector<size_t> crossedLevels(llvm::ArrayRef<NetworkLevel> levels, int64_t from,
                                         int64_t to) {
  std::vector<size_t> crossed;
  for (size_t i = 0; i < levels.size(); ++i) {
    if (from % levels[i].members != to % levels[i].members)
      crossed.push_back(i);
    from /= levels[i].members;
    to /= levels[i].members;
  }
  return crossed;
}

int64_t emit::activeChunks(llvm::ArrayRef<NetworkLevel> levels) {
  int64_t active = levels.front().activeChunks;
  for (const NetworkLevel &level : levels)
    active = std::min(active, level.activeChunks);
  return active;
}

/// By level: whether a collective crosses it.
static std::vector<bool> usedLevels(llvm::ArrayRef<NetworkLevel> levels,
                                    const Exchanges &exchanges) {
  std::vector<bool> used(levels.size(), !exchanges.areKnown);
  int64_t all = 1;
  for (const NetworkLevel &level : levels)
    all *= level.members;
  for (const CollectiveUse &use : exchanges.uses) {
    for (int64_t rank = 0; rank < all; ++rank)
      for (int64_t member : use.place.groupFrom(rank)) // none but for first ranks of groups
        for (size_t level : crossedLevels(levels, rank, member))
          used[level] = true;
  }
  return used;
}

std::vector<std::pair<std::string, std::string>>
emit::networkDifferences(llvm::ArrayRef<NetworkLevel> levels, const Exchanges &exchanges,
                         int64_t chunks) {
  std::vector<std::pair<std::string, std::string>> differences;
  auto add = [&](const NetworkLevel &level, std::string text) {
    std::pair<std::string, std::string> entry{level.name, std::move(text)};
    if (!llvm::is_contained(differences, entry)) // dimensions of one network
      differences.push_back(std::move(entry));
  };
  std::vector<bool> cut = usedLevels(levels, exchanges);
  int64_t written = std::min(activeChunks(levels), chunks);
  for (size_t i = 0; i < levels.size(); ++i) {
    int64_t active = std::min(levels[i].activeChunks, chunks);
    if (cut[i] && active > written)
      add(levels[i], fmt::format("{} chunks are active at a time, {} there, the least of all "
                                 "networks",
                                 active, written));
    else if (cut[i] && active > 1)
      add(levels[i],
          fmt::format("{} chunks are active at a time, each at the full bandwidth there", active));
  }
  return differences;
}
