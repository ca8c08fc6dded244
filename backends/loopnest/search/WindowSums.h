// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over the positions of a sliding window a*p + b*r, for perfect factors. At one level a tile
// is the set {a*i + b*k : i < tp, k < tr} shifted by a*p0 + b*r0. For the loops outside the level,
// those in the first slots of time are free, those further in are at their start:
//     all  = sum over free positions of |union over joint lanes|
//     kept = the same for the elements that every lane that needs them held in the epoch before,
//            when the loops further in were at their end (and one loop, if it carries, was one
//            less)
// Padding is left out of both. Results are remembered.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWSUMS_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWSUMS_H

#include "backends/loopnest/search/MapSpace.h"
#include <map>

namespace perfc {
namespace loopnest {

enum class Carry : uint8_t { None, First, Second };

/// What is asked of one window at one level.
struct WindowQuery {
  unsigned end;        ///< slots outside the level
  uint32_t joint;      ///< axis slots whose lanes one message serves
  uint8_t network;     ///< number of `joint` among those that are asked for at this level
  uint8_t firstPrefix; ///< slots whose loops of the first dimension are free
  uint8_t secondPrefix;
  Carry carry = Carry::None; ///< whose innermost free loop advances
  bool kept = false;
};

class WindowSums {
public:
  WindowSums(const MapSpace &space, const Window &window);
  /// Takes note of the factors that `mapping` has in `slot`; all that differ must be taken before
  /// the next `get`.
  void setSlot(const Mapping &mapping, unsigned slot) {
    unsigned shift = bitsPerSlot * slot;
    if (!packs)
      return;
    uint64_t digit = digitOf(mapping, slot);
    factors = (factors & ~(((uint64_t(1) << bitsPerSlot) - 1) << shift)) | digit << shift;
  }
  /// The sum for the mapping whose slots have been set.
  int64_t get(const Mapping &mapping, const WindowQuery &query) {
    uint64_t asked = query.end | uint64_t(query.firstPrefix) << 4 |
                     uint64_t(query.secondPrefix) << 8 | uint64_t(query.carry) << 12 |
                     uint64_t(query.kept) << 14 | uint64_t(query.network) << 15;
    uint64_t outside = packs ? factors & ((uint64_t(1) << bitsPerSlot * query.end) - 1)
                             : numberOf(mapping, query.end);
    Entry &last = recent[(asked * 0x9E3779B97F4A7C15ULL) >> (64 - recentBits)];
    uint64_t key = outside << queryBits | asked;
    if (last.value < 0 || last.key != key)
      last = find(mapping, query, key);
    return last.value;
  }

private:
  /// Bits of a key that say what is asked: four per number of slots, two for each choice of three.
  static constexpr unsigned queryBits = 17;
  static constexpr unsigned recentBits = 8;

  /// What a sum depends on: the factors of both dimensions outside the level, above the query.
  struct Entry {
    uint64_t key = 0;
    int64_t value = -1; ///< sums are never negative: an empty entry
  };
  /// One loop outside the level.
  struct Digit {
    int64_t factor, step;
    enum Role { Free, Joint, Restarts, Carries } role;
  };
  using Digits = llvm::SmallVector<Digit, maxSlots>;

  uint64_t digitOf(const Mapping &mapping, unsigned slot) const {
    return divisorIndex[0][mapping.factor[slot][window.first]] |
           uint64_t(divisorIndex[1][mapping.factor[slot][window.second]]) << firstBits;
  }
  uint64_t numberOf(const Mapping &mapping, unsigned end);
  Digits digits(const Mapping &mapping, const WindowQuery &query, unsigned dim, unsigned prefix,
                bool carries, int64_t &tile) const;
  int64_t compute(const Mapping &mapping, const WindowQuery &query) const;
  Entry find(const Mapping &mapping, const WindowQuery &query, uint64_t key);
  Entry &entryFor(uint64_t key);
  void grow();

  const MapSpace &space;
  Window window;
  std::vector<uint8_t> divisorIndex[2]; ///< of the factors of both dimensions
  unsigned firstBits = 0, bitsPerSlot = 0;
  bool packs = false;   ///< the factors of all slots fit one word
  uint64_t factors = 0; ///< of the slots that were set, by slot
  /// Numbers of the factors outside a level, where they do not fit.
  std::map<std::array<uint16_t, maxSlots>, uint64_t> numbers;
  std::vector<Entry> table;
  /// By what is asked: the last answer. Most mappings have the factors of the one before.
  std::array<Entry, size_t(1) << recentBits> recent{};
  size_t used = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWSUMS_H
