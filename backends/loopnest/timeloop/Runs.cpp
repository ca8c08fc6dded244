// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/Runs.h"

using namespace perfc;
using namespace perfc::timeloop;

static Plan plan(int64_t end, bool runLast, bool runSecondLast) {
  Plan plan{{1, true}};
  int64_t middle = end - 1 - runLast - runSecondLast;
  if (middle >= 1)
    plan.push_back({static_cast<double>(middle), true});
  if (runSecondLast && end >= 3)
    plan.push_back({1, end < 4});
  if (runLast && end >= 2)
    plan.push_back({1, runSecondLast || end < 3});
  return plan;
}

Plan timeloop::planRuns(const LoopList &list, unsigned loop, int64_t end, bool isAtLast) {
  const Loop &own = list.loops[loop];
  llvm::Optional<unsigned> ragged = list.innermostRagged[own.dim];
  bool raggedInside = ragged && *ragged < loop && isAtLast;
  return plan(end, raggedInside, raggedInside && own.isRagged());
}
