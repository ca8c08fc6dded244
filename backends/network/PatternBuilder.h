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
  PatternBuilder(llvm::ArrayRef<PatternLevel> levels, double bytes) : levels(levels), bytes(bytes) {
    for (const PatternLevel &level : levels) {
      below.push_back(ranks);
      ranks *= static_cast<uint32_t>(level.members);
    }
    got.resize(ranks);
  }

  /// The two halves of an all_reduce over the innermost `count` levels.
  void reduceScatter(size_t count);
  void allGather(size_t count);
  void allReduce();
  void allToAll(const PairSizes *pairs);
  void broadcast();
  void reduce();
  void barrier();
  void send();

  uint32_t ranks = 1;
  Messages messages;

private:
  /// The rank of the same group of `level` that is member `digit` there.
  uint32_t member(size_t level, uint32_t rank, uint32_t digit) const {
    return rank + (digit - this->digit(level, rank)) * below[level];
  }
  uint32_t digit(size_t level, uint32_t rank) const { return rank / below[level] % members(level); }
  uint32_t members(size_t level) const { return static_cast<uint32_t>(levels[level].members); }

  void pass(size_t level, uint32_t from, uint32_t to, double part,
            const std::vector<uint32_t> &before, std::vector<uint32_t> &after);
  void phase(size_t level, double part, bool gathers, uint32_t every = 1);
  void ringPhase(size_t level, double part, bool backwards, uint32_t every, Waits &next);
  void linePhase(size_t level, double part, bool gathers, uint32_t every, Waits &next);
  void tree(size_t level, uint32_t root, bool down);
  void star(size_t level, uint32_t root, double part, bool down);
  void chain(size_t level, uint32_t root, bool down);
  void hubPhase(size_t level, double part, bool gathers, Waits &next);
  void hubReduce(size_t level, double buffer);
  void hubRoot(size_t level, uint32_t root, bool down);
  void exchange(size_t level, uint32_t offset, const PairSizes *pairs, Waits &last, uint32_t lane);

  llvm::ArrayRef<PatternLevel> levels;
  std::vector<uint32_t> below; ///< ranks of a member of each level
  double bytes;
  Waits got;
};

} // namespace network
} // namespace perfc

#endif // PERFC_BACKENDS_NETWORK_PATTERNBUILDER_H
