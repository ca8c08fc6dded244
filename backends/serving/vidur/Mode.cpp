// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/vidur/Mode.h"

#include "backends/serving/vidur/Schedulers.h"
#include "backends/serving/vidur/Stream.h"
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

double vidur::cacheOf(const ServedModel &model) {
  double bytes = 0;
  for (const StageRoom &room : model.rooms)
    bytes += room.cacheToken;
  return bytes;
}

/// What of `serve` VIDUR does not have; "" for nothing.
std::string vidur::lacks(study::ServeOp serve, int64_t copies) {
  if (!hasScheduler(serve.scheduler().kind()))
    return "it has no scheduler " + serve.scheduler().label().str();
  if (serve.admission() != "arrival")
    return "it takes requests in by arrival";
  if (serve.prefixShare() >= 0)
    return "it has no prefix cache";
  if (serve.scheduler().swap() > 0)
    return "it does not move caches to the host";
  if (copies > 1 && serve.router() != "round_robin" && serve.router() != "least_loaded")
    return fmt::format("requests that go to copies by {} are not those of its stream",
                       serve.router().str());
  return "";
}

/// What it needs besides of the program, since perfc runs it.
static std::string misses(const ServedModel &model) {
  if (!model.table)
    return "it has no times of batches (`costs table \"PREFIX\"`)";
  return model.capacity > 0 ? "" : "the memory of the chip has no capacity";
}

PoolSetup vidur::setupOf(study::ServeOp serve, const ServedModel &model, std::string &why) {
  PoolSetup setup;
  why = lacks(serve, model.copies);
  if (why.empty())
    why = misses(model);
  if (!why.empty())
    return setup;
  study::SchedulerOp scheduler = serve.scheduler();
  int64_t longest = serve.lengths().longest();
  int64_t tokens = scheduler.isReserving() ? scheduler.maxTokens(longest) : longest;
  Pool pool = poolOf(model.capacity, model.matrixBytes, cacheOf(model), tokens,
                     blockOf(scheduler.kind()), model.stages);
  if (pool.blocks == 0)
    why = fmt::format("the weights leave no room for a request of {}",
                      counted(static_cast<uint64_t>(tokens), "token"));
  setup.scheduler = schedulerOf(scheduler.kind());
  setup.limits = limitsOf(scheduler.kind(), pool, tokens, scheduler.maxBatch(), scheduler.chunk(),
                          model.stages);
  setup.copies = static_cast<size_t>(model.copies);
  setup.router = serve.router() == "least_loaded" ? leastQueued() : roundRobin();
  return setup;
}

vidur::Costs vidur::costsOf(const ServedModel &model) {
  // As many heads make keys and values as queries where a token's cache is two of its vectors.
  double ofLayer =
      cacheOf(model) * static_cast<double>(model.tensor) / static_cast<double>(model.layerCount);
  bool isGrouped = ofLayer < 1.99 * model.boundaryBytes;
  return Costs(*model.table, model.layerCount, isGrouped, model.tensor, model.stages);
}

std::vector<RequestSpec> vidur::requestsOf(study::ServeOp serve, std::string &why) {
  study::ArrivalsOp arrivals = serve.arrivals();
  study::LengthsOp lengths = serve.lengths();
  bool isStatic = arrivals.kind() == "burst" && !arrivals->hasAttr("size");
  bool isTimed = arrivals.kind() == "poisson" || arrivals.kind() == "gamma";
  bool hasLengths =
      lengths.kind() == "fixed" || lengths.kind() == "uniform" || lengths.kind() == "zipf";
  if (!(isStatic || isTimed) || !hasLengths)
    return makeRequests(serve);
  StreamSpec spec;
  spec.arrival = isStatic ? "static" : arrivals.kind().str();
  spec.rate = arrivals.rate();
  spec.deviation = arrivals.kind() == "gamma" ? arrivals.cv() : 1;
  spec.lengths = lengths.kind().str();
  spec.prompt = lengths.prompt();
  spec.answer = lengths.answer();
  spec.least = lengths.least();
  spec.most = lengths.most();
  spec.promptToAnswer = lengths.promptToAnswer();
  spec.theta = lengths.theta();
  spec.seed = isTimed ? arrivals.seed() : lengths.seed();
  spec.count = serve.requests();
  std::vector<RequestSpec> requests = makeStream(spec);
  for (size_t i = 0; i < requests.size() && why.empty(); ++i)
    if (requests[i].answer < 1 || requests[i].prompt < 1)
      why = fmt::format("request {} of its stream has {} + {} tokens, for which it divides by zero",
                        i, requests[i].prompt, requests[i].answer);
  return requests;
}
