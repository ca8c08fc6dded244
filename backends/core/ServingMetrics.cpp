// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/OutcomeMetrics.h"

using namespace perfc;

using Of = const Outcome &;

/// A share of the cache.
template <double ServingSummary::*share> static MetricValue ofCache(Of of) {
  return of.serving->blocks == 0 ? metricUnknown("nothing limits the cache")
                                 : metricNumber((*of.serving).*share);
}

/// What follows from the requests that meet what is asked of each.
static MetricValue ofGoals(Of of, double value) {
  return of.serving->meeting < 0 ? metricUnknown("nothing is asked of a request (`slo`)")
                                 : metricNumber(value);
}

static const Distribution *distributionOf(Of of, llvm::StringRef name) {
  static constexpr std::pair<llvm::StringLiteral, Distribution ServingSummary::*> distributions[] =
      {{"latency", &ServingSummary::latency},
       {"ttft", &ServingSummary::ttft},
       {"tpot", &ServingSummary::tpot},
       {"tbt", &ServingSummary::tbt},
       {"queue_delay", &ServingSummary::queueDelay},
       {"batch_size", &ServingSummary::batchSize},
       {"batch_tokens", &ServingSummary::batchTokens}};
  for (const auto &[known, values] : distributions)
    if (known == name)
      return &((*of.serving).*values);
  return nullptr;
}

StatementMetrics perfc::servingMetrics() {
  static const MetricEntry table[] = {
      {"flops", [](Of of) { return metricNumber(of.serving->flops); }},
      {"run_time", [](Of of) { return metricNumber(of.serving->runTime); }},
      {"requests_per_s", [](Of of) { return metricNumber(of.serving->requestsPerSecond()); }},
      {"busy", [](Of of) { return metricNumber(of.serving->busy); }},
      {"kv_usage", ofCache<&ServingSummary::usage>},
      {"kv_usage.peak", ofCache<&ServingSummary::peakUsage>},
      {"preemptions",
       [](Of of) { return metricNumber(static_cast<double>(of.serving->preemptions)); }},
      {"goodput",
       [](Of of) {
         return ofGoals(of, static_cast<double>(of.serving->meeting) / of.serving->runTime);
       }},
      {"slo_attainment",
       [](Of of) {
         return ofGoals(of, static_cast<double>(of.serving->meeting) /
                                static_cast<double>(of.serving->requests.size()));
       }},
      {"prefix_hits",
       [](Of of) {
         return of.serving->prefixHits < 0 ? metricUnknown("there is no prefix cache")
                                           : metricNumber(of.serving->prefixHits);
       }},
  };
  return {table, distributionOf};
}
