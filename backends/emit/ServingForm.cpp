// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What results of `serve` say of requests and batches.
#include "backends/emit/ChakraNodes.h"
#include "backends/emit/ResultText.h"
#include "backends/emit/StatementForm.h"
#include <cmath>

using namespace perfc;
using namespace perfc::emit;

/// "12.30 ms; p50 11.00 ms, p90 …, p99 …".
static std::string distributionText(const Outcome &of, llvm::StringRef name,
                                    const Distribution &values) {
  if (values.count == 0)
    return "none";
  auto text = [&](const char *part) { return metricText(of, name + "." + part); };
  return fmt::format("{}; p50 {}, p90 {}, p99 {}, max {}", text("mean"), text("p50"), text("p90"),
                     text("p99"), text("max"));
}

/// What fills the memory of the fullest rank.
static void addParts(const ServedPool &pool, std::vector<TotalLine> &lines) {
  auto part = [&](llvm::StringRef name, double value) {
    lines.emplace_back(name.str(), formatEngineering(std::round(value), Dimension(BaseUnit::Byte)));
  };
  part("  weights", pool.weightBytes);
  part("  activations", pool.activationBytes);
  part("  logits", pool.logitBytes);
  part("  reserved", pool.reservedBytes);
  part("  cache", pool.cacheBytes * static_cast<double>(pool.peakBlocks * pool.blockTokens));
}

static std::string cacheText(const ServedPool &pool) {
  if (pool.blocks == 0)
    return "no limit: the chip's memory has no capacity";
  if (pool.holdsStates)
    return fmt::format("{} of the caches of {} at the most, {} in the mean; {} each",
                       percent(pool.peakUsage),
                       counted(static_cast<uint64_t>(pool.blocks), "request"), percent(pool.usage),
                       formatEngineering(std::round(pool.cacheBytes), Dimension(BaseUnit::Byte)));
  return fmt::format(
      "{} of {} at the most, {} in the mean; {} blocks of {}", percent(pool.peakUsage),
      formatEngineering(static_cast<double>(pool.blocks * pool.blockTokens), BaseUnit::Token),
      percent(pool.usage), formatEngineering(static_cast<double>(pool.blocks), {}),
      counted(pool.blockTokens, "token"));
}

/// What is said of each pool, under its name where there are several.
static void addPools(const ServingSummary &summary, std::vector<TotalLine> &lines) {
  for (const ServedPool &pool : summary.pools) {
    auto add = [&](llvm::StringRef name, std::string text) {
      lines.emplace_back(pool.phase.empty() ? name.str() : "  " + name.str(), std::move(text));
    };
    if (!pool.phase.empty())
      lines.emplace_back(pool.phase, fmt::format("{}, busy {} of the time; {}",
                                                 counted(static_cast<uint64_t>(pool.chips), "chip"),
                                                 percent(pool.busy), pool.strategy));
    add("cache", cacheText(pool));
    if (pool.prefixHits >= 0)
      add("prefixes",
          percent(pool.prefixHits) + " of the tokens of prompts were in the cache" +
              (pool.tierHits > 0 ? ", " + percent(pool.tierHits) + " at the host" : ""));
    if (pool.steps > 0)
      add("guesses",
          fmt::format("{} held; {:.4g} tokens in each step",
                      percent(static_cast<double>(pool.held) / static_cast<double>(pool.guessed)),
                      1 + static_cast<double>(pool.held) / static_cast<double>(pool.steps)));
    if (pool.copiesOn < static_cast<double>(pool.copies) * (1 - 1e-9))
      add("copies", fmt::format("{:.4g} of {} on in the mean", pool.copiesOn, pool.copies));
    if (pool.faults > 0)
      add("outages", formatEngineering(static_cast<double>(pool.faults), {}));
  }
  if (summary.transfers > 0)
    lines.emplace_back(
        "transfers",
        fmt::format(
            "{} caches, {}; {} each, {} of waiting for others",
            formatEngineering(static_cast<double>(summary.transfers), {}),
            formatEngineering(summary.transferBytes, BaseUnit::Byte),
            formatEngineering(summary.transferSeconds / static_cast<double>(summary.transfers),
                              BaseUnit::Second),
            formatEngineering(summary.transferWaiting / static_cast<double>(summary.transfers),
                              BaseUnit::Second)));
  if (summary.reroutes > 0)
    lines.emplace_back("rerouted", counted(static_cast<uint64_t>(summary.reroutes), "request") +
                                       " went elsewhere, some perhaps again");
}

/// What a stream of requests comes to.
static std::vector<TotalLine> streamTotals(const emit::Result &result) {
  const Cost &cost = result.cost;
  const ServingSummary &summary = *result.serving;
  std::vector<TotalLine> lines;
  auto add = [&](llvm::StringRef name, std::string text) {
    lines.emplace_back(name.str(), std::move(text));
  };
  add("ttft", distributionText(result, "ttft", summary.ttft));
  add("tpot", distributionText(result, "tpot", summary.tpot));
  bool isTold = !summary.toldBy.empty();
  if (!isTold)
    add("tbt", distributionText(result, "tbt", summary.tbt));
  add("latency", distributionText(result, "latency", summary.latency));
  add("queue", distributionText(result, "queue_delay", summary.queueDelay));
  if (!isTold)
    add("batch", fmt::format("{:.4g} requests, {:.4g} tokens in the mean of {}",
                             summary.batchSize.mean, summary.batchTokens.mean,
                             std::to_string(summary.batchCount) +
                                 (summary.batchCount == 1 ? " batch" : " batches")));
  add("run", fmt::format("{} in {}: {}, {}",
                         counted(static_cast<uint64_t>(summary.requestCount), "request"),
                         metricText(result, "run_time"), metricText(result, "requests_per_s"),
                         metricText(result, "tokens_per_s")));
  if (!isTold) {
    add("busy",
        percent(summary.meanOf(&ServedPool::busy)) +
            fmt::format(" of the time; {} of the peak", percent(cost.utilization.central())));
    addPools(summary, lines);
  }
  if (summary.meeting >= 0)
    add("goals", fmt::format("{} of the requests meet them: {}",
                             percent(static_cast<double>(summary.meeting) /
                                     static_cast<double>(summary.requestCount)),
                             metricText(result, "goodput")));
  if (summary.preemptions)
    add("restarts", formatEngineering(static_cast<double>(summary.preemptions), {}));
  add("energy", metricText(result, "energy"));
  if (result.price)
    add("cost", metricText(result, "cost") + ", " + metricText(result, "cost_per_token"));
  if (!isTold) {
    add("memory", memoryText(cost));
    addParts(summary.fullest(), lines);
  }
  add("chips", formatEngineering(static_cast<double>(cost.chips), {}));
  if (!cost.bottleneck().empty())
    add("bound", cost.bottleneck().str());
  return lines;
}

/// A point in the life of request `number`: "b" its begin, "n" in between, "e" its end.
static Json requestEvent(const char *phase, const std::string &name, int64_t process, size_t number,
                         double time) {
  return Json::object()
      .set("name", name)
      .set("cat", "request")
      .set("ph", phase)
      .set("id", static_cast<int64_t>(number))
      .set("pid", process)
      .set("tid", int64_t(0))
      .set("ts", time * 1e6);
}

static void addBatches(const Result &of, int64_t process, Json &list) {
  const ServingSummary &summary = *of.serving;
  // A thread for each stage of each copy.
  int64_t next = 0;
  std::vector<int64_t> firstThreads;
  for (const ServedPool &pool : summary.pools) {
    firstThreads.push_back(next);
    for (int64_t i = 0; i < pool.stages * pool.copies; ++i) {
      std::string name = fmt::format("stage {}", i % pool.stages);
      if (pool.copies > 1)
        name = fmt::format("copy {}, {}", i / pool.stages, name);
      if (!pool.phase.empty())
        name = pool.phase + ", " + name;
      list.push(timelineName("thread_name", process, next++, name));
    }
  }
  for (size_t number = 0; number < summary.batches.size(); ++number) {
    const ServedBatch &batch = summary.batches[number];
    const ServedPool &pool = summary.poolOf(batch.copy);
    int64_t thread =
        firstThreads[&pool - summary.pools.data()] + (batch.copy - pool.firstCopy) * pool.stages;
    const char *kind = batch.decodes == 0 ? "prompt" : batch.promptTokens == 0 ? "decode" : "mixed";
    for (size_t stage = 0; stage < batch.starts.size(); ++stage)
      list.push(timelineEvent(fmt::format("batch {}", number), kind, process,
                              thread + static_cast<int64_t>(stage), batch.starts[stage],
                              batch.seconds[stage])
                    .set("args", Json::object()
                                     .set("requests", batch.requests)
                                     .set("prompt_tokens", batch.promptTokens)
                                     .set("decodes", batch.decodes)));
  }
  for (size_t number = 0; number < summary.requests.size(); ++number) {
    const ServedRequest &request = summary.requests[number];
    std::string name = fmt::format("request {}", number);
    list.push(requestEvent("b", name, process, number, request.arrival)
                  .set("args", Json::object()
                                   .set("prompt", request.prompt)
                                   .set("answer", request.answer)
                                   .set("restarts", request.restarts)));
    list.push(requestEvent("n", "scheduled", process, number, request.scheduled));
    list.push(requestEvent("n", "first token", process, number, request.first));
    list.push(requestEvent("e", name, process, number, request.done));
  }
}

/// null where nothing has a value: the time per token of answers of one token.
static Json distributionJson(const Distribution &values) {
  if (values.count == 0)
    return Json();
  Json json = Json::object();
  for (llvm::StringRef member : distributionMembers()) {
    llvm::Optional<double> value = values.member(member);
    json.set(member, value ? Json(*value) : Json());
  }
  return json;
}

static void addPool(const ServedPool &pool, Json &json) {
  json.set("copies", pool.copies)
      .set("copies_on", pool.copiesOn)
      .set("outages", pool.faults)
      .set("prefix_hits", pool.prefixHits < 0 ? Json() : Json(pool.prefixHits))
      .set("tier_hits", pool.prefixHits < 0 ? Json() : Json(pool.tierHits))
      .set("guessed_tokens", pool.guessed)
      .set("held_tokens", pool.held)
      .set("blocks", pool.blocks > 0 ? Json(pool.blocks) : Json())
      .set("block_tokens", pool.blockTokens)
      .set("peak_blocks", pool.peakBlocks)
      .set("cache_bytes_per_token", pool.holdsStates ? Json() : Json(pool.cacheBytes))
      .set("cache_bytes_per_request", pool.holdsStates ? Json(pool.cacheBytes) : Json())
      .set("weight_bytes", pool.weightBytes)
      .set("activation_bytes", pool.activationBytes)
      .set("logit_bytes", pool.logitBytes)
      .set("reserved_bytes", pool.reservedBytes);
}

/// What only a stream of requests has (docs/output.md).
static Json streamJson(const ServingSummary &summary) {
  Json requests = Json::array();
  for (const ServedRequest &request : summary.requests)
    requests.push(Json::object()
                      .set("arrival", request.arrival)
                      .set("scheduled", request.scheduled)
                      .set("first_token", request.first)
                      .set("done", request.done)
                      .set("prompt", request.prompt)
                      .set("answer", request.answer)
                      .set("restarts", request.restarts));
  Json json = Json::object()
                  .set("strategy", summary.strategy)
                  .set("prompt_tokens", summary.promptTokens)
                  .set("output_tokens", summary.outputTokens)
                  .set("meeting_goals", summary.meeting < 0 ? Json() : Json(summary.meeting))
                  .set("batches", summary.toldBy.empty() ? Json(summary.batchCount) : Json())
                  .set("reroutes", summary.reroutes)
                  .set("transfers", summary.transfers)
                  .set("transfer_bytes", summary.transferBytes);
  if (!summary.toldBy.empty()) {
    json.set("copies", summary.pools.front().copies);
  } else if (summary.pools.size() == 1) {
    addPool(summary.pools.front(), json);
  } else {
    Json pools = Json::array();
    for (const ServedPool &pool : summary.pools) {
      Json one = Json::object()
                     .set("phase", pool.phase)
                     .set("strategy", pool.strategy)
                     .set("batches", pool.batches)
                     .set("busy", pool.busy);
      addPool(pool, one);
      pools.push(std::move(one));
    }
    json.set("pools", std::move(pools));
  }
  json.set("ttft", distributionJson(summary.ttft))
      .set("tpot", distributionJson(summary.tpot))
      .set("tbt", distributionJson(summary.tbt))
      .set("latency", distributionJson(summary.latency))
      .set("queue_delay", distributionJson(summary.queueDelay))
      .set("batch_size", distributionJson(summary.batchSize))
      .set("batch_tokens", distributionJson(summary.batchTokens));
  return json.set("requests", std::move(requests));
}

const StatementForm &emit::servingForm() {
  static constexpr llvm::StringLiteral compared[] = {"ttft", "tpot", "latency", "tokens_per_s",
                                                     "energy"};
  auto addStream = [](const Result &of, Json &json) {
    json.set("serving", streamJson(*of.serving));
  };
  static const StatementForm form = {streamTotals, compared,     "run_time",
                                     addBatches,   writeServing, addStream};
  return form;
}
