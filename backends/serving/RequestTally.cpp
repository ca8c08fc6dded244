// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/serving/RequestTally.h"

using namespace perfc;
using namespace perfc::serving;

/// The most requests whose times are kept, each 56 B.
static constexpr size_t mostListed = 100'000;

RequestTally::RequestTally(study::ServeOp serve, size_t count)
    : ttftGoal(serve.goal("ttft")), tpotGoal(serve.goal("tpot")),
      latencyGoal(serve.goal("latency")), warmUp(serve.warmUp()), isVidur(serve.isVidur()),
      keepsRequests(count <= mostListed) {
  for (std::vector<double> *values : {&ttft, &tpot, &latency, &delay})
    values->reserve(count);
  if (keepsRequests)
    requests.reserve(count);
}

/// True where it is within all that `slo` asks.
bool RequestTally::meets(const ServedRequest &request) const {
  double each = request.answer > 1
                    ? (request.done - request.first) / static_cast<double>(request.answer - 1)
                    : 0;
  auto within = [](const llvm::Optional<double> &limit, double seconds) {
    return !limit || seconds <= *limit;
  };
  return within(ttftGoal, request.first - request.arrival) && within(tpotGoal, each) &&
         within(latencyGoal, request.done - request.arrival);
}

void RequestTally::add(const Request &request, double arrival, const RequestSpec &came) {
  ServedRequest served{arrival,     request.scheduled, request.first,   request.done,
                       came.prompt, came.answer,       request.restarts};
  ++count;
  promptTokens += came.prompt;
  outputTokens += came.answer;
  restarts += request.restarts;
  reroutes += request.reroutes;
  meeting += meets(served);
  if (keepsRequests)
    requests.push_back(served);
  if (arrival < warmUp)
    return;
  ttft.push_back(request.first - arrival);
  latency.push_back(request.done - arrival);
  delay.push_back(request.scheduled - arrival);
  if (isVidur) // of all tokens that are left after a restart, the first one included
    tpot.push_back((request.done - request.first) / static_cast<double>(request.answer));
  else if (came.answer > 1)
    tpot.push_back((request.done - request.first) / static_cast<double>(came.answer - 1));
}

void RequestTally::fill(ServingSummary &summary) && {
  summary.requestCount = count;
  summary.promptTokens = promptTokens;
  summary.outputTokens = outputTokens;
  summary.preemptions = restarts;
  summary.reroutes = reroutes;
  summary.meeting = ttftGoal || tpotGoal || latencyGoal ? meeting : -1;
  summary.requests = std::move(requests);
  summary.ttft = Distribution::of(std::move(ttft));
  summary.tpot = Distribution::of(std::move(tpot));
  summary.latency = Distribution::of(std::move(latency));
  summary.queueDelay = Distribution::of(std::move(delay));
}
