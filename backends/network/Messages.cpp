// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Messages.h"

#include "llvm/Support/MathExtras.h"

using namespace perfc;
using namespace perfc::network;

uint32_t Messages::add(uint32_t from, uint32_t to, double bytes, llvm::ArrayRef<uint32_t> before) {
  Message message{from, to, bytes, static_cast<uint32_t>(needs.size()),
                  static_cast<uint32_t>(before.size())};
  needs.insert(needs.end(), before.begin(), before.end());
  list.push_back(message);
  return static_cast<uint32_t>(list.size() - 1);
}

namespace {

/// Builds messages phase by phase; each rank starts a phase with what it got last in the one
/// before.
class PatternBuilder {
public:
  PatternBuilder(llvm::ArrayRef<PatternLevel> levels, double bytes) : levels(levels), bytes(bytes) {
    for (const PatternLevel &level : levels)
      ranks *= static_cast<uint32_t>(level.members);
    got.resize(ranks);
  }

  void reduceScatter();
  void allGather();
  void direct();
  void chain(bool towardsFirst);
  void barrier();
  void send() { messages.add(0, ranks > 1 ? 1 : 0, bytes, {}); }

  uint32_t ranks = 1;
  Messages messages;

private:
  void phase(size_t level, double part);
  void ringPhase(uint32_t below, uint32_t members, double part, bool backwards,
                 std::vector<std::vector<uint32_t>> &next);

  llvm::ArrayRef<PatternLevel> levels;
  double bytes;
  std::vector<std::vector<uint32_t>> got; ///< messages that a rank waits for
};

} // namespace

/// members - 1 steps of `part` bytes from each rank to its neighbour.
void PatternBuilder::ringPhase(uint32_t below, uint32_t members, double part, bool backwards,
                               std::vector<std::vector<uint32_t>> &next) {
  std::vector<std::vector<uint32_t>> last = got;
  for (uint32_t step = 0; step + 1 < members; ++step) {
    std::vector<std::vector<uint32_t>> received(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank) {
      uint32_t digit = rank / below % members;
      uint32_t other = backwards ? (digit + members - 1) % members : (digit + 1) % members;
      uint32_t to = rank - digit * below + other * below;
      received[to].push_back(messages.add(rank, to, part, last[rank]));
    }
    last = std::move(received);
  }
  for (uint32_t rank = 0; rank < ranks; ++rank)
    next[rank].insert(next[rank].end(), last[rank].begin(), last[rank].end());
}

void PatternBuilder::phase(size_t level, double part) {
  uint32_t below = 1;
  for (size_t i = 0; i < level; ++i)
    below *= static_cast<uint32_t>(levels[i].members);
  auto members = static_cast<uint32_t>(levels[level].members);
  if (members == 1)
    return;
  std::vector<std::vector<uint32_t>> next(ranks);
  if (levels[level].topology == Topology::FullyConnected) {
    for (uint32_t rank = 0; rank < ranks; ++rank)
      for (uint32_t away = 1; away < members; ++away) {
        uint32_t digit = rank / below % members;
        uint32_t to = rank - digit * below + (digit + away) % members * below;
        next[to].push_back(messages.add(rank, to, part, got[rank]));
      }
  } else if (levels[level].topology == Topology::Ring && members > 2) {
    ringPhase(below, members, part / 2, /*backwards=*/false, next);
    ringPhase(below, members, part / 2, /*backwards=*/true, next);
  } else {
    ringPhase(below, members, part, /*backwards=*/false, next);
  }
  got = std::move(next);
}

void PatternBuilder::reduceScatter() {
  double part = bytes;
  for (size_t level = 0; level < levels.size(); ++level)
    phase(level, part /= static_cast<double>(levels[level].members));
}

void PatternBuilder::allGather() {
  double part = bytes / ranks;
  for (size_t level = levels.size(); level-- > 0;) {
    phase(level, part);
    part *= static_cast<double>(levels[level].members);
  }
}

void PatternBuilder::direct() {
  for (uint32_t away = 1; away < ranks; ++away)
    for (uint32_t rank = 0; rank < ranks; ++rank)
      messages.add(rank, (rank + away) % ranks, bytes / ranks, {});
}

/// Down the line of ranks in pieces that follow each other.
void PatternBuilder::chain(bool towardsFirst) {
  constexpr uint32_t pieces = 8;
  for (uint32_t piece = 0; piece < pieces; ++piece) {
    std::vector<uint32_t> before;
    for (uint32_t i = 0; i + 1 < ranks; ++i) {
      uint32_t from = towardsFirst ? ranks - 1 - i : i, to = towardsFirst ? from - 1 : i + 1;
      before = {messages.add(from, to, bytes / pieces, before)};
    }
  }
}

/// Dissemination: in round k each rank tells the one 2^k further.
void PatternBuilder::barrier() {
  for (uint32_t away = 1; away < ranks; away *= 2) {
    std::vector<std::vector<uint32_t>> next(ranks);
    for (uint32_t rank = 0; rank < ranks; ++rank)
      next[(rank + away) % ranks].push_back(
          messages.add(rank, (rank + away) % ranks, 0, got[rank]));
    got = std::move(next);
  }
}

/// How many messages there would be, about.
static double countOf(CollectiveKind kind, llvm::ArrayRef<PatternLevel> levels) {
  double ranks = 1, steps = 0;
  for (const PatternLevel &level : levels) {
    ranks *= static_cast<double>(level.members);
    steps += 2 * static_cast<double>(level.members);
  }
  return ranks * (kind == CollectiveKind::AllToAll ? ranks : 2 * steps);
}

llvm::Optional<Messages> network::patternMessages(CollectiveKind kind,
                                                  llvm::ArrayRef<PatternLevel> levels, double bytes,
                                                  size_t most) {
  if (countOf(kind, levels) > static_cast<double>(most))
    return llvm::None;
  PatternBuilder builder(levels, bytes);
  switch (kind) {
  case CollectiveKind::AllReduce:
    builder.reduceScatter();
    builder.allGather();
    break;
  case CollectiveKind::ReduceScatter:
    builder.reduceScatter();
    break;
  case CollectiveKind::AllGather:
    builder.allGather();
    break;
  case CollectiveKind::AllToAll:
    builder.direct();
    break;
  case CollectiveKind::Broadcast:
    builder.chain(/*towardsFirst=*/false);
    break;
  case CollectiveKind::Reduce:
    builder.chain(/*towardsFirst=*/true);
    break;
  case CollectiveKind::Barrier:
    builder.barrier();
    break;
  case CollectiveKind::Send:
    builder.send();
    break;
  }
  return std::move(builder.messages);
}
