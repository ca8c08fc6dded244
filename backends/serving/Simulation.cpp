// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Simulation.h"

#include "backends/serving/SimulationState.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::serving;

/// Changes of copies without anything else between them, after which a run ends.
static constexpr int64_t mostVain = 100'000;

static size_t copiesOf(const Setup &setup) {
  size_t count = 0;
  for (const PoolSetup &pool : setup.pools)
    count += pool.copies;
  return count;
}

Simulation::Simulation(RequestList list, const Setup &setup,
                       const std::function<void(const Batch &)> &onBatch)
    : requests(std::move(list)), setup(setup), onBatch(onBatch), arrivals(requests),
      transfers(copiesOf(setup), setup.transfer), open(requests.size()) {
  for (const PoolSetup &pool : setup.pools) {
    pools.emplace_back(pool, copies.size());
    for (size_t i = 0; i < pool.copies; ++i)
      copies.emplace_back(static_cast<size_t>(pool.limits.stages));
  }
  for (size_t copy = 0; copy < copies.size(); ++copy)
    renew(copy);
  for (Pool &pool : pools)
    findTakers(pool);
}

//===-- Where requests go
//----------------------------------------------------------------------===//

/// Gives a copy a new scheduler.
void Simulation::renew(size_t copy) {
  Pool &pool = poolOf(copy);
  Limits limits = pool.setup.limits;
  limits.isHandOver = pools.size() > 1 && &pool == &pools[0];
  limits.countsSteady = !setup.keepsAll && !onBatch;
  copies[copy].scheduler = pool.setup.scheduler(requests, limits);
}

/// Lists the copies that take requests, and gives them those that have waited for one.
void Simulation::findTakers(Pool &pool) {
  pool.takers.clear();
  for (size_t copy : pool.fleet.up())
    pool.takers.push_back(copies[pool.first + copy].scheduler.get());
  if (pool.takers.empty())
    return;
  for (uint32_t request : std::exchange(pool.backlog, {}))
    send(request, pool);
  for (uint32_t request : std::exchange(pool.unexpected, {}))
    handOver(request);
}

llvm::Optional<size_t> Simulation::route(uint32_t request, Pool &pool) {
  if (pool.takers.empty())
    return llvm::None;
  size_t place = 0;
  if (pool.takers.size() > 1)
    place = pool.setup.router(requests, request, pool.takers);
  return pool.first + pool.fleet.up()[place];
}

void Simulation::send(uint32_t request, Pool &pool) {
  Request &sent = requests[request];
  auto copy = route(request, pool);
  if (!copy)
    return pool.backlog.push_back(request);
  wake(*copy);
  copies[*copy].scheduler->arrive(request);
  sent.copy = static_cast<int64_t>(*copy);
}

/// A request whose prompt has been read goes on in the second pool.
void Simulation::handOver(uint32_t request) {
  auto copy = route(request, pools[1]);
  if (!copy)
    return pools[1].unexpected.push_back(request);
  wake(*copy);
  copies[*copy].scheduler->expect(request);
  requests[request].target = static_cast<int64_t>(*copy);
}

void Simulation::endTransfers() {
  while (transfers.next() <= now) {
    auto [number, request] = transfers.take();
    Request &moved = requests[request];
    if (moved.transfer != number)
      continue; // one of its copies has broken
    wake(static_cast<size_t>(moved.copy));
    wake(static_cast<size_t>(moved.target));
    copies[static_cast<size_t>(moved.copy)].scheduler->release(request);
    copies[static_cast<size_t>(moved.target)].scheduler->receive(request);
    moved.copy = moved.target;
    moved.target = moved.transfer = -1;
  }
}

void Simulation::arrive() {
  while (arrivals.next() <= now)
    send(arrivals.take(), pools[0]);
}

//===-- Copies that come and go
//----------------------------------------------------------------===//

void Simulation::count(size_t copy) {
  Copy &one = copies[copy];
  poolOf(copy).result.blockSeconds +=
      static_cast<double>(one.scheduler->usedBlocks()) * (now - one.counted);
  one.counted = now;
}

/// To be called before something changes at a copy.
void Simulation::wake(size_t copy) {
  count(copy);
  copies[copy].isNews = true;
  due.push_back(copy);
}

/// What the scheduler of a copy has counted.
void Simulation::retire(size_t copy) {
  const Scheduler &scheduler = *copies[copy].scheduler;
  PoolResult &sum = poolOf(copy).result;
  sum.peakBlocks = std::max(sum.peakBlocks, scheduler.peakBlocks());
  sum.promptTokens += scheduler.promptTokens();
  sum.prefixTokens += scheduler.prefixTokens();
  sum.tierTokens += scheduler.tierTokens();
  if (result.failure.empty())
    result.failure = scheduler.failure();
}

/// Takes a copy out: what is under way and its caches are gone, its requests are sent again.
void Simulation::breakDown(size_t copy) {
  PoolResult &sum = poolOf(copy).result;
  count(copy);
  ++sum.faults;
  ++broken;
  double left = 0;
  for (UnderWay &batch : copies[copy].drop(now, left))
    record(std::move(batch));
  sum.busy -= left;
  copies[copy].scheduler->dissolveSteady();
  retire(copy);
  renew(copy);
  auto here = static_cast<int64_t>(copy);
  std::vector<uint32_t> lost, waiting;
  requests.forEachHeld([&](uint32_t number, Request &request) {
    if (request.isDone()) {
      // Some schedulers keep what is done until others are.
      if (request.copy == here)
        request.holdNothing();
    } else if (request.copy == here) {
      lost.push_back(number);
    } else if (request.target == here) {
      request.target = request.transfer = -1;
      request.incoming = 0;
      waiting.push_back(number);
    }
  });
  findTakers(poolOf(copy));
  for (uint32_t number : lost) {
    Request &request = requests[number];
    if (request.target >= 0) {
      wake(static_cast<size_t>(request.target));
      copies[static_cast<size_t>(request.target)].scheduler->forget(number);
    }
    for (Pool &pool : pools)
      llvm::erase_value(pool.unexpected, number);
    request.loseCaches();
    send(number, pools[0]);
  }
  for (uint32_t number : waiting)
    handOver(number);
}

void Simulation::changeFleets() {
  for (Pool &pool : pools) {
    if (pool.fleet.next() > now)
      continue;
    auto load = [&] {
      auto sum = static_cast<int64_t>(pool.backlog.size());
      for (size_t i = 0; i < pool.setup.copies; ++i)
        sum += static_cast<int64_t>(copies[pool.first + i].scheduler->outstanding());
      return sum;
    };
    auto isIdle = [&](size_t copy) { return copies[pool.first + copy].isIdle(); };
    for (size_t copy : pool.fleet.change(now, load, isIdle))
      breakDown(pool.first + copy);
    findTakers(pool);
  }
}

double Simulation::nextChange() const {
  double next = never;
  for (const Pool &pool : pools)
    next = std::min(next, pool.fleet.next());
  return next;
}

//===-- Time ------------------------------------------------------------------------------===//

/// What a copy does at this time.
void Simulation::advance(size_t number) {
  Copy &copy = copies[number];
  Pool &pool = poolOf(number);
  count(number);
  if (auto done = copy.finishStages(now))
    finish(number, std::move(*done));
  if (copy.isNews)
    makeBatches(number);
  pool.result.busy += copy.startStages(now);
  if (double next = copy.nextEnd(); next != never)
    events.emplace(next, number);
  if (pool.fleet.state(number - pool.first) == Fleet::State::Draining && copy.isIdle())
    pool.fleet.rest(number - pool.first, now);
}

/// Goes on to the next time at which something happens; false when nothing does any more.
bool Simulation::step() {
  while (!events.empty() && copies[events.top().second].nextEnd() != events.top().first)
    events.pop(); // the copy has gone on since
  double work = events.empty() ? never : events.top().first;
  work = std::min({work, arrivals.next(), transfers.next()});
  now = std::min(work, nextChange());
  // Copies that come and go while nothing else happens help nobody for ever, nor do those that
  // break before they have ended a batch.
  vain = work == never ? vain + 1 : 0;
  if (now == never || open == 0 || std::max(vain, broken) > mostVain)
    return false;
  changeFleets();
  endTransfers();
  arrive();
  for (; !events.empty() && events.top().first <= now; events.pop())
    due.push_back(events.top().second);
  // What one copy ends at this time may be for another one.
  while (!due.empty()) {
    round.clear();
    round.swap(due);
    std::sort(round.begin(), round.end());
    round.erase(std::unique(round.begin(), round.end()), round.end());
    for (size_t copy : round)
      advance(copy);
  }
  return true;
}

SimulationResult Simulation::run() {
  while (!result.isStopped && step()) {
    result.isStopped = setup.stop && *setup.stop;
    if (setup.onDone)
      requests.retire(setup.onDone);
  }
  for (size_t copy = 0; copy < copies.size(); ++copy)
    retire(copy);
  for (Pool &pool : pools) {
    pool.result.secondsOn = pool.fleet.secondsOn(result.end);
    result.pools.push_back(pool.result);
  }
  result.transfers = transfers.count();
  result.movedTokens = transfers.tokens();
  result.transferSeconds = transfers.busy();
  result.transferWaiting = transfers.waiting();
  if (open > 0 && result.failure.empty())
    result.failure = fmt::format("{} are never {}", counted(open, "request"),
                                 broken > mostVain ? "done" : "taken in");
  if (setup.onDone)
    requests.retireAll(setup.onDone);
  else
    requests.retireAll(
        [&](const Request &request, const RequestSpec &) { result.requests.push_back(request); });
  return std::move(result);
}

SimulationResult serving::simulate(RequestList requests, const Setup &setup,
                                   const std::function<void(const Batch &)> &onBatch) {
  return Simulation(std::move(requests), setup, onBatch).run();
}

SimulationResult serving::simulate(RequestList requests, PoolSetup pool, StageTimes times,
                                   const std::function<void(const Batch &)> &onBatch) {
  pool.times = std::move(times);
  return simulate(std::move(requests), Setup{{std::move(pool)}, {}}, onBatch);
}
