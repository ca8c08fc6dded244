// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/AstraNetworks.h"

#include "backends/core/StepProgram.h"
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

std::vector<std::pair<int64_t, int64_t>> emit::sendsOfStep(const StepProgram &step) {
  std::vector<std::pair<int64_t, int64_t>> sends;
  auto stages = static_cast<int64_t>(step.stages.size());
  if (stages < 2)
    return sends;
  // What an interleaved schedule sends from the last stage to the first crosses no other level.
  int64_t stride = step.stageStride;
  for (int64_t rank = 0; rank < step.ranks; ++rank)
    if (rank / stride % stages + 1 < stages)
      sends.emplace_back(rank, rank + stride);
  return sends;
}

int64_t emit::activeChunks(llvm::ArrayRef<NetworkLevel> levels) {
  int64_t active = levels.front().activeChunks;
  for (const NetworkLevel &level : levels)
    active = std::min(active, level.activeChunks);
  return active;
}

/// By level: whether a collective of which `counts` is true crosses it.
static std::vector<bool> usedLevels(llvm::ArrayRef<NetworkLevel> levels, const Exchanges &exchanges,
                                    llvm::function_ref<bool(const CollectiveUse &)> counts) {
  std::vector<bool> used(levels.size(), !exchanges.areKnown);
  int64_t all = 1;
  for (const NetworkLevel &level : levels)
    all *= level.members;
  for (const CollectiveUse &use : exchanges.uses) {
    if (!counts(use))
      continue;
    for (int64_t rank = 0; rank < all; ++rank)
      for (int64_t member : use.place.groupFrom(rank)) // none but for first ranks of groups
        for (size_t level : crossedLevels(levels, rank, member))
          used[level] = true;
  }
  return used;
}

/// Whether `use` sends messages that take one adapter each. What networks do of themselves stripes
/// over all of them, and so does the ring of an all_reduce, which is the same.
static bool takesOneAdapter(const CollectiveUse &use) {
  if (use.kind == CollectiveKind::AllToAll)
    return true;
  bool isStriped = use.family == AlgorithmFamily::Wiring ||
                   use.family == AlgorithmFamily::InNetwork ||
                   (use.family == AlgorithmFamily::Ring && use.kind == CollectiveKind::AllReduce);
  return !isStriped;
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
  std::vector<bool> cut = usedLevels(levels, exchanges, [](const CollectiveUse &) { return true; });
  std::vector<bool> messages = usedLevels(levels, exchanges, takesOneAdapter);
  for (const auto &[from, to] : exchanges.sends)
    for (size_t level : crossedLevels(levels, from, to))
      messages[level] = true;
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
    if (messages[i] && levels[i].lanes > 1)
      add(levels[i], fmt::format("a message takes one of {} adapters, the bandwidth of all there",
                                 levels[i].lanes));
  }
  return differences;
}

std::string emit::crossingDifference(llvm::ArrayRef<NetworkLevel> levels,
                                     const Exchanges &exchanges) {
  for (const auto &[from, to] : exchanges.sends) {
    std::vector<size_t> crossed = crossedLevels(levels, from, to);
    if (crossed.size() > 1)
      return fmt::format("messages that cross several dimensions pay for one: rank {} to rank {} "
                         "for `{}`",
                         from, to, levels[crossed.front()].name);
  }
  return "";
}
