// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which iterations of a temporal loop Timeloop's analysis runs: the first, one on behalf of all in
// between, and the last one or two where ragged loops further in make them different.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_RUNS_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_RUNS_H

#include "backends/loopnest/timeloop/LoopList.h"

namespace perfc::timeloop {

/// One run of a loop's body: how many iterations it stands for, and whether its own delta is the
/// one that counts for them.
struct Run {
  double repeat;
  bool ownDelta;
};

using Plan = llvm::SmallVector<Run, 4>;

/// The runs of `loop`, which has `end` iterations now; `isAtLast`: all loops of its dimension
/// further out are in their last pass.
Plan planRuns(const LoopList &list, unsigned loop, int64_t end, bool isAtLast);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_RUNS_H
