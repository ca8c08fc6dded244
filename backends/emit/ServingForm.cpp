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
static void addParts(const ServingSummary &summary, std::vector<TotalLine> &lines) {
  auto part = [&](llvm::StringRef name, double value) {
    lines.emplace_back(name.str(), formatEngineering(std::round(value), Dimension(BaseUnit::Byte)));
  };
  part("  weights", summary.weightBytes);
  part("  activations", summary.activationBytes);
  part("  logits", summary.logitBytes);
  part("  reserved", summary.reservedBytes);
  part("  cache",
       summary.cacheBytes * static_cast<double>(summary.peakBlocks * summary.blockTokens));
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
  add("tbt", distributionText(result, "tbt", summary.tbt));
  add("latency", distributionText(result, "latency", summary.latency));
  add("queue", distributionText(result, "queue_delay", summary.queueDelay));
  add("batch", fmt::format("{:.4g} requests, {:.4g} tokens in the mean of {}",
                           summary.batchSize.mean, summary.batchTokens.mean,
                           std::to_string(summary.batches.size()) +
                               (summary.batches.size() == 1 ? " batch" : " batches")));
  add("run", fmt::format("{} in {}: {}, {}", counted(summary.requests.size(), "request"),
                         metricText(result, "run_time"), metricText(result, "requests_per_s"),
                         metricText(result, "tokens_per_s")));
  add("busy", percent(summary.busy) +
                  fmt::format(" of the time; {} of the peak", percent(cost.utilization.central())));
  if (summary.blocks > 0)
    add("cache",
        fmt::format(
            "{} of {} at the most, {} in the mean; {} blocks of {}", percent(summary.peakUsage),
            formatEngineering(static_cast<double>(summary.blocks * summary.blockTokens),
                              BaseUnit::Token),
            percent(summary.usage), formatEngineering(static_cast<double>(summary.blocks), {}),
            counted(summary.blockTokens, "token")));
  else
    add("cache", "no limit: the chip's memory has no capacity");
  if (summary.meeting >= 0)
    add("goals", fmt::format("{} of the requests meet them: {}",
                             percent(static_cast<double>(summary.meeting) /
                                     static_cast<double>(summary.requests.size())),
                             metricText(result, "goodput")));
  if (summary.prefixHits >= 0)
    add("prefixes", percent(summary.prefixHits) + " of the tokens of prompts were in the cache");
  if (summary.preemptions)
    add("restarts", formatEngineering(static_cast<double>(summary.preemptions), {}));
  add("energy", metricText(result, "energy"));
  if (result.price)
    add("cost", metricText(result, "cost") + ", " + metricText(result, "cost_per_token"));
  add("memory", memoryText(cost));
  addParts(summary, lines);
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
  for (int64_t thread = 0; thread < summary.stages * summary.copies; ++thread) {
    std::string name = fmt::format("stage {}", thread % summary.stages);
    if (summary.copies > 1)
      name = fmt::format("copy {}, {}", thread / summary.stages, name);
    list.push(timelineName("thread_name", process, thread, name));
  }
  for (size_t number = 0; number < summary.batches.size(); ++number) {
    const ServedBatch &batch = summary.batches[number];
    const char *kind = batch.decodes == 0 ? "prompt" : batch.promptTokens == 0 ? "decode" : "mixed";
    for (size_t stage = 0; stage < batch.starts.size(); ++stage)
      list.push(timelineEvent(fmt::format("batch {}", number), kind, process,
                              batch.copy * summary.stages + static_cast<int64_t>(stage),
                              batch.starts[stage], batch.seconds[stage])
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
                  .set("copies", summary.copies)
                  .set("meeting_goals", summary.meeting < 0 ? Json() : Json(summary.meeting))
                  .set("prefix_hits", summary.prefixHits < 0 ? Json() : Json(summary.prefixHits))
                  .set("batches", static_cast<int64_t>(summary.batches.size()))
                  .set("blocks", summary.blocks > 0 ? Json(summary.blocks) : Json())
                  .set("block_tokens", summary.blockTokens)
                  .set("peak_blocks", summary.peakBlocks)
                  .set("cache_bytes_per_token", summary.cacheBytes)
                  .set("weight_bytes", summary.weightBytes)
                  .set("activation_bytes", summary.activationBytes)
                  .set("logit_bytes", summary.logitBytes)
                  .set("reserved_bytes", summary.reservedBytes);
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
