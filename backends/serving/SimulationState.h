// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What serves requests while a simulation runs: pools of copies, what is under way, and the time.
// Simulation.cpp says where requests go and when; SimulationBatches.cpp what becomes of batches.
#ifndef PERFC_BACKENDS_SERVING_SIMULATIONSTATE_H
#define PERFC_BACKENDS_SERVING_SIMULATIONSTATE_H

#include "backends/serving/Arrivals.h"
#include "backends/serving/Copy.h"
#include "backends/serving/Simulation.h"
#include "backends/serving/Transfers.h"
#include <deque>
#include <queue>

namespace perfc::serving {

/// A pool while it serves.
struct Pool {
  const PoolSetup &setup;
  size_t first; ///< of its copies among all
  Fleet fleet;
  std::vector<const Scheduler *> takers; ///< of the copies that take requests
  std::deque<uint32_t> backlog;          ///< requests that none takes
  std::deque<uint32_t> unexpected;       ///< the same, with their caches at another pool
  PoolResult result;

  Pool(const PoolSetup &setup, size_t first)
      : setup(setup), first(first), fleet(setup.copies, setup.outages, setup.scaling) {}
};

class Simulation {
public:
  Simulation(RequestList list, const Setup &setup,
             const std::function<void(const Batch &)> &onBatch);

  SimulationResult run();

private:
  bool step();
  void arrive();
  void changeFleets();
  void endTransfers();
  void send(uint32_t request, Pool &pool);
  void handOver(uint32_t request);
  llvm::Optional<size_t> route(uint32_t request, Pool &pool);
  void wake(size_t copy);
  void count(size_t copy);
  void breakDown(size_t copy);
  void retire(size_t copy);
  void renew(size_t copy);
  void findTakers(Pool &pool);
  void advance(size_t copy);
  void finish(size_t copy, UnderWay &&done);
  void end(uint32_t request);
  void noteGaps(double gap, int64_t times);
  void moveOn(Request &request, int64_t tokens, Pool &pool);
  void makeBatches(size_t copy);
  UnderWay underWay(size_t copy, Batch batch);
  void record(UnderWay &&batch);
  double nextChange() const;
  Pool &poolOf(size_t copy) { return pools[pools.size() > 1 && copy >= pools[1].first ? 1 : 0]; }

  SimulationResult result;
  RequestList requests;
  const Setup &setup;
  const std::function<void(const Batch &)> &onBatch;
  std::vector<Pool> pools;
  std::vector<Copy> copies;
  Arrivals arrivals;
  Transfers transfers;
  /// When copies have something to do; a time that is no longer one of its copy's is left alone.
  using Event = std::pair<double, size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<size_t> due, round; ///< copies with something to do now
  double now = 0;
  size_t open = 0;             ///< requests that are not done
  int64_t vain = 0;            ///< changes of copies since anything else has happened
  int64_t broken = 0;          ///< copies that have broken since a batch has ended
  std::vector<double> seconds; ///< of the batch that starts, by stage
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_SIMULATIONSTATE_H
