// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/OutcomeMetrics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace perfc;

using Of = const Outcome &;

/// A share of the caches of all pools, each as often as it has chips.
static MetricValue usage(Of of) {
  for (const ServedPool &pool : of.serving->pools)
    if (pool.blocks == 0)
      return metricUnknown("nothing limits the cache");
  return metricNumber(of.serving->meanOf(&ServedPool::usage));
}

/// The largest share of the cache of a copy.
static MetricValue peakUsage(Of of) {
  double most = 0;
  for (const ServedPool &pool : of.serving->pools) {
    if (pool.blocks == 0)
      return metricUnknown("nothing limits the cache");
    most = std::max(most, pool.peakUsage);
  }
  return metricNumber(most);
}

/// What only the pool of prompts has.
static MetricValue prefixHits(Of of, double ServedPool::*hits) {
  const ServedPool &pool = of.serving->pools.front();
  return pool.prefixHits < 0 ? metricUnknown("there is no prefix cache") : metricNumber(pool.*hits);
}

/// Guesses of the pool that has a draft.
static MetricValue guesses(Of of, double (*figure)(const ServedPool &)) {
  const ServedPool &pool = of.serving->pools.back();
  return pool.steps == 0 ? metricUnknown("no guesses are verified (`draft`)")
                         : metricNumber(figure(pool));
}

static MetricValue transferTime(Of of) {
  return of.serving->transfers == 0 ? metricUnknown("no caches move between pools")
                                    : metricNumber(of.serving->transferSeconds /
                                                   static_cast<double>(of.serving->transfers));
}

/// What follows from the requests that meet what is asked of each.
static MetricValue ofGoals(Of of, double value) {
  return of.serving->meeting < 0 ? metricUnknown("nothing is asked of a request (`slo`)")
                                 : metricNumber(value);
}

/// Chips of `pool` that are on, times s: who is off costs nothing.
static double chipSeconds(Of of, const ServedPool &pool) {
  return static_cast<double>(pool.chips) * pool.copiesOn / static_cast<double>(pool.copies) *
         of.serving->runTime;
}

/// Money for the time of the chips that are on, and for the energy, of which what is known counts.
static MetricValue servedMoney(Of of) {
  if (!of.price)
    return metricUnknown("no `price` is given");
  double seconds = 0;
  for (const ServedPool &pool : of.serving->pools)
    seconds += chipSeconds(of, pool);
  return metricNumber(Uncertain(seconds * of.price->chipSecond) +
                      of.cost.energy.shown() * of.price->joule);
}

/// A figure of one pool, as a row of `report … by pool` has it; nothing where only the whole run
/// has one.
llvm::Optional<MetricValue> perfc::poolMetric(Of of, const ServedPool &pool, llvm::StringRef name) {
  auto share = [&](double value) {
    return pool.blocks == 0 ? metricUnknown("nothing limits the cache") : metricNumber(value);
  };
  // Prompts end in the first token, which is that of their pool.
  bool isOfPrompts = name.startswith("ttft") || name.startswith("queue_delay");
  bool isOfTokens = name.startswith("tpot") || name.startswith("tbt");
  if (isOfPrompts || isOfTokens) {
    bool isIts = pool.phase.empty() || (pool.phase == "prefill") == isOfPrompts;
    return isIts ? metric(of, name) : llvm::None;
  }
  if (name == "cost")
    return !of.price             ? metricUnknown("no `price` is given")
           : of.price->joule > 0 ? metricUnknown("the energy of a pool is not known by itself")
                                 : metricNumber(chipSeconds(of, pool) * of.price->chipSecond);
  return llvm::StringSwitch<llvm::Optional<MetricValue>>(name)
      .Case("chips", metricNumber(static_cast<double>(pool.chips)))
      .Case("busy", metricNumber(pool.busy))
      .Case("copies_on", metricNumber(pool.copiesOn))
      .Case("kv_usage", share(pool.usage))
      .Case("kv_usage.peak", share(pool.peakUsage))
      .Case("memory.peak", metricNumber(pool.memoryBytes()))
      .Default(llvm::None);
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

/// Of requests after the first ones, of which there may be none; of batches, the cache and kernels,
/// which one who tells of requests alone does not say.
static std::string unsaid(Of of, llvm::StringRef name) {
  static constexpr llvm::StringLiteral ofRequests[] = {"ttft", "tpot", "latency", "queue_delay"};
  // Requests whose answer is one token have no time per token, but do arrive.
  if (llvm::is_contained(ofRequests, name) &&
      distributionOf(of, name == "tpot" ? "ttft" : name)->count == 0)
    return "no request arrives after `warm_up`";
  static constexpr llvm::StringLiteral ofBatches[] = {
      "tbt",       "batch_size",  "batch_tokens", "flops",      "busy",
      "kv_usage",  "memory.peak", "copies_on",    "throughput", "utilization",
      "tier_hits", "prefix_hits", "exposed",      "accepted",   "tokens_per_step"};
  const std::string &teller = of.serving->toldBy;
  bool isOfBatches = name == "kv_usage.peak" || llvm::is_contained(ofBatches, name);
  return teller.empty() || !isOfBatches ? "" : teller + " tells of requests alone";
}

StatementMetrics perfc::servingMetrics() {
  static const MetricEntry table[] = {
      {"flops", [](Of of) { return metricNumber(of.serving->flops); }},
      {"run_time", [](Of of) { return metricNumber(of.serving->runTime); }},
      {"requests_per_s", [](Of of) { return metricNumber(of.serving->requestsPerSecond()); }},
      {"cost", servedMoney},
      {"cost_per_token", [](Of of) { return metricPerToken(servedMoney(of), of.tokens); }},
      {"busy", [](Of of) { return metricNumber(of.serving->meanOf(&ServedPool::busy)); }},
      {"kv_usage", usage},
      {"kv_usage.peak", peakUsage},
      {"preemptions",
       [](Of of) { return metricNumber(static_cast<double>(of.serving->preemptions)); }},
      {"goodput",
       [](Of of) {
         return ofGoals(of, static_cast<double>(of.serving->meeting) / of.serving->runTime);
       }},
      {"slo_attainment",
       [](Of of) {
         return ofGoals(of, static_cast<double>(of.serving->meeting) /
                                static_cast<double>(of.serving->requestCount));
       }},
      {"prefix_hits", [](Of of) { return prefixHits(of, &ServedPool::prefixHits); }},
      {"tier_hits", [](Of of) { return prefixHits(of, &ServedPool::tierHits); }},
      {"reroutes", [](Of of) { return metricNumber(static_cast<double>(of.serving->reroutes)); }},
      {"transfers", [](Of of) { return metricNumber(static_cast<double>(of.serving->transfers)); }},
      {"transfer_time", transferTime},
      {"transfer_bytes", [](Of of) { return metricNumber(of.serving->transferBytes); }},
      {"copies_on",
       [](Of of) {
         double sum = 0;
         for (const ServedPool &pool : of.serving->pools)
           sum += pool.copiesOn;
         return metricNumber(sum);
       }},
      {"accepted",
       [](Of of) {
         return guesses(of, [](const ServedPool &pool) {
           return static_cast<double>(pool.held) / static_cast<double>(pool.guessed);
         });
       }},
      {"tokens_per_step",
       [](Of of) {
         return guesses(of, [](const ServedPool &pool) {
           return 1 + static_cast<double>(pool.held) / static_cast<double>(pool.steps);
         });
       }},
  };
  return {table, distributionOf, unsaid};
}
