// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation of a stream of requests: requests arrive, the scheduler makes batches, at most one
// per pipeline stage is under way, and each passes the stages in order. A stage works on one batch
// at a time, first come first served. New batches are made when requests arrive and when batches
// end.
#ifndef PERFC_BACKENDS_SERVING_SIMULATION_H
#define PERFC_BACKENDS_SERVING_SIMULATION_H

#include "backends/core/Serving.h"
#include "backends/serving/Scheduler.h"
#include <functional>

namespace perfc::serving {

/// What the time of a batch depends on.
struct BatchShape {
  int64_t tokens = 0;        ///< that run
  int64_t outputs = 0;       ///< tokens that come out
  int64_t decodes = 0;       ///< requests of which one token runs
  int64_t decodeContext = 0; ///< tokens that these see, themselves included
  struct Chunk {
    int64_t tokens, before; ///< of a prompt: that run, and that ran earlier
  };
  std::vector<Chunk> chunks;
};

/// Fills the time of a batch on each stage, in s, with what passes it on to the next.
using StageTimes = std::function<void(const BatchShape &, std::vector<double> &)>;

struct SimulationResult {
  std::vector<Request> requests; ///< in order of arrival
  std::vector<ServedBatch> batches;
  std::vector<BatchShape> shapes; ///< of the batches
  std::vector<double> gaps;       ///< s between tokens of the same request
  double end = 0;                 ///< s
  double busy = 0;                ///< s of all stages together
  double blockSeconds = 0;        ///< blocks that requests hold, times s
  int64_t peakBlocks = 0;
};

/// Serves `requests`, which stand in order of arrival and each fit into the cache alone. `onBatch`
/// sees each batch as it is made.
SimulationResult simulate(std::vector<Request> requests, llvm::StringRef scheduler,
                          const Limits &limits, const StageTimes &times,
                          const std::function<void(const Batch &)> &onBatch = {});

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SIMULATION_H
