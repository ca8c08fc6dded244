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
static constexpr double mostSteps = 5e7;
/// The latest arrival, in s: times after it are told apart to some ten nanoseconds.
static constexpr double latestArrival = 1e8;
/// Blocks of a cache without a limit.
static constexpr int64_t endless = int64_t(1) << 50;

//===-- Limits
//---------------------------------------------------------------------------------===//

/// Tokens of the largest batch that the scheduler may make.
int64_t Serving::largestBatch() const {
  int64_t longest = serve.longest();
  if (scheduler.boundsPrompts())
    return std::max({limits.maxTokens, longest, limits.maxBatch});
  if (scheduler.makesPieces())
    return std::max(limits.chunk, limits.maxBatch);
  return std::min(limits.maxBatch, serve.requests()) * longest;
}

void Serving::reportNoRoom(double weights, double logits, double usable) {
  auto bytes = [base = writtenBase(model.capacity)](double value) {
    return formatSize(std::round(value), base);
  };
  diagnostics
      .report(serve->range(), diag::NoRoomForCache, bytes(weights), bytes(model.capacity),
              bytes(usable))
      .note(fmt::format("beside them are activations {} of {}, logits {}; the driver keeps {}",
                        bytes(summary->activationBytes), counted(largestBatch(), "token"),
                        bytes(logits), bytes(summary->reservedBytes)))
      .help("more tensor or pipeline parallelism leaves less of them on each chip, a smaller batch "
            "less activations");
}

/// The cache of the stage with the least room: what weights, the activations of the largest batch,
/// the logits of the most requests leave of the share of what the driver leaves.
bool Serving::findLimits() {
  limits.blockTokens = scheduler.block();
  limits.maxBatch = scheduler.maxBatch();
  limits.maxTokens = scheduler.maxTokens();
  limits.chunk = scheduler.chunk();
  limits.stages = model.stages;
  limits.reserved = isReserving() ? limits.blocksFor(reservedTokens()) : 0;
  limits.blocks = endless;
  limits.admission = {serve.admission() == "priority"   ? Admission::Order::Priority
                      : serve.admission() == "shortest" ? Admission::Order::Shortest
                      : serve.admission() == "goal"     ? Admission::Order::Goal
                                                        : Admission::Order::Arrival,
                      serve.admissionGoal()};
  summary->activationBytes = model.activationToken * static_cast<double>(largestBatch());
  summary->reservedBytes = serve.reserve(model.capacity);
  double usable = (model.capacity - summary->reservedBytes) * serve.memoryShare();
  for (const StageRoom &room : model.rooms) {
    double block = room.cacheToken * static_cast<double>(limits.blockTokens);
    double logits = room.logits * static_cast<double>(limits.maxBatch);
    double left = usable - room.weights - summary->activationBytes - logits;
    summary->weightBytes = std::max(summary->weightBytes, room.weights);
    summary->cacheBytes = std::max(summary->cacheBytes, room.cacheToken);
    summary->logitBytes = std::max(summary->logitBytes, logits);
    if (model.capacity <= 0)
      continue;
    if (left <= 0 || (block > 0 && left < block)) {
      reportNoRoom(room.weights, logits, usable);
      return false;
    }
    if (block > 0)
      limits.blocks = std::min(limits.blocks, static_cast<int64_t>(std::floor(left / block)));
  }
  if (double bandwidth = scheduler.swap(); bandwidth > 0)
    limits.swapSeconds = summary->cacheBytes / bandwidth;
  if (serve.prefixShare() >= 0)
    limits.prefixBlocks =
        static_cast<int64_t>(serve.prefixShare() * static_cast<double>(limits.blocks));
  if (limits.blocks != endless)
    summary->blocks = limits.blocks;
  return true;
}

bool Serving::checkRequests(const std::vector<Request> &requests) {
  double steps = 0;
  int64_t reserved = reservedTokens();
  for (size_t i = 0; i < requests.size(); ++i) {
    const Request &request = requests[i];
    steps += static_cast<double>(request.answer);
    if (scheduler.makesPieces())
      steps += static_cast<double>((request.prompt - 1) / limits.chunk);
    auto fail = [&](const std::string &needs, const std::string &has) {
      diagnostics.report(serve->range(), diag::RequestNeverFits, i,
                         fmt::format("{} + {} tokens, {}", request.prompt, request.answer, needs),
                         has);
      return false;
    };
    if (isReserving() && request.total() > reserved)
      return fail("as long as it gets",
                  fmt::format("{} reserved for each (`max_tokens`)", counted(reserved, "token")));
    int64_t blocks =
        isReserving() ? limits.reserved : limits.blocksFor(request.total()) + limits.watermark();
    if (limits.blocks < blocks)
      return fail(isReserving()
                      ? fmt::format("{} reserved", counted(blocks, "block"))
                      : fmt::format("{} with what is kept free", counted(blocks, "block")),
                  fmt::format("{} of {}", counted(limits.blocks, "block"),
                              counted(limits.blockTokens, "token")));
  }
  if (!(requests.back().arrival <= latestArrival)) {
    diagnostics.report(
        serve->range(), diag::BadServeValue,
        fmt::format("the last request arrives after {:.3g} s, later than the {:.0e} s "
                    "that can be simulated",
                    requests.back().arrival, latestArrival));
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

/// What requests are served by, and what batches take; nothing after a report.
llvm::Optional<Serving::Deployment> Serving::deployment(std::vector<Request> &requests) {
  if (!findLimits())
    return llvm::None;
  requests = makeRequests(serve);
  if (!checkRequests(requests))
    return llvm::None;
  Setup setup{schedulerOf(kind()), limits, static_cast<size_t>(model.copies),
              routerOf(serve.router(), serve.routerSeed())};
  return Deployment{std::move(setup),
                    [this](const BatchShape &shape, std::vector<double> &seconds) {
                      model.cost->run(shape, seconds);
                    }};
}

void Serving::reportVidur(const std::string &why) {
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(), "VIDUR: " + why);
}

/// The same by VIDUR's rules (backends/serving/vidur).
llvm::Optional<Serving::Deployment> Serving::vidurDeployment(std::vector<Request> &requests) {
  std::string why;
  Setup setup = vidur::setupOf(serve, model, why);
  if (why.empty())
    requests = vidur::requestsOf(serve, why);
  if (!why.empty()) {
    reportVidur(why);
    return llvm::None;
  }
  limits = setup.limits;
  summary->blocks = limits.blocks;
  return Deployment{std::move(setup), [costs = vidur::costsOf(model)](
                                          const BatchShape &shape, std::vector<double> &seconds) {
                      costs.run(shape, seconds);
                    }};
}

bool Serving::prepare() {
  if (!checkTheta() || !model.build())
    return false;
  if (kind() != "lightllm" || model.stages == 1)
    return true;
  diagnostics.report(serve->range(), diag::CannotBeServed, serve.subjectLabel(),
                     "lightllm has no pipeline");
  return false;
}

llvm::Optional<Outcome> Serving::run(llvm::Optional<double> rate) {
  summary = std::make_shared<ServingSummary>();
  model.cost->forget();
  if (rate)
    serve.arrivals()->setAttr("rate", Quantity(Uncertain(*rate), Dimension() / BaseUnit::Second));
  std::vector<Request> requests;
  auto by = serve.isVidur() ? vidurDeployment(requests) : deployment(requests);
  if (!by)
    return llvm::None;
  // Requests reach their queue later than they arrive.
  double front = serve.isVidur() ? 0 : StackFigures::of(*serve).request;
  for (Request &request : requests) {
    request.arrival += front;
    request.think += front;
  }
  SimulationResult result = simulate(requests, by->setup, by->times);
  for (Request &request : result.requests)
    request.arrival -= front;
  if (!result.failure.empty()) {
    assert(serve.isVidur() && "a request that fits is served");
    reportVidur(result.failure);
    return llvm::None;
  }
  summarize(std::move(result), requests);
  return outcome();
}
