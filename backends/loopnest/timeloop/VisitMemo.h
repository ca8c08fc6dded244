// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits that need not be made again. Without ragged loops a visit of a memory's loops does the
// same wherever it begins: all that it finds is what the memories in it remember, relative to the
// place where it begins. What it sends grows with the epochs that it stands for, and what it leaves
// is again relative to that place. Most visits find the same as one before, so that a nest of n
// loops takes some multiple of n visits where it would take 2^n.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_VISITMEMO_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_VISITMEMO_H

#include "backends/loopnest/timeloop/Analysis.h"
#include "llvm/ADT/Hashing.h"
#include <unordered_map>

namespace perfc::timeloop {

/// What a memory remembers of one tensor between visits.
struct SpaceState {
  Box last;
  Offset moved; ///< the direction of the last moves; empty when none is known
  Boxes delta;  ///< of the present visit
  double deltaVolume = 0;
};

struct MemoryState {
  std::vector<SpaceState> spaces;
  /// What the children of the array were sent in the step before.
  const SpatialPattern *previous = nullptr;
  std::vector<Boxes> previousWords;
};

/// What visits send, with all that is counted on the way.
struct VisitSums {
  std::vector<std::vector<Traffic>> traffic; ///< [memory][space]
  double laneComputes = 0;
  std::map<const SpatialPattern *, double> arrayVisits; ///< of arrays of bare lanes

  /// Adds what `other` has `times`; of sizes the larger.
  void add(const VisitSums &other, double times);
};

class VisitMemo {
public:
  struct Visit {
    bool isKnown = false;
    VisitSums sums;                  ///< in one epoch
    std::vector<MemoryState> states; ///< afterwards, relative to where the visit began
  };

  VisitMemo(const Input &input, const LoopList &list, bool remembers);
  /// Whether visits of the loops of a memory, and of all inside, are worth to be remembered.
  bool serves(unsigned memory) const { return isServed[memory]; }
  /// The visit of a memory's loops that begins at `origin` with these states; the reference stays
  /// valid.
  Visit &find(unsigned memory, llvm::ArrayRef<MemoryState> states, llvm::ArrayRef<int64_t> origin);
  /// Keeps the states that a visit of `memory` from `origin` has left, and takes them from there.
  void keep(Visit &visit, unsigned memory, llvm::ArrayRef<MemoryState> states,
            llvm::ArrayRef<int64_t> origin);
  void restore(const Visit &visit, unsigned memory, llvm::MutableArrayRef<MemoryState> states,
               llvm::ArrayRef<int64_t> origin);

private:
  using Key = std::vector<int64_t>;
  struct KeyHash {
    size_t operator()(const Key &key) const {
      return llvm::hash_combine_range(key.begin(), key.end());
    }
  };
  void project(llvm::ArrayRef<int64_t> origin);
  void move(SpaceState &state, unsigned space, int64_t sign) const;

  const Input &input;
  std::vector<bool> isServed;
  std::vector<Offset> here; ///< by space: where the visit at hand begins
  std::vector<std::unordered_map<Key, Visit, KeyHash>> visits; ///< by memory
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_VISITMEMO_H
