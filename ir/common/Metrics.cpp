// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/Metrics.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;

using enum BaseUnit;
using enum MetricForm;

static Dimension bytes() { return Byte; }
static Dimension perSecond(Dimension what) { return what / Second; }

static llvm::ArrayRef<MetricSpec> evaluationTable() {
  static const MetricSpec table[] = {
      {"latency", Second, "s", "time from start to end"},
      {"energy", Joule, "J", "energy of all parts of all chips"},
      {"area", Dimension(Metre, 2), "m2", "area of a chip, without what is off chip"},
      {"power", perSecond(Joule), "W", "energy / latency"},
      {"utilization",
       {},
       "",
       "macs / lanes / cycles, over several kernels weighted with time",
       Share},
      {"edp", Dimension(Joule) * Second, "J*s", "energy * latency"},
      {"throughput", perSecond(Flop), "FLOP/s", "flops / latency"},
      {"flops", Flop, "FLOP", "floating-point operations, 2 for each of `macs`"},
      {"macs", {}, "", "multiply-accumulates"},
      {"parameters", {}, "", "elements of the weights of what is evaluated"},
      {"traffic", bytes(), "B", "bytes that the memories move; traffic.NAME is that of one",
       Family},
      {"cycles", Cycle, "cycle", "latency in cycles of the chip's clock"},
      {"chips", Chip, "chip", "chips of the system"},
      {"exposed", Second, "s", "time of communication that nothing hides"},
      {"memory.peak", bytes(), "B", "bytes that are resident in the outermost memory at one time"},
      {"bus_bandwidth", perSecond(Byte), "B/s",
       "of a single collective: bytes per time and link that an ideal algorithm needs"},
      {"bottleneck", {}, "", "the resource that limits for the longest time", Text},
      {"spread",
       {},
       "",
       "of an ensemble: its largest less its smallest latency, over its own",
       Share},
      {"tokens_per_s", perSecond(Token), "token/s",
       "tokens / latency, where the workload reads `token` tensors", Number, /*needsTokens=*/true},
      {"cost", Dollar, "USD", "money for the latency of the chips and for the energy (`price`)"},
      {"cost_per_token", Dimension(Dollar) / Token, "USD/token", "cost / tokens"},
  };
  return table;
}

static llvm::ArrayRef<MetricSpec> trainingTable() {
  static const MetricSpec table[] = {
      {"latency", Second, "s", "the same as `step_time`"},
      {"energy", Joule, "J", "energy of a step, of all parts of all chips"},
      {"area", Dimension(Metre, 2), "m2", "area of a chip, without what is off chip"},
      {"power", perSecond(Joule), "W", "energy / step_time"},
      {"utilization", {}, "", "the same as `hfu`", Share},
      {"edp", Dimension(Joule) * Second, "J*s", "energy * step_time"},
      {"throughput", perSecond(Flop), "FLOP/s", "flops / step_time"},
      {"flops", Flop, "FLOP", "operations of a step, with what is computed again"},
      {"macs", {}, "", "flops / 2"},
      {"chips", Chip, "chip", "chips of the system"},
      {"exposed", Second, "s",
       "time of a step in communication that nothing hides, mean of the stages"},
      {"memory.peak", bytes(), "B", "bytes that a rank of the fullest stage holds"},
      {"bottleneck", {}, "", "what takes most of a step", Text},
      {"step_time", Second, "s", "time of a step"},
      {"tokens_per_s", perSecond(Token), "token/s", "tokens of a step / step_time", Number,
       /*needsTokens=*/true},
      {"samples_per_s", perSecond(Sample), "sample/s", "samples of a step / step_time"},
      {"effective_step_time", Second, "s",
       "time of a step with its share of failures and checkpoints"},
      {"run_time", Second, "s", "effective_step_time * steps"},
      {"mfu", {}, "", "FLOPs of the model in a step / (peak * chips * step_time)", Share},
      {"hfu", {}, "", "flops / (peak * chips * step_time)", Share},
      {"bubble", {}, "", "share of a step in which pipeline stages wait", Share},
      {"memory.parameters", bytes(), "B", "largest part of a stage that holds parameters"},
      {"memory.gradients", bytes(), "B", "largest part of a stage that holds gradients"},
      {"memory.optimizer", bytes(), "B",
       "largest part of a stage that holds the optimizer's state"},
      {"memory.activations", bytes(), "B",
       "largest part of a stage that is kept for the backward pass"},
      {"run_energy", Joule, "J", "energy of all steps: energy * run_time / step_time"},
      {"cost", Dollar, "USD", "money for `run_time` of the chips and for `run_energy` (`price`)"},
      {"cost_per_token", Dimension(Dollar) / Token, "USD/token", "cost / tokens of all steps",
       Number, /*needsTokens=*/true},
  };
  return table;
}

static llvm::ArrayRef<MetricSpec> servingTable() {
  static const MetricSpec table[] = {
      {"latency", Second, "s", "time of a request from its arrival to its last token",
       Distribution},
      {"energy", Joule, "J", "energy of the run, of all parts of all chips"},
      {"area", Dimension(Metre, 2), "m2", "area of a chip, without what is off chip"},
      {"power", perSecond(Joule), "W", "energy / run_time"},
      {"utilization", {}, "", "flops / (peak * chips * run_time)", Share},
      {"edp", Dimension(Joule) * Second, "J*s", "energy * latency"},
      {"throughput", perSecond(Flop), "FLOP/s", "flops / run_time"},
      {"flops", Flop, "FLOP", "operations of the run"},
      {"chips", Chip, "chip", "chips of the system"},
      {"exposed", Second, "s", "time of the run in communication, mean of the stages"},
      {"memory.peak", bytes(), "B",
       "bytes of weights, activations and cache that a rank of the fullest stage holds"},
      {"bottleneck", {}, "", "what takes most of the run", Text},
      {"ttft", Second, "s", "time of a request from its arrival to its first token", Distribution},
      {"tpot", Second, "s", "time per token of an answer after the first", Distribution},
      {"tbt", Second, "s", "time between a token and the next, over all tokens", Distribution},
      {"queue_delay", Second, "s", "time of a request from its arrival to its first iteration",
       Distribution},
      {"batch_size", Request, "req", "requests of a batch", Distribution},
      {"batch_tokens", Token, "token", "tokens that a batch runs", Distribution},
      {"run_time", Second, "s", "time until the last request is done"},
      {"tokens_per_s", perSecond(Token), "token/s", "tokens of answers / run_time"},
      {"requests_per_s", perSecond(Request), "req/s", "requests / run_time"},
      {"busy", {}, "", "share of the run in which a stage works, mean of the stages", Share},
      {"kv_usage", {}, "", "share of the cache that requests hold, mean over the run", Share},
      {"kv_usage.peak", {}, "", "the largest share of the cache that requests hold", Share},
      {"preemptions", {}, "", "how often a request lost its cache and started again"},
      {"goodput", perSecond(Request), "req/s", "requests that meet `slo` / run_time"},
      {"slo_attainment", {}, "", "share of the requests that meet `slo`", Share},
      {"prefix_hits", {}, "", "share of the tokens of prompts that the prefix cache had", Share},
      {"tier_hits", {}, "", "share of these that the tier at the host had", Share},
      {"reroutes", {}, "", "how often a request went elsewhere since its copy broke"},
      {"transfers", {}, "", "caches that moved from the pool of prompts to that of tokens"},
      {"transfer_time", Second, "s", "mean time of one on the network"},
      {"transfer_bytes", Byte, "B", "of all of them"},
      {"copies_on", {}, "", "copies of the model that are on, mean over the run"},
      {"accepted", {}, "", "share of the guessed tokens that held (`draft`)", Share},
      {"tokens_per_step", {}, "", "tokens of a request in a step with guesses"},
      {"cost", Dollar, "USD", "money for `run_time` of the chips and for the energy (`price`)"},
      {"cost_per_token", Dimension(Dollar) / Token, "USD/token", "cost / tokens of answers"},
  };
  return table;
}

static llvm::ArrayRef<MetricSpec> replayTable() {
  static const MetricSpec table[] = {
      {"latency", Second, "s", "time until the last rank has finished"},
      {"chips", Chip, "chip", "ranks of the trace"},
      {"exposed", Second, "s", "time of the last rank in communication that no kernel hides"},
      {"bottleneck", {}, "", "what takes most of the time of the last rank", Text},
  };
  return table;
}

namespace {
struct KindOfResult {
  ResultKind kind;
  llvm::ArrayRef<MetricSpec> metrics;
  llvm::StringLiteral statements;
};
} // namespace

static const KindOfResult &rowOf(ResultKind kind) {
  static const KindOfResult table[] = {
      {ResultKind::Evaluation, evaluationTable(), "`evaluate`, `compare`, `search`"},
      {ResultKind::Training, trainingTable(), "`train`"},
      {ResultKind::Serving, servingTable(), "`serve`"},
      {ResultKind::Replay, replayTable(), "`replay`"}};
  return *llvm::find_if(table, [&](const KindOfResult &row) { return row.kind == kind; });
}

llvm::ArrayRef<llvm::StringRef> perfc::distributionMembers() {
  static constexpr llvm::StringRef members[] = {"mean", "min",      "max",      "p50",
                                                "p90",  "p95",      "p99",      "p999",
                                                "half", "p50_half", "p90_half", "p99_half"};
  return members;
}

llvm::ArrayRef<MetricSpec> perfc::metricsOf(ResultKind kind) { return rowOf(kind).metrics; }

llvm::StringRef perfc::statementsOf(ResultKind kind) { return rowOf(kind).statements; }

const MetricSpec *perfc::findMetric(ResultKind kind, llvm::StringRef name) {
  for (const MetricSpec &metric : metricsOf(kind))
    if (metric.name == name)
      return &metric;
  return nullptr;
}

const MetricSpec *perfc::findMetric(llvm::StringRef name) {
  for (ResultKind kind : resultKinds)
    if (const MetricSpec *found = findMetric(kind, name))
      return found;
  return nullptr;
}

const MetricSpec *perfc::findMetricOf(llvm::StringRef path) {
  for (; !path.empty(); path = path.rsplit('.').first) {
    if (const MetricSpec *found = findMetric(path))
      return found;
    if (!path.contains('.'))
      break;
  }
  return nullptr;
}

std::string perfc::statementsWith(llvm::StringRef metric) {
  std::string text;
  for (ResultKind kind : resultKinds)
    if (findMetric(kind, metric))
      text += (text.empty() ? "" : ", ") + statementsOf(kind).str();
  return text;
}
