// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SCALE-Sim v2 replayed: the demands of every cycle of every fold go to the three buffers in the
// tool's order. Time is that of the demands, a few nanoseconds each; `replayWork` says how many.
#ifndef PERFC_BACKENDS_LOOPNEST_SYSTOLIC_REPLAY_H
#define PERFC_BACKENDS_LOOPNEST_SYSTOLIC_REPLAY_H

#include "backends/loopnest/systolic/Layer.h"

namespace perfc {
namespace loopnest {

/// Bytes of the three buffers; words have one byte.
struct Scratchpads {
  int64_t input = 0, weight = 0, output = 0;
};

struct DramTraffic {
  int64_t inputReads = 0, weightReads = 0, outputWrites = 0;
};

/// DRAM traffic with estimated bandwidth. An operand that fits its buffer is read once; for the
/// others the demands are replayed.
DramTraffic estimatedTraffic(const Layer &layer, const Gemm &gemm, const SystolicArray &array,
                             const FoldPlan &plan, const Scratchpads &pads);

struct TimedRun {
  int64_t cycles = 0; ///< with stalls
  int64_t stalls = 0;
  DramTraffic traffic;
};

/// A run over interfaces of `bandwidth` words per cycle, one for each operand.
TimedRun timedRun(const Layer &layer, const Gemm &gemm, const SystolicArray &array,
                  const FoldPlan &plan, const Scratchpads &pads, int64_t bandwidth);

/// The closed form of the same: the longest of compute, (reads - B/2) / bandwidth of each operand
/// with a read for each word of each sweep that does not fit, and (writes - B/2) / bandwidth.
double boundedCycles(const Layer &layer, const Gemm &gemm, const FoldPlan &plan,
                     const Scratchpads &pads, int64_t bandwidth);

/// Demands and cycles of a run; -1 when its operands are larger than a replay can hold.
int64_t replayWork(const Layer &layer, const Gemm &gemm, const SystolicArray &array,
                   const FoldPlan &plan);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SYSTOLIC_REPLAY_H
