// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reuse of a tensor in a memory, as relations of integers and loop by loop. Of the loops e in
// time and i in space outside the memory,
//     tile = { (e, i) -> x : a point in it touches element x },  anew = { (e, i) -> x : x enters }
// (Residence.h). An epoch follows another when one loop takes its next step and those between it
// and the memory begin again; what is anew in the epochs that a loop begins is what that loop
// brings, and the sums of all loops and of the first epoch are what enters. Between the memory and
// those on either side, lanes that are neighbours along a loop in space may take words alike.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_REUSE_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_REUSE_H

#include "backends/loopnest/exact/ExactCounts.h"

namespace perfc {
namespace loopnest {

/// What a loop in time outside the memory brings, over all instances.
struct LoopReuse {
  std::string loop;  ///< "p = 8 at DRAM"
  int64_t steps = 0; ///< epochs of instances that it begins, its first step left out
  int64_t words = 0; ///< in their tiles
  int64_t anew = 0;  ///< of these
};

/// What lanes side by side take.
struct LaneReuse {
  std::string loop;   ///< "m = 12 along PE.x"
  int64_t lanes = 1;  ///< its factor
  int64_t words = 0;  ///< of all lanes but the first, over all epochs
  int64_t alike = 0;  ///< of these, what the lane before has in the same epoch
  bool isOne = false; ///< the network carries such words as one
};

struct Reuse {
  std::string tile;     ///< in isl's notation, of numbers in the ranges of their loops
  std::string anew;     ///< "" where that is all of the tile
  int64_t first = 0;    ///< words of the first epoch
  int64_t entering = 0; ///< words that enter, in all epochs
  std::vector<LoopReuse> loops;
  std::vector<LaneReuse> from, to; ///< between the memory and the ones outside, and inside of it
  std::string outer, inner;        ///< these; "" where there is none, or are lanes
};

/// The reuse of `tensor`, which memory `level` keeps. Nothing where isl needs more operations than
/// `limits` allow. Makes a context of isl of its own.
llvm::Optional<Reuse> reuseOf(const FlatNest &flat, unsigned level, unsigned tensor,
                              const ExactLimits &limits = {});

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_REUSE_H
