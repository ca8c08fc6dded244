// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation of a stream of requests. A pool is copies of the model behind a router: requests
// arrive, the router gives each to a copy, whose scheduler makes batches. New batches are made when
// requests arrive and when batches end. With two pools the first one reads prompts and makes first
// tokens; the caches then move to a copy of the second one, which makes the others. A copy that
// breaks is taken out, and its requests are sent again.
#ifndef PERFC_BACKENDS_SERVING_SIMULATION_H
#define PERFC_BACKENDS_SERVING_SIMULATION_H

#include "backends/core/Tally.h"
#include "backends/serving/BatchShape.h"
#include "backends/serving/Fleet.h"
#include "backends/serving/Router.h"
#include "backends/serving/Speculation.h"
#include <atomic>

namespace perfc::serving {

/// Copies of the model that serve requests, or one phase of them.
struct PoolSetup {
  SchedulerFactory scheduler;
  Limits limits; ///< of each copy
  size_t copies = 1;
  Router router; ///< needed for several copies
  /// Asked for each batch as it is made.
  StageTimes times;
  Speculation speculation; ///< `guesses` are those of the limits
  Outages outages;
  Scaling scaling;
};

/// What requests are served by.
struct Setup {
  std::vector<PoolSetup> pools; ///< one, or that of prompts and that of the tokens behind them
  /// s that the cache of so many tokens takes from a copy of the first pool to one of the second.
  std::function<double(double)> transfer;
  /// Batches and gaps between tokens are kept; else they are only counted.
  bool keepsAll = true;
  const std::atomic<bool> *stop = nullptr; ///< ends the simulation once it is true; null for never
  /// Takes requests that are done, in order of their numbers, which are forgotten then.
  RequestList::Taker onDone;
};

/// What the copies of a pool have done, all together.
struct PoolResult {
  int64_t batches = 0;
  double busy = 0;          ///< s of all stages
  double blockSeconds = 0;  ///< blocks that requests hold, times s
  double secondsOn = 0;     ///< copies times s that they were on
  int64_t peakBlocks = 0;   ///< of one copy
  int64_t promptTokens = 0; ///< of requests that were taken in, each time
  int64_t prefixTokens = 0; ///< of these, that the prefix cache had
  int64_t tierTokens = 0;   ///< the same, that its tier at the host had
  int64_t guessed = 0;      ///< tokens
  int64_t held = 0;         ///< of these, that the model would have made as well
  int64_t steps = 0;        ///< of requests in which guesses were verified
  int64_t faults = 0;       ///< of copies
};

struct SimulationResult {
  std::vector<Request> requests; ///< in order of arrival; none where `onDone` has been given them
  std::vector<ServedBatch> batches;
  std::vector<BatchShape> shapes; ///< of the batches
  std::vector<double> gaps;       ///< s between tokens of the same request
  /// What is not kept: gaps, requests and tokens of batches.
  Tally gapTally, sizeTally, tokenTally;
  double end = 0; ///< s
  std::vector<PoolResult> pools;
  int64_t transfers = 0;      ///< of caches
  int64_t movedTokens = 0;    ///< that these had
  double transferSeconds = 0; ///< of all of them
  double transferWaiting = 0; ///< s that they waited for others to end
  std::string failure;        ///< why not all are served, "" where all are
  bool isStopped = false;     ///< it was ended before
};

/// Serves `requests`. Batches of all copies are made in one order; `onBatch` sees each before its
/// time is asked for. Ends early where a scheduler fails.
SimulationResult simulate(RequestList requests, const Setup &setup,
                          const std::function<void(const Batch &)> &onBatch = {});

/// The same by one pool whose batches take `times`.
SimulationResult simulate(RequestList requests, PoolSetup pool, StageTimes times,
                          const std::function<void(const Batch &)> &onBatch = {});

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SIMULATION_H
