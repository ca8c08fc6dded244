// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The default messages of a collective, phase by phase (Messages.h). Rings, lines, trees and all
// pairs are in Messages.cpp, switches that add and copy in InNetwork.cpp.
#ifndef PERFC_BACKENDS_NETWORK_PATTERNBUILDER_H
#define PERFC_BACKENDS_NETWORK_PATTERNBUILDER_H

#include "backends/network/Messages.h"

namespace perfc {
namespace network {

using Waits = std::vector<std::vector<uint32_t>>; ///< messages that each rank waits for

/// Builds messages phase by phase; each rank starts a phase with what it got last in the one
/// before.
class PatternBuilder {
public:
  PatternBuilder(llvm::ArrayRef<PatternLevel> levels, double bytes, const Chunking &chunking)
      : levels(levels), bytes(bytes / static_cast<double>(chunking.count)),
        isDivided(chunking.count > 1) {
    for (const PatternLevel &level : levels) {
      below.push_back(ranks);
      ranks *= static_cast<uint32_t>(level.members);
    }
    wide = ranks;
    messages.takesLatest = chunking.takesLatest;
  }

  /// The messages of the next chunk.
  void add(CollectiveKind kind, const PairSizes *pairs);

  uint32_t ranks = 1;
  Messages messages;

private:
  /// The two halves of an all_reduce over the innermost `count` levels.
  void reduceScatter(size_t count);
  void allGather(size_t count);
  void allReduce();
  void allToAll(const PairSizes *pairs);
  void broadcast();
  void reduce();
  void barrier();
  void send();

  /// The rank of the same group of `level` that is member `digit` there.
  uint32_t member(size_t level, uint32_t rank, uint32_t digit) const {
    return rank + (digit - this->digit(level, rank)) * below[level];
  }
  uint32_t digit(size_t level, uint32_t rank) const { return rank / below[level] % members(level); }
  uint32_t members(size_t level) const { return static_cast<uint32_t>(levels[level].members); }

  /// The levels with several members of the grid that begins with `first`.
  std::vector<size_t> dimensionsOf(size_t first) const;
  void gridHalf(size_t first, double whole, bool gathers);
  void join(uint32_t count);
  void gridStar(size_t first, bool down);
  double shareBelow(size_t end) const;

  /// What `body` adds are the messages of a chunk in `level` and the other dimensions of its grid,
  /// of each group by itself.
  void stay(size_t level, llvm::function_ref<void()> body);
  void enter(size_t level);
  void leave(size_t level, size_t first);
  /// The first rank of the group of `level`, the first dimension of a grid, that `rank` is in.
  uint32_t firstOf(size_t level, uint32_t rank) const {
    if (level == levels.size())
      return 0;
    for (size_t end = endOfGrid(levels, level); level < end; ++level)
      rank = member(level, rank, 0);
    return rank;
  }

  void pass(size_t level, uint32_t from, uint32_t to, double part,
            const std::vector<uint32_t> &before, std::vector<uint32_t> &after);
  void phase(size_t level, double part, bool gathers);
  void ringPhase(size_t level, double part, bool backwards, Waits &next);
  void linePhase(size_t level, double part, bool gathers, Waits &next);
  /// True when `rank` takes part in what happens on `level`: of each of its members, the first
  /// `wide` ranks do.
  bool isIn(size_t level, uint32_t rank) const {
    return level == levels.size() || rank % below[level] < wide;
  }
  size_t spreadLevels() const;
  void rootGroup(size_t count, bool down);
  void onParts(size_t spread, llvm::function_ref<void()> body);
  void roots(size_t level, bool down);
  void tree(size_t level, uint32_t root, bool down);
  void star(size_t level, uint32_t root, double part, bool down);
  void chain(size_t level, uint32_t root, bool down);
  void hubPhase(size_t level, double part, bool gathers, Waits &next);
  void hubReduce(size_t level, double buffer);
  void hubRoot(size_t level, uint32_t root, bool down);
  void exchange(size_t level, uint32_t offset, const PairSizes *pairs, Waits &last, uint32_t lane);

  llvm::ArrayRef<PatternLevel> levels;
  std::vector<uint32_t> below; ///< ranks of a member of each level
  double bytes;                ///< of a chunk
  bool isDivided;              ///< into several
  uint32_t wide;               ///< ranks of each member that take part
  Waits got;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_PATTERNBUILDER_H
