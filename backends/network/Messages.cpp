// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/InNetwork.h"
#include "backends/network/PatternBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace perfc;
using namespace perfc::network;

uint32_t Messages::add(uint32_t from, uint32_t to, double bytes, llvm::ArrayRef<uint32_t> before,
                       uint32_t lane, Message::Way way) {
  Message message{from, to, bytes, static_cast<uint32_t>(needs.size()),
                  static_cast<uint32_t>(before.size())};
  message.lane = lane;
  message.way = way;
  needs.insert(needs.end(), before.begin(), before.end());
  list.push_back(message);
  return static_cast<uint32_t>(list.size() - 1);
}

size_t Messages::sent() const {
  return static_cast<size_t>(llvm::count_if(list, [](const Message &message) {
    return message.station == Message::none && message.way != Message::Way::Join;
  }));
}

std::vector<PatternLevel> network::patternLevels(llvm::ArrayRef<NetworkLevel> levels, double bytes,
                                                 bool isChunk) {
  std::vector<RootPattern> roots = rootPatterns(levels, bytes, isChunk);
  std::vector<PatternLevel> result;
  for (size_t i = 0; i < levels.size(); ++i)
    result.push_back({levels[i].members, levels[i].topology, static_cast<uint32_t>(levels[i].lanes),
                      roots[i], levels[i].activeChunks, levels[i].grid});
  for (size_t first = 0, end; first < levels.size(); first = end) {
    end = endOfGrid(levels, first);
    llvm::SmallVector<const NetworkLevel *, 3> dimensions;
    llvm::SmallVector<PatternLevel *, 3> patterns;
    for (size_t i = first; i < end; ++i)
      if (levels[i].members > 1) {
        dimensions.push_back(&levels[i]);
        patterns.push_back(&result[i]);
      }
    for (size_t i = 0; i < patterns.size(); ++i)
      patterns[i]->partsOfGrid = partsOfGrid(dimensions, i);
  }
  return result;
}

//===-- Chunks --===//

/// A place for each group of `level`, as soon as all of its ranks are there; "level" may be all of
/// them together, behind the last one.
void PatternBuilder::enter(size_t level) {
  if (messages.places.empty()) {
    uint32_t least = ~0u;
    for (const PatternLevel &each : levels) {
      auto active = static_cast<uint32_t>(each.activeChunks);
      messages.places.insert(messages.places.end(), ranks, active);
      least = each.members > 1 ? std::min(least, active) : least;
    }
    messages.places.insert(messages.places.end(), ranks, least);
  }
  Waits before(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (isIn(level, rank))
      llvm::append_range(before[firstOf(level, rank)], got[rank]);
  std::vector<uint32_t> entered(ranks);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (!isIn(level, rank))
      continue;
    uint32_t first = firstOf(level, rank);
    if (first == rank) {
      entered[rank] = messages.add(rank, rank, 0, before[rank], 0, Message::Way::Enter);
      messages.list.back().station = static_cast<uint32_t>(level) * ranks + rank;
    }
    got[rank] = {entered[first]};
  }
}

/// The place is free when all messages since `first` have arrived.
void PatternBuilder::leave(size_t level, size_t first) {
  Waits inside(ranks);
  for (size_t i = first; i < messages.list.size(); ++i)
    inside[firstOf(level, messages.list[i].from)].push_back(static_cast<uint32_t>(i));
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (isIn(level, rank) && firstOf(level, rank) == rank) {
      messages.add(rank, rank, 0, inside[rank], 0, Message::Way::Leave);
      messages.list.back().station = static_cast<uint32_t>(level) * ranks + rank;
    }
}

void PatternBuilder::stay(size_t level, llvm::function_ref<void()> body) {
  bool isWired = level == levels.size() || !dimensionsOf(level).empty();
  if (!isDivided || !isWired)
    return body();
  enter(level);
  size_t first = messages.list.size();
  body();
  leave(level, first);
}

//===-- Phases --===//

/// `part` bytes from one rank to another over all lanes of `level`.
void PatternBuilder::pass(size_t level, uint32_t from, uint32_t to, double part,
                          const std::vector<uint32_t> &before, std::vector<uint32_t> &after) {
  for (uint32_t lane = 0; lane < levels[level].lanes; ++lane)
    after.push_back(messages.add(from, to, part / levels[level].lanes, before, lane));
}

/// members - 1 steps of `part` bytes from each rank to its neighbour.
void PatternBuilder::ringPhase(size_t level, double part, bool backwards, Waits &next) {
  uint32_t count = members(level);
  Waits last = got;
  for (uint32_t step = 0; step + 1 < count; ++step) {
    Waits received(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      if (!isIn(level, rank))
        continue;
      uint32_t to = member(level, rank, (digit(level, rank) + (backwards ? count - 1 : 1)) % count);
      pass(level, rank, to, part, last[rank], received[to]);
    }
    last = std::move(received);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank)
    if (isIn(level, rank))
      llvm::append_range(next[rank], last[rank]);
}

/// Down a line of n both ways: a part that gathers goes from its rank to both ends; a sum comes
/// from both ends to its rank, step by step the other way around, that of the farthest rank first.
void PatternBuilder::linePhase(size_t level, double part, bool gathers, Waits &next) {
  uint32_t count = members(level);
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    if (!isIn(level, rank))
      continue;
    llvm::append_range(next[rank], got[rank]);
    if (digit(level, rank) != 0)
      continue;
    for (bool forward : {true, false}) {
      auto place = [&](uint32_t i) { return member(level, rank, forward ? i : count - 1 - i); };
      Waits last(count); // by the place that the part is of
      for (uint32_t step = 0; step + 1 < count; ++step)
        for (uint32_t from = 0; from + 1 < count; ++from) {
          uint32_t of = gathers ? from - step : count - 1 - step + from;
          if (of >= count) // nothing to pass on yet, or no more
            continue;
          std::vector<uint32_t> before = got[place(from)], after;
          llvm::append_range(before, last[of]);
          pass(level, place(from), place(from + 1), part, before, after);
          last[of] = after;
          if (gathers || from + 1 == of)
            llvm::append_range(next[place(from + 1)], after);
        }
    }
  }
}

/// Each rank passes `part` bytes to all others of its group on `level`, or gets as many from each.
void PatternBuilder::phase(size_t level, double part, bool gathers) {
  uint32_t count = members(level);
  if (count == 1)
    return;
  Waits next(ranks);
  if (levels[level].topology == Topology::InNetwork) {
    hubPhase(level, part, gathers, next);
  } else if (levels[level].topology == Topology::FullyConnected) {
    for (uint32_t rank = 0; rank < ranks; ++rank)
      for (uint32_t away = 1; isIn(level, rank) && away < count; ++away) {
        uint32_t to = member(level, rank, (digit(level, rank) + away) % count);
        pass(level, rank, to, part, got[rank], next[to]);
      }
  } else if (levels[level].topology == Topology::Line) {
    linePhase(level, part, gathers, next);
  } else {
    bool isRing = levels[level].topology == Topology::Ring && count > 2;
    ringPhase(level, isRing ? part / 2 : part, /*backwards=*/false, next);
    if (isRing)
      ringPhase(level, part / 2, /*backwards=*/true, next);
  }
  got = std::move(next);
}

std::vector<size_t> PatternBuilder::dimensionsOf(size_t first) const {
  std::vector<size_t> dimensions;
  for (size_t level = first; level < endOfGrid(levels, first); ++level)
    if (members(level) > 1)
      dimensions.push_back(level);
  return dimensions;
}

/// One half of an all_reduce on the dimensions of a grid: the buffer in as many shares, each of
/// which visits them in turn from another one on. A rank begins a phase when all of its shares have
/// ended the one before.
void PatternBuilder::gridHalf(size_t first, double whole, bool gathers) {
  std::vector<size_t> dimensions = dimensionsOf(first);
  size_t count = dimensions.size();
  for (size_t turn = 0; turn < count; ++turn) {
    size_t phases = gathers ? count - turn : turn + 1; // of the first half, up to this one
    Waits start = got, next(ranks);
    for (size_t share = 0; share < count; ++share) {
      double part = whole / levels[dimensions[share]].partsOfGrid;
      for (size_t i = 0; i < phases; ++i)
        part /= members(dimensions[(share + i) % count]);
      got = start;
      phase(dimensions[(share + phases - 1) % count], part, gathers);
      for (uint32_t rank = 0; rank < ranks; ++rank)
        llvm::append_range(next[rank], got[rank]);
    }
    got = std::move(next);
  }
}

/// Bytes of a rank after the reduce_scatter of the levels below `end`.
double PatternBuilder::shareBelow(size_t end) const {
  return bytes / (end < levels.size() ? below[end] : ranks);
}

void PatternBuilder::reduceScatter(size_t count) {
  for (size_t level = 0; level < count; level = endOfGrid(levels, level))
    stay(level, [&] { gridHalf(level, shareBelow(level), /*gathers=*/false); });
}

void PatternBuilder::allGather(size_t count) {
  std::vector<size_t> firsts;
  for (size_t level = 0; level < count; level = endOfGrid(levels, level))
    firsts.push_back(level);
  for (size_t level : llvm::reverse(firsts))
    stay(level, [&] { gridHalf(level, shareBelow(level), /*gathers=*/true); });
}

//===-- All to all --===//

/// One step: each rank sends to the one whose place differs by `offset`, level by level. Where a
/// switch joins, a step waits for the one before on its lane; links from chip to chip take all at
/// once.
void PatternBuilder::exchange(size_t level, uint32_t offset, const PairSizes *pairs, Waits &last,
                              uint32_t lane) {
  Waits next(ranks);
  bool waits = levels[level].topology == Topology::Switch;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    uint32_t to = rank;
    for (size_t i = 0; i < levels.size(); ++i)
      to = member(i, to, (digit(i, to) + offset / below[i]) % members(i));
    double part = pairs ? pairs->share(rank, to) * bytes : bytes / ranks;
    std::vector<uint32_t> before = waits ? last[rank] : got[rank];
    if (pairs && part == 0) { // nothing to send, and the next step starts when this one would
      next[rank].insert(next[rank].end(), before.begin(), before.end());
      continue;
    }
    uint32_t index = messages.add(rank, to, part, before, lane);
    next[rank].push_back(index);
    next[to].push_back(index);
  }
  if (waits)
    last = std::move(next);
}

void PatternBuilder::allToAll(const PairSizes *pairs) {
  std::vector<std::vector<Waits>> last; // by level and lane
  for (const PatternLevel &level : levels)
    last.emplace_back(level.lanes, got);
  std::vector<uint32_t> steps(levels.size(), 0);
  for (uint32_t offset = 1; offset < ranks; ++offset) {
    size_t level = levels.size() - 1; // where the two ranks meet
    while (offset < below[level])
      --level;
    uint32_t lane = steps[level]++ % levels[level].lanes;
    exchange(level, offset, pairs, last[level][lane], lane);
  }
}

//===-- Barrier and send --===//

/// Dissemination, level by level: in round k each rank tells the one 2^k further. On a line word
/// goes from rank to rank both ways.
void PatternBuilder::barrier() {
  for (size_t level = 0; level < levels.size(); ++level) {
    bool isLine = levels[level].topology == Topology::Line;
    bool isHub = levels[level].topology == Topology::InNetwork;
    if (isLine)
      phase(level, 0, /*gathers=*/true);
    if (isHub)
      hubReduce(level, 0);
    for (uint32_t away = 1; !isLine && !isHub && away < members(level); away *= 2) {
      Waits next(ranks);
      for (uint32_t rank = 0; rank < ranks; ++rank) {
        uint32_t to = member(level, rank, (digit(level, rank) + away) % members(level));
        next[to].push_back(messages.add(rank, to, 0, got[rank]));
      }
      got = std::move(next);
    }
  }
}

/// To the neighbour.
void PatternBuilder::send() {
  for (size_t level = 0; level < levels.size(); ++level)
    if (members(level) > 1) {
      messages.add(0, member(level, 0, 1), bytes, {});
      return;
    }
  messages.add(0, 0, bytes, {});
}

//===-- All --===//

/// How many messages there would be, about, those of all pairs once for each link on their way.
static double countOf(CollectiveKind kind, llvm::ArrayRef<PatternLevel> levels) {
  double ranks = 1, steps = 0, hops = 0;
  for (const PatternLevel &level : levels) {
    auto members = static_cast<double>(level.members);
    ranks *= members;
    steps += (2 * members + (level.topology == Topology::InNetwork ? hubPieces : 0)) * level.lanes;
    hops += level.topology == Topology::Ring   ? members / 4
            : level.topology == Topology::Line ? members / 3
                                               : 0;
  }
  bool isAllPairs = kind == CollectiveKind::AllToAll || kind == CollectiveKind::AllToAllV;
  return ranks * (isAllPairs ? ranks * std::max(1.0, hops) : 2 * steps);
}

void PatternBuilder::add(CollectiveKind kind, const PairSizes *pairs) {
  got.assign(ranks, {});
  switch (kind) {
  case CollectiveKind::ReduceScatter:
    return reduceScatter(levels.size());
  case CollectiveKind::AllReduce:
    return allReduce();
  case CollectiveKind::AllGather:
    return allGather(levels.size());
  case CollectiveKind::AllToAll:
  case CollectiveKind::AllToAllV:
    return stay(levels.size(), [&] { allToAll(pairs); });
  case CollectiveKind::Broadcast:
    return broadcast();
  case CollectiveKind::Reduce:
    return reduce();
  case CollectiveKind::Barrier:
    return barrier();
  case CollectiveKind::Send:
    return send();
  }
}

llvm::Optional<Messages> network::patternMessages(CollectiveKind kind,
                                                  llvm::ArrayRef<PatternLevel> levels, double bytes,
                                                  size_t most, const PairSizes *pairs,
                                                  const Chunking &chunking) {
  if (countOf(kind, levels) * static_cast<double>(chunking.count) > static_cast<double>(most))
    return llvm::None;
  PatternBuilder builder(levels, bytes, chunking);
  for (int64_t chunk = 0; chunk < chunking.count; ++chunk)
    builder.add(kind, pairs && !pairs->isUniform() ? pairs : nullptr);
  return std::move(builder.messages);
}
