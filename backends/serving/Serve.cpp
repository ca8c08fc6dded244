// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/Serving.h"

#include "backends/core/Evaluate.h"
#include "backends/serving/vidur/Mode.h"
#include "backends/training/StepModel.h"
#include "ir/common/diagnostics/Serving.h"
#include "llvm/ADT/StringExtras.h"
#include <cassert>
#include <cmath>

using namespace perfc;
using namespace perfc::serving;

/// Tokens of answers and pieces of prompts of a run at most: each takes an iteration of its
/// request.
static constexpr double mostSteps = 1e9;
/// The most of them of which batches are kept, each some 0.5 kB.
static constexpr double mostKept = 1e6;
/// Requests that are done before somebody is told: to tell takes as long as to serve one.
static constexpr int64_t countedAtOnce = 256;
/// The latest arrival, in s: times after it are told apart to some ten nanoseconds.
static constexpr double latestArrival = 1e8;

Serving::Serving(const ir::Module &module, study::ServeOp serve, ProviderSet &providers,
                 DiagnosticEngine &diagnostics)
    : module(module), serve(serve), diagnostics(diagnostics),
      network(*module.lookup(serve.on()), providers, diagnostics) {
  for (study::PoolOp pool : serve.pools())
    pools.push_back(std::make_unique<Deployment>(module, serve, pool, providers, diagnostics));
}

bool Serving::checkRequests() {
  std::unique_ptr<RequestStream> stream = streamOf(serve);
  double arrival = 0;
  steps = 0;
  for (size_t i = 0; i < stream->size(); ++i) {
    RequestSpec request = stream->next();
    for (const auto &pool : pools)
      if (!pool->check(request, i))
        return false;
    steps += pools.front()->promptSteps(request) + static_cast<double>(request.answer);
    arrival = request.arrival;
  }
  if (!(arrival <= latestArrival)) {
    diagnostics.report(
        serve->range(), diag::BadServeValue,
        fmt::format("the last request arrives after {:.3g} s, later than the {:.0e} s "
                    "that can be simulated",
                    arrival, latestArrival));
    return false;
  }
  if (steps <= mostSteps)
    return true;
  diagnostics.report(serve->range(), diag::BadServeValue,
                     fmt::format("the answers and pieces of prompts are {:.0f} steps in all, more "
                                 "than the {:.0f} that can be simulated",
                                 steps, mostSteps));
  return false;
}

/// An end of an interval may be what the program cannot say.
bool Serving::checkTheta() {
  double value = serve.lengths().theta();
  if (value >= 0 && value < 1)
    return true;
  diagnostics.report(serve->range(), diag::BadServeValue,
                     fmt::format("`theta` is a number from 0 to below 1, not {:.4g}", value));
  return false;
}

//===-- Between pools
//--------------------------------------------------------------------------===//

/// What the cache of `tokens` takes from a copy of the first pool to one of the second: the chips
/// that hold it send at the same time, as many as there are on the side that has fewer. Null after
/// a report.
const Cost *Serving::transferCost(double tokens) {
  const Deployment &from = *pools[0], &to = *pools[1];
  int64_t links = std::min(from.holders(), to.holders());
  double bytes = std::min(from.cacheOfToken(), to.cacheOfToken()) * tokens;
  passes::ChipSet senders{from.pool.firstChip(), links, network.chips()};
  return network.sendCost(senders, to.pool.firstChip() - from.pool.firstChip(),
                          bytes / static_cast<double>(links), serve->range());
}

/// Transfers take a latency and a time for each byte: two sizes say both.
bool Serving::findTransfers() {
  if (pools.size() < 2)
    return true;
  if (pools[0]->cacheOfToken() == 0) {
    diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                       "pools hand over caches of tokens, and it has none");
    return false;
  }
  const Cost *one = transferCost(1), *many = transferCost(transferTokens);
  if (!one || !many)
    return false;
  double first = one->latency.central(), last = many->latency.central();
  transferToken = (last - first) / (transferTokens - 1);
  transferLatency = first - transferToken;
  return true;
}

bool Serving::prepare() {
  if (!checkTheta() || (pools.size() > 1 && !network.readFaults(serve->range())))
    return false;
  for (const auto &pool : pools)
    if (!pool->build())
      return false;
  return findTransfers();
}

/// What requests are served by; nothing after a report.
llvm::Optional<Setup> Serving::deployment() {
  for (const auto &pool : pools)
    if (!pool->findLimits())
      return llvm::None;
  if (!checkRequests())
    return llvm::None;
  Setup setup;
  setup.keepsAll = steps <= mostKept;
  for (const auto &pool : pools)
    setup.pools.push_back(pool->setup());
  setup.transfer = [this](double tokens) { return transferLatency + transferToken * tokens; };
  return setup;
}

void Serving::reportVidur(const std::string &why) {
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(), "VIDUR: " + why);
}

/// The same by VIDUR's rules (backends/serving/vidur).
llvm::Optional<Setup> Serving::vidurDeployment(std::vector<RequestSpec> &requests) {
  std::string why;
  Deployment &pool = *pools.front();
  Setup setup{{vidur::setupOf(serve, pool.model, why)}, {}};
  if (why.empty())
    requests = vidur::requestsOf(serve, why);
  if (!why.empty()) {
    reportVidur(why);
    return llvm::None;
  }
  pool.limits = setup.pools.front().limits;
  pool.summary.blocks = pool.limits.blocks;
  setup.pools.front().times = [costs = vidur::costsOf(pool.model)](const BatchShape &shape,
                                                                   std::vector<double> &seconds) {
    costs.run(shape, seconds);
  };
  return setup;
}

llvm::Optional<Outcome> Serving::run(llvm::Optional<double> rate) {
  summary = std::make_shared<ServingSummary>();
  for (const auto &pool : pools) {
    pool->forget();
    pool->summary = ServedPool();
  }
  if (rate)
    serve.arrivals()->setAttr("rate", Quantity(Uncertain(*rate), Dimension() / BaseUnit::Second));
  std::vector<RequestSpec> listed; // of VIDUR
  auto setup = serve.isVidur() ? vidurDeployment(listed) : deployment();
  if (!setup)
    return llvm::None;
  // Requests reach their queue later than they arrive.
  double front = serve.isVidur() ? 0 : StackFigures::of(*serve).request;
  RequestList requests =
      serve.isVidur() ? RequestList(std::move(listed)) : RequestList(streamOf(serve, front));
  setup->stop = stop;
  RequestTally tally(serve, requests.size());
  int64_t done = 0, all = static_cast<int64_t>(requests.size());
  setup->onDone = [&](const Request &request, const RequestSpec &came) {
    tally.add(request, request.arrival - front, came);
    if (++done % countedAtOnce == 0 && counter)
      counter(done, all);
  };
  SimulationResult result = simulate(std::move(requests), *setup);
  if (result.isStopped)
    return llvm::None;
  if (!result.failure.empty()) {
    if (serve.isVidur())
      reportVidur(result.failure);
    else
      diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                         result.failure + ", as copies break or never start");
    return llvm::None;
  }
  summarize(std::move(result), std::move(tally));
  return outcome();
}

llvm::Optional<Outcome> Serving::runBy(const std::string &name, Teller tell) {
  std::vector<RequestSpec> came = makeRequests(serve);
  std::vector<Request> requests;
  for (size_t i = 0; i < came.size(); ++i)
    requests.emplace_back(came[i], i);
  if (!tell(pools.front()->model, requests))
    return llvm::None;
  summary = std::make_shared<ServingSummary>();
  summary->toldBy = name;
  pools.front()->limits.maxBatch = serve.scheduler().maxBatch();
  SimulationResult result;
  RequestTally tally(serve, requests.size());
  for (const Request &request : requests) {
    result.end = std::max(result.end, request.done);
    tally.add(request, request.arrival, came[request.id]);
  }
  result.pools.resize(pools.size());
  summarize(std::move(result), std::move(tally));
  return outcome();
}
