// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Simulation.h"

#include "backends/serving/Arrivals.h"
#include "backends/serving/Copy.h"
#include "backends/serving/Transfers.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::serving;

/// Changes of copies without anything else between them, after which a run ends.
static constexpr int64_t mostVain = 100'000;

namespace {

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
  std::vector<double> seconds; ///< of the batch that starts, by stage
};

} // namespace

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

//===-- Batches
//--------------------------------------------------------------------------------===//

void Simulation::noteGaps(double gap, int64_t times) {
  if (setup.keepsAll)
    result.gaps.insert(result.gaps.end(), static_cast<size_t>(times), gap);
  else
    result.gapTally.add(gap, times);
}

/// Moves a request on by `tokens`, of which guesses may not hold. The iteration that ends its
/// prompt also makes its next token.
void Simulation::moveOn(Request &request, int64_t tokens, Pool &pool) {
  int64_t made = 0;
  if (request.isPrefilled) {
    made = tokens;
    if (tokens > 1) {
      int64_t held =
          std::min(tokens - 1, pool.setup.speculation.held(request.id, request.processed));
      pool.result.guessed += tokens - 1;
      pool.result.held += held;
      ++pool.result.steps;
      made = std::min(1 + held, request.total() - request.processed);
    }
    request.processed += made;
  } else {
    request.processed += tokens;
    if (request.processed < request.prompt)
      return;
    request.isPrefilled = true;
    ++request.processed;
    made = 1;
  }
  if (request.first < 0)
    request.first = now;
  else
    noteGaps(now - request.last, 1);
  if (made > 1)
    noteGaps(0, made - 1);
  request.last = now;
  if (request.processed == request.total())
    request.done = now;
}

void Simulation::end(uint32_t request) {
  --open;
  result.end = now;
  arrivals.end(request);
}

void Simulation::finish(size_t copy, UnderWay &&done) {
  Pool &pool = poolOf(copy);
  bool isHandOver = pools.size() > 1 && &pool == &pools[0];
  Scheduler &scheduler = *copies[copy].scheduler;
  const SteadyGroup &steady = scheduler.steadyGroup();
  done.served.outputs = steady.count();
  if (steady.count() > 0)
    noteGaps(now - steady.lastTokens(), steady.count());
  for (uint32_t number : scheduler.advanceSteady(now)) {
    requests[number].done = now;
    end(number);
  }
  for (const BatchEntry &entry : done.batch) {
    Request &request = requests[entry.request];
    int64_t before = request.isPrefilled ? request.processed : request.prompt;
    moveOn(request, entry.tokens, pool);
    done.served.outputs += request.isPrefilled ? request.processed - before : 0;
    if (request.isDone())
      end(entry.request);
  }
  scheduler.end(done.batch);
  for (const BatchEntry &entry : done.batch)
    if (const Request &request = requests[entry.request];
        isHandOver && request.isPrefilled && !request.isDone())
      handOver(entry.request);
  record(std::move(done));
  copies[copy].isNews = true;
}

UnderWay Simulation::underWay(size_t copy, Batch batch) {
  Pool &pool = poolOf(copy);
  if (onBatch)
    onBatch(batch);
  UnderWay next;
  const SteadyGroup &steady = copies[copy].scheduler->steadyGroup();
  next.shape = shapeOf(batch, requests);
  next.shape.add(steady.count(), steady.context());
  next.number = result.batches.size();
  ++pool.result.batches;
  ServedBatch &served = next.served;
  served.copy = static_cast<int64_t>(copy);
  served.requests = static_cast<int64_t>(batch.size()) + steady.count();
  served.decodes = steady.count();
  pool.setup.times(next.shape, seconds);
  served.seconds.assign(seconds.begin(), seconds.end());
  served.seconds[0] += copies[copy].scheduler->takeMoveSeconds();
  for (const BatchEntry &entry : batch) {
    Request &request = requests[entry.request];
    served.decodes += request.isPrefilled;
    served.promptTokens += request.isPrefilled ? 0 : entry.tokens;
    served.guesses += request.isPrefilled ? entry.tokens - 1 : 0;
    if (request.scheduled < 0)
      request.scheduled = now;
  }
  next.batch = std::move(batch);
  return next;
}

/// Keeps what has become of a batch.
void Simulation::record(UnderWay &&batch) {
  if (setup.keepsAll) {
    result.batches[batch.number] = std::move(batch.served);
    result.shapes[batch.number] = std::move(batch.shape);
    return;
  }
  result.sizeTally.add(static_cast<double>(batch.served.requests));
  result.tokenTally.add(static_cast<double>(batch.shape.tokens));
}

void Simulation::makeBatches(size_t number) {
  Copy &copy = copies[number];
  copy.isNews = false;
  for (uint32_t request : copy.scheduler->claimRoom()) {
    Request &moving = requests[request];
    int64_t tokens = poolOf(number).setup.limits.held(moving.processed - 1);
    moving.transfer =
        transfers.start(request, static_cast<size_t>(moving.copy), number, tokens, now);
  }
  while (copy.hasRoom()) {
    Scheduler &scheduler = *copy.scheduler;
    Batch batch = scheduler.makeBatch(now);
    auto isEmpty = [&] { return batch.empty() && scheduler.steadyGroup().count() == 0; };
    // A request that has just lost its blocks to nobody can start again: nothing else would wake
    // it.
    if (isEmpty() && copy.underWay() == 0)
      batch = scheduler.makeBatch(now);
    if (isEmpty())
      return;
    copy.start(underWay(number, std::move(batch)));
    if (!setup.keepsAll)
      continue;
    result.batches.emplace_back();
    result.shapes.emplace_back();
  }
}

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
  // Copies that come and go while nothing else happens help nobody for ever.
  vain = work == never ? vain + 1 : 0;
  if (now == never || open == 0 || vain > mostVain)
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
    result.failure = fmt::format("{} are never taken in", counted(open, "request"));
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
