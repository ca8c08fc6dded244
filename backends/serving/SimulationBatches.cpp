// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of a simulation: made, under way, and what they leave to their requests.
#include "backends/serving/SimulationState.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::serving;

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
  broken = 0;
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
