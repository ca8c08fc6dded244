// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where partial sums are. A memory A gets a partial sum of x when instances inside it (children)
// give x up at the same time, and hands it on when x enters a child. So what happens to x in an
// instance of A are events in time:
//
//   x enters A, from zero or with the sum of A's parent     (e_A, 0 …, phase 0)
//   x enters a child in epoch e                             (e, phase 1)
//   x leaves a child after epoch e                          (e, phase 2)
//
// A holds a sum of x just before an event exactly if the event before that one was a leaving or an
// entry with a sum. Then a leaving merges with it, and an entry reads it back to the first of the
// children that ask. The outermost memory begins without any sum.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_SUMS_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_SUMS_H

#include "backends/loopnest/exact/Residence.h"

namespace perfc {
namespace loopnest {

/// Entries of the output into one memory, sets of (e, i, x).
struct Entries {
  IslSet withSum;  ///< the parent's sum is read back
  IslSet fromZero; ///< nothing is moved
};

/// What happens between a memory and the memory that serves it.
struct SumFlow {
  Entries entries;
  IslSet merges; ///< (e, j, x): sums that leave children of j to meet one that j holds
};

/// Between `level` and its parent. `entriesAbove` are those of the parent, null for the outermost
/// memory.
SumFlow sumFlow(const NestSets &sets, unsigned level, const Residence &residence,
                const Entries *entriesAbove);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_SUMS_H
