// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time beyond the steady state, for chips that state what it takes.
//   latency    of a memory or of an array's network: the first word of an input passes all that
//              stand on its way to the lanes, the last result all on its way back
//   buffering  of a memory: its tiles come in epoch by epoch over ports. With P the compute time of
//              an epoch, Z epochs in which the tile changes, and t the time that the data of an
//              epoch takes on a port, a link stalls (t - W) (Z - 1). The window W is P with double
//              buffering; with a single buffer P / (product of the outermost loops of the epoch
//              that reuse the tile), since only the last round of reuse frees what it used. Links
//              that share a port:
//                  stall = sum of positive + max(0, sum of negative + sum of W (Z - 1) - union)
//              The worst port counts. Besides, the first tiles come in before compute begins, and
//              the last output tile leaves after its end.
// Mei et al., "ZigZag", IEEE TC 70(8), 2021, and "A uniform latency model for DNN accelerators",
// DATE 2022.
#ifndef PERFC_BACKENDS_LOOPNEST_NESTLATENCY_H
#define PERFC_BACKENDS_LOOPNEST_NESTLATENCY_H

#include "backends/loopnest/NestCost.h"

namespace perfc {
namespace loopnest {

/// In seconds; all 0 where the chip states nothing.
struct LatencyTerms {
  double stalls = 0;
  double load = 0;  ///< of the first tiles
  double store = 0; ///< of the last output tile
  double first = 0; ///< latencies on the way of the first word
  double last = 0;  ///< and of the last result
  /// Some memory says how it is buffered.
  bool isBuffered = false;
};

/// The terms of `nest`, whose lanes compute for `compute` seconds.
LatencyTerms latencyTerms(const CountedNest &nest, double compute);

/// Seconds that the latencies of memories and networks take before and after all else, with any
/// loops of `nest`, at least.
double leastLatency(const AdaptedNest &nest);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_NESTLATENCY_H
