// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/InNetwork.h"

#include "backends/network/PatternBuilder.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::network;

//===-- Who can
//---------------------------------------------------------------------------------===//

/// What switches do in a collective: add, copy.
static std::pair<bool, bool> needsOf(CollectiveKind kind) {
  switch (kind) {
  case CollectiveKind::AllReduce:
  case CollectiveKind::Barrier:
    return {true, true};
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::Reduce:
    return {true, false};
  case CollectiveKind::AllGather:
  case CollectiveKind::Broadcast:
    return {false, true};
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
  case CollectiveKind::Send:
    return {false, false};
  }
  return {false, false};
}

llvm::Optional<std::vector<NetworkLevel>>
network::levelsInNetwork(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                         std::string &reason) {
  auto [adds, copies] = needsOf(kind);
  if (!adds && !copies) {
    reason = "there is nothing to add or to copy on the way";
    return llvm::None;
  }
  std::vector<NetworkLevel> result = levels.vec();
  bool isAny = llvm::all_of(levels, [](const NetworkLevel &level) { return level.members <= 1; });
  for (NetworkLevel &level : result)
    if (level.members > 1 && (!adds || level.reduces) && (!copies || level.multicasts)) {
      level.topology = Topology::InNetwork;
      isAny = true;
    }
  if (isAny)
    return result;
  reason = fmt::format("no network between its ranks has {}{}{}", adds ? "`reduce`" : "",
                       adds && copies ? " and " : "", copies ? "`multicast`" : "");
  return llvm::None;
}

//===-- Messages
//--------------------------------------------------------------------------------===//

/// Sums: each rank sends the others' parts in, the next one's first, so that all are complete at
/// the same time; the switch sends each rank its own. Copies: each rank sends its part in, the
/// switch sends it to all others.
void PatternBuilder::hubPhase(size_t level, double part, bool gathers, Waits &next) {
  uint32_t count = members(level), lanes = levels[level].lanes;
  auto other = [&](uint32_t rank, uint32_t away) {
    return member(level, rank, (digit(level, rank) + away) % count);
  };
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    std::vector<std::vector<uint32_t>> sums(ranks); // what a rank's part is made of
    std::vector<uint32_t> sent(ranks);
    for (uint32_t away = 1; away < (gathers ? 2 : count); ++away)
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        uint32_t to = other(rank, away);
        sent[rank] = messages.add(rank, to, part / lanes, got[rank], lane, Message::Way::In);
        sums[to].push_back(sent[rank]);
      }
    for (uint32_t away = 1; away < (gathers ? count : 2); ++away)
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        uint32_t to = gathers ? other(rank, away) : rank, from = gathers ? rank : other(rank, 1);
        std::vector<uint32_t> before = gathers ? std::vector<uint32_t>{sent[rank]} : sums[rank];
        if (!gathers)
          llvm::append_range(before, got[rank]);
        next[to].push_back(messages.add(from, to, part / lanes, before, lane, Message::Way::Out));
      }
  }
}

/// Each piece of `buffer` bytes goes in from all ranks and, added up, out to all of them.
void PatternBuilder::hubReduce(size_t level, double buffer) {
  uint32_t count = members(level), pieces = buffer > 0 ? hubPieces : 1;
  uint32_t lanes = buffer > 0 ? levels[level].lanes : 1;
  if (count == 1)
    return;
  Waits next(ranks);
  for (uint32_t first = 0; first < ranks; ++first) {
    if (digit(level, first) != 0)
      continue;
    auto place = [&](uint32_t i) { return member(level, first, i % count); };
    for (uint32_t k = 0; k < pieces * lanes; ++k) {
      uint32_t lane = k % lanes;
      double piece = buffer / pieces / lanes;
      std::vector<uint32_t> sum;
      for (uint32_t i = 0; i < count; ++i)
        sum.push_back(
            messages.add(place(i), place(i + 1), piece, got[place(i)], lane, Message::Way::In));
      uint32_t added = messages.add(first, first, 0, sum);
      for (uint32_t i = 0; i < count; ++i) {
        uint32_t out = messages.add(place(i + 1), place(i), piece, added, lane, Message::Way::Out);
        if (k + lanes >= pieces * lanes) // the last ones
          next[place(i)].push_back(out);
      }
    }
  }
  got = std::move(next);
}

/// Pieces from the root to all other members, or their sums to it.
void PatternBuilder::hubRoot(size_t level, uint32_t root, bool down) {
  uint32_t count = members(level), lanes = levels[level].lanes;
  double piece = bytes / hubPieces / lanes;
  auto place = [&](uint32_t i) { return member(level, root, i); };
  Waits before = got;
  for (uint32_t k = 0; k < hubPieces * lanes; ++k) {
    uint32_t lane = k % lanes;
    bool isLast = k + lanes >= hubPieces * lanes;
    std::vector<uint32_t> in;
    for (uint32_t i = down ? 0 : 1; i < (down ? 1 : count); ++i)
      in.push_back(messages.add(place(i), place(down ? 1 : 0), piece, before[place(i)], lane,
                                Message::Way::In));
    if (!down)
      llvm::append_range(in, before[root]);
    for (uint32_t i = down ? 1 : 0; i < (down ? count : 1); ++i) {
      uint32_t out =
          messages.add(place(down ? 0 : 1), place(i), piece, in, lane, Message::Way::Out);
      if (isLast)
        got[place(i)].push_back(out);
    }
  }
}

/// Down to the last level's parts and back. Where that level's switches add and copy, both at once.
void PatternBuilder::allReduce() {
  size_t last = levels.size();
  while (last > 0 && levels[last - 1].members == 1)
    --last;
  if (last == 0)
    return;
  last = startOfGrid(levels, last - 1);
  double part = shareBelow(last);
  reduceScatter(last);
  stay(last, [&] {
    if (levels[last].topology == Topology::InNetwork)
      return hubReduce(last, part);
    for (bool gathers : {false, true})
      gridHalf(last, part, gathers);
  });
  allGather(last);
}
