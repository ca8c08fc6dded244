// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who holds what. An instance that is active in an epoch holds its tile; one that is idle keeps
// what it holds, except elements of the output which its parent gives up:
//
//   held = { (e, i, x) : x in tile(last(e, i), i), and the parent holds x from then to e }
//   entering = tile \ held in the epoch before;  leaving = held \ held in the epoch after
//
// last(e, i) being the last epoch up to e in which i is active. A residence of x in i lasts from
// the epoch in which it enters to that in which it leaves, or to the end. The memory outermost
// holds all from the start to the end.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_RESIDENCE_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_RESIDENCE_H

#include "backends/loopnest/exact/NestSets.h"

namespace perfc {
namespace loopnest {

/// Of one tensor in one level, sets of (e, i, x).
struct Residence {
  IslSet held;
  IslSet entering; ///< in this epoch
  IslSet leaving;  ///< after this epoch
};

/// In `level`, a memory; `parent` is the residence in the memory that serves it, or null for what
/// that one never gives up.
Residence residenceIn(const NestSets &sets, unsigned level, unsigned tensor,
                      const Residence *parent);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_RESIDENCE_H
