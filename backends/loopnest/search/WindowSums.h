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

namespace perfc {
namespace loopnest {

enum class Carry : uint8_t { None, First, Second };

/// What is asked of one window at one level.
struct WindowQuery {
  unsigned end;        ///< slots outside the level
  uint32_t joint;      ///< axis slots whose lanes one message serves
  uint8_t firstPrefix; ///< slots whose loops of the first dimension are free
  uint8_t secondPrefix;
  Carry carry = Carry::None; ///< whose innermost free loop advances
  bool kept = false;
};

class WindowSums {
public:
  WindowSums(const MapSpace &space, const Window &window);
  int64_t get(const Mapping &mapping, const WindowQuery &query);

private:
  struct Key {
    std::array<uint64_t, 2> first{}, second{};
    uint64_t rest = 0;
    bool operator==(const Key &other) const {
      return rest == other.rest && first == other.first && second == other.second;
    }
    size_t hash() const;
  };
  struct Entry {
    Key key;
    int64_t value = -1; ///< sums are never negative: an empty entry
  };
  /// One loop outside the level.
  struct Digit {
    int64_t factor, step;
    enum Role { Free, Joint, Restarts, Carries } role;
  };
  using Digits = llvm::SmallVector<Digit, maxSlots>;

  Key makeKey(const Mapping &mapping, const WindowQuery &query) const;
  Digits digits(const Mapping &mapping, const WindowQuery &query, unsigned dim, unsigned prefix,
                bool carries, int64_t &tile) const;
  int64_t compute(const Mapping &mapping, const WindowQuery &query) const;
  Entry &slotFor(const Key &key);
  void grow();

  const MapSpace &space;
  Window window;
  std::vector<uint8_t> divisorIndex[2]; ///< of the factors of both dimensions
  std::vector<Entry> table;
  size_t used = 0;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_WINDOWSUMS_H
