// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Simulation.h"

#include <algorithm>
#include <limits>
#include <queue>

using namespace perfc;
using namespace perfc::serving;

static constexpr double never = std::numeric_limits<double>::infinity();

namespace {

/// A batch is known by its place in `SimulationResult::batches`.
struct Stage {
  std::deque<size_t> waiting;
  size_t batch = 0;
  double end = never; ///< of the batch that it works on
};

/// A copy of the model.
struct Copy {
  std::unique_ptr<Scheduler> scheduler;
  std::vector<Stage> stages;
  std::deque<Batch> underWay; ///< in the order in which they end
  bool isNews = false;        ///< a request has come or a batch has ended
  double counted = 0;         ///< s up to which the blocks that it holds are counted

  double nextEnd() const {
    double next = never;
    for (const Stage &stage : stages)
      next = std::min(next, stage.end);
    return next;
  }
};

class Simulation {
public:
  Simulation(std::vector<Request> list, const Setup &setup, const StageTimes &times,
             const std::function<void(const Batch &)> &onBatch);

  SimulationResult run();

private:
  void arrive();
  void advance(Copy &copy);
  void finishStages(Copy &copy);
  void finishBatch(Copy &copy);
  void makeBatches(Copy &copy);
  void start(Copy &copy, Batch batch);
  void startStages(Copy &copy);
  void queueFollower(uint32_t request);
  double nextArrival() const;
  BatchShape shapeOf(const Batch &batch) const;

  SimulationResult result;
  const Setup &setup;
  const StageTimes &times;
  const std::function<void(const Batch &)> &onBatch;
  std::vector<Copy> copies;
  std::vector<const Scheduler *> schedulers; ///< of the copies
  /// When copies have something to do; a time that is no longer one of its copy's is left alone.
  using Event = std::pair<double, size_t>;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<size_t> due;        ///< copies with something to do now
  std::vector<uint32_t> order;    ///< of requests that follow none, by arrival
  std::vector<int64_t> followers; ///< by request; -1 for none
  std::priority_queue<Event, std::vector<Event>, std::greater<>> following; ///< time and request
  size_t arrived = 0;                                                       ///< of `order`
  double now = 0;
  std::vector<double> seconds; ///< of the batch that starts, by stage
};

} // namespace

Simulation::Simulation(std::vector<Request> list, const Setup &setup, const StageTimes &times,
                       const std::function<void(const Batch &)> &onBatch)
    : setup(setup), times(times), onBatch(onBatch), copies(setup.copies) {
  result.requests = std::move(list);
  followers.resize(result.requests.size(), -1);
  for (size_t i = 0; i < result.requests.size(); ++i)
    if (int64_t before = result.requests[i].after; before >= 0)
      followers[static_cast<size_t>(before)] = static_cast<int64_t>(i);
    else
      order.push_back(static_cast<uint32_t>(i));
  for (Copy &copy : copies) {
    copy.scheduler = setup.scheduler(result.requests, setup.limits);
    copy.stages.resize(static_cast<size_t>(setup.limits.stages));
    schedulers.push_back(copy.scheduler.get());
  }
}

/// Moves a request on by `tokens`. The iteration that ends its prompt also makes its next token.
static void moveOn(Request &request, int64_t tokens, double now, std::vector<double> &gaps) {
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

/// Lets who waits for a request come after its time.
void Simulation::queueFollower(uint32_t request) {
  int64_t next = followers[request];
  if (next < 0 || !result.requests[request].isDone())
    return;
  Request &follower = result.requests[static_cast<size_t>(next)];
  follower.arrival = now + follower.think;
  following.emplace(follower.arrival, static_cast<size_t>(next));
}

void Simulation::finishBatch(Copy &copy) {
  for (const BatchEntry &entry : copy.underWay.front()) {
    moveOn(result.requests[entry.request], entry.tokens, now, result.gaps);
    queueFollower(entry.request);
  }
  copy.scheduler->end(copy.underWay.front());
  copy.underWay.pop_front();
  copy.isNews = true;
}

void Simulation::finishStages(Copy &copy) {
  for (size_t i = 0; i < copy.stages.size(); ++i) {
    Stage &stage = copy.stages[i];
    if (stage.end > now)
      continue;
    stage.end = never;
    if (i + 1 < copy.stages.size())
      copy.stages[i + 1].waiting.push_back(stage.batch);
    else
      finishBatch(copy);
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

/// Sends a batch on its way.
void Simulation::start(Copy &copy, Batch batch) {
  if (onBatch)
    onBatch(batch);
  BatchShape shape = shapeOf(batch);
  ServedBatch served;
  served.copy = static_cast<int64_t>(&copy - copies.data());
  served.requests = static_cast<int64_t>(batch.size());
  served.promptTokens = shape.tokens - shape.decodes;
  served.decodes = shape.decodes;
  served.outputs = shape.outputs;
  served.starts.resize(copy.stages.size());
  times(shape, seconds);
  served.seconds.assign(seconds.begin(), seconds.end());
  served.seconds[0] += static_cast<double>(copy.scheduler->takeMoved()) * setup.limits.swapSeconds;
  for (const BatchEntry &entry : batch)
    if (Request &request = result.requests[entry.request]; request.scheduled < 0)
      request.scheduled = now;
  copy.stages[0].waiting.push_back(result.batches.size());
  result.batches.push_back(std::move(served));
  result.shapes.push_back(std::move(shape));
  copy.underWay.push_back(std::move(batch));
}

void Simulation::makeBatches(Copy &copy) {
  copy.isNews = false;
  while (copy.underWay.size() < copy.stages.size()) {
    Batch batch = copy.scheduler->makeBatch(now);
    // A request that has just lost its blocks to nobody can start again: nothing else would wake
    // it.
    if (batch.empty() && copy.underWay.empty())
      batch = copy.scheduler->makeBatch(now);
    if (batch.empty())
      return;
    start(copy, std::move(batch));
  }
}

void Simulation::startStages(Copy &copy) {
  for (size_t i = 0; i < copy.stages.size(); ++i) {
    Stage &stage = copy.stages[i];
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

/// What a copy does at this time.
void Simulation::advance(Copy &copy) {
  result.blockSeconds += static_cast<double>(copy.scheduler->usedBlocks()) * (now - copy.counted);
  copy.counted = now;
  finishStages(copy);
  if (copy.isNews)
    makeBatches(copy);
  startStages(copy);
  if (double next = copy.nextEnd(); next != never)
    events.emplace(next, &copy - copies.data());
}

/// Gives the requests of this time to copies.
void Simulation::arrive() {
  auto send = [&](uint32_t request) {
    size_t target = copies.size() > 1 ? setup.router(result.requests, request, schedulers) : 0;
    copies[target].scheduler->arrive(request);
    copies[target].isNews = true;
    due.push_back(target);
  };
  for (; arrived < order.size() && result.requests[order[arrived]].arrival <= now; ++arrived)
    send(order[arrived]);
  for (; !following.empty() && following.top().first <= now; following.pop())
    send(static_cast<uint32_t>(following.top().second));
}

double Simulation::nextArrival() const {
  double next = arrived < order.size() ? result.requests[order[arrived]].arrival : never;
  return following.empty() ? next : std::min(next, following.top().first);
}

SimulationResult Simulation::run() {
  for (;;) {
    while (!events.empty() && copies[events.top().second].nextEnd() != events.top().first)
      events.pop(); // the copy has gone on since
    now = events.empty() ? never : events.top().first;
    now = std::min(now, nextArrival());
    if (now == never)
      break;
    due.clear();
    arrive();
    for (; !events.empty() && events.top().first <= now; events.pop())
      due.push_back(events.top().second);
    std::sort(due.begin(), due.end());
    due.erase(std::unique(due.begin(), due.end()), due.end());
    for (size_t copy : due)
      advance(copies[copy]);
  }
  size_t open = 0;
  for (const Request &request : result.requests) {
    open += !request.isDone();
    result.end = std::max(result.end, request.done);
  }
  for (const Copy &copy : copies) {
    result.peakBlocks = std::max(result.peakBlocks, copy.scheduler->peakBlocks());
    result.promptTokens += copy.scheduler->promptTokens();
    result.prefixTokens += copy.scheduler->prefixTokens();
    if (result.failure.empty())
      result.failure = copy.scheduler->failure();
  }
  if (open > 0 && result.failure.empty())
    result.failure = fmt::format("{} are never taken in", counted(open, "request"));
  return std::move(result);
}

SimulationResult serving::simulate(std::vector<Request> requests, const Setup &setup,
                                   const StageTimes &times,
                                   const std::function<void(const Batch &)> &onBatch) {
  return Simulation(std::move(requests), setup, times, onBatch).run();
}
