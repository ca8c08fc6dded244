// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Simulation.h"

#include <cassert>
#include <limits>

using namespace perfc;
using namespace perfc::serving;

static constexpr double never = std::numeric_limits<double>::infinity();

namespace {

class Simulation {
public:
  Simulation(std::vector<Request> list, llvm::StringRef kind, const Limits &limits,
             const StageTimes &times, const std::function<void(const Batch &)> &onBatch)
      : stages(static_cast<size_t>(limits.stages)), times(times), onBatch(onBatch) {
    result.requests = std::move(list);
    scheduler = makeScheduler(kind, result.requests, limits);
  }

  SimulationResult run();

private:
  /// A batch is known by its place in `result.batches`.
  struct Stage {
    std::deque<size_t> waiting;
    size_t batch = 0;
    double end = never; ///< of the batch that it works on
  };

  void advanceTo(double time);
  void finishStages();
  void finishBatch();
  void makeBatches();
  void startStages();
  double nextTime() const;
  BatchShape shapeOf(const Batch &batch) const;

  SimulationResult result;
  std::unique_ptr<Scheduler> scheduler;
  std::vector<Stage> stages;
  const StageTimes &times;
  const std::function<void(const Batch &)> &onBatch;
  std::deque<Batch> underWay; ///< in the order in which they end
  size_t arrived = 0;
  bool isNews = false; ///< a request has come or a batch has ended
  double now = 0;
};

} // namespace

double Simulation::nextTime() const {
  double next = arrived < result.requests.size() ? result.requests[arrived].arrival : never;
  for (const Stage &stage : stages)
    next = std::min(next, stage.end);
  return next;
}

void Simulation::advanceTo(double time) {
  result.blockSeconds += static_cast<double>(scheduler->usedBlocks()) * (time - now);
  now = time;
}

/// Moves a request on by `tokens`. The iteration that ends its prompt also makes its next token.
static void advance(Request &request, int64_t tokens, double now, std::vector<double> &gaps) {
  request.processed += tokens;
  bool makesToken = request.isPrefilled;
  if (!request.isPrefilled && request.processed == request.prompt) {
    request.isPrefilled = makesToken = true;
    ++request.processed;
  }
  if (!makesToken)
    return;
  if (request.first < 0)
    request.first = now;
  else
    gaps.push_back(now - request.last);
  request.last = now;
  if (request.processed == request.total())
    request.done = now;
}

void Simulation::finishBatch() {
  for (const BatchEntry &entry : underWay.front())
    advance(result.requests[entry.request], entry.tokens, now, result.gaps);
  scheduler->end(underWay.front());
  underWay.pop_front();
  isNews = true;
}

void Simulation::finishStages() {
  for (size_t i = 0; i < stages.size(); ++i) {
    if (stages[i].end > now)
      continue;
    stages[i].end = never;
    if (i + 1 < stages.size())
      stages[i + 1].waiting.push_back(stages[i].batch);
    else
      finishBatch();
  }
}

BatchShape Simulation::shapeOf(const Batch &batch) const {
  BatchShape shape;
  for (const BatchEntry &entry : batch) {
    const Request &request = result.requests[entry.request];
    shape.tokens += entry.tokens;
    if (request.isPrefilled) {
      ++shape.decodes;
      shape.decodeContext += request.processed;
    } else {
      shape.chunks.push_back({entry.tokens, request.processed});
    }
    shape.outputs += request.isPrefilled || request.processed + entry.tokens == request.prompt;
  }
  return shape;
}

void Simulation::makeBatches() {
  isNews = false;
  while (underWay.size() < stages.size()) {
    Batch batch = scheduler->next();
    // A request that has just lost its blocks to nobody can start again: nothing else would wake
    // it.
    if (batch.empty() && underWay.empty())
      batch = scheduler->next();
    if (batch.empty())
      return;
    if (onBatch)
      onBatch(batch);
    BatchShape shape = shapeOf(batch);
    ServedBatch served;
    served.requests = static_cast<int64_t>(batch.size());
    served.promptTokens = shape.tokens - shape.decodes;
    served.decodes = shape.decodes;
    served.outputs = shape.outputs;
    served.starts.resize(stages.size());
    times(shape, served.seconds);
    for (const BatchEntry &entry : batch)
      if (Request &request = result.requests[entry.request]; request.scheduled < 0)
        request.scheduled = now;
    stages[0].waiting.push_back(result.batches.size());
    result.batches.push_back(std::move(served));
    result.shapes.push_back(std::move(shape));
    underWay.push_back(std::move(batch));
  }
}

void Simulation::startStages() {
  for (size_t i = 0; i < stages.size(); ++i) {
    Stage &stage = stages[i];
    if (stage.end != never || stage.waiting.empty())
      continue;
    stage.batch = stage.waiting.front();
    stage.waiting.pop_front();
    ServedBatch &batch = result.batches[stage.batch];
    batch.starts[i] = now;
    stage.end = now + batch.seconds[i];
    result.busy += batch.seconds[i];
  }
}

SimulationResult Simulation::run() {
  for (double time = nextTime(); time != never; time = nextTime()) {
    advanceTo(time);
    for (; arrived < result.requests.size() && result.requests[arrived].arrival <= now; ++arrived) {
      scheduler->arrive(static_cast<uint32_t>(arrived));
      isNews = true;
    }
    finishStages();
    if (isNews)
      makeBatches();
    startStages();
  }
  for (const Request &request : result.requests) {
    assert(request.isDone() && "a request that fits is served");
    result.end = std::max(result.end, request.done);
  }
  result.peakBlocks = scheduler->peakBlocks();
  return std::move(result);
}

SimulationResult serving::simulate(std::vector<Request> requests, llvm::StringRef scheduler,
                                   const Limits &limits, const StageTimes &times,
                                   const std::function<void(const Batch &)> &onBatch) {
  return Simulation(std::move(requests), scheduler, limits, times, onBatch).run();
}
