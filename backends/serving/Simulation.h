// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation of a stream of requests: requests arrive, a router gives each to a copy of the
// model, whose scheduler makes batches; at most one per pipeline stage is under way, and each
// passes the stages in order. A stage works on one batch at a time, first come first served. New
// batches are made when requests arrive and when batches end.
#ifndef PERFC_BACKENDS_SERVING_SIMULATION_H
#define PERFC_BACKENDS_SERVING_SIMULATION_H

#include "backends/core/Serving.h"
#include "backends/serving/Router.h"
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
  double blockSeconds = 0;        ///< blocks that requests hold, times s, of all copies
  int64_t peakBlocks = 0;         ///< of one copy
  int64_t promptTokens = 0;       ///< of requests that were taken in, each time
  int64_t prefixTokens = 0;       ///< of these, that the prefix cache had
  std::string failure;            ///< why not all are served, "" where all are
};

/// What requests are served by.
struct Setup {
  SchedulerFactory scheduler;
  Limits limits; ///< of each copy
  size_t copies = 1;
  Router router; ///< needed for several copies
};

/// Serves `requests`. `times` is asked for each batch as it is made, batches of all copies in one
/// order, after `onBatch` has seen it. Ends early where a scheduler fails.
SimulationResult simulate(std::vector<Request> requests, const Setup &setup,
                          const StageTimes &times,
                          const std::function<void(const Batch &)> &onBatch = {});

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SIMULATION_H
