// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/sema/Words.h"

using namespace perfc;

llvm::ArrayRef<MetricSpec> perfc::metrics() {
  using enum BaseUnit;
  static const MetricSpec table[] = {
      {"latency", Second, "s", "all", "time from start to end; in serve, of a request"},
      {"energy", Joule, "J", "all", "energy of all parts"},
      {"area", Dimension(Metre, 2), "m2", "all", "area of the chip, without what is off chip"},
      {"power", Dimension(Joule) / Second, "W", "all", "energy / latency"},
      {"utilization", {}, "", "loopnest, tile", "MACs / lanes / cycles"},
      {"edp", Dimension(Joule) * Second, "J*s", "all", "energy * latency"},
      {"throughput", Dimension(Flop) / Second, "FLOP/s", "all",
       "FLOPs / latency; in train, recompute included"},
      {"flops", Flop, "FLOP", "op", "floating-point operations, 2 per MAC"},
      {"macs", {}, "", "op", "multiply-accumulates"},
      {"traffic", Byte, "B", "all", "bytes moved, by memory"},
      {"cycles", Cycle, "cycle", "loopnest", "latency in cycles of the chip's clock"},
      {"chips", Chip, "chip", "collective", "chips of the system"},
      {"step_time", Second, "s", "train", "time of one step"},
      {"effective_step_time", Second, "s", "train",
       "time of one step with its share of failures and checkpoints"},
      {"run_time", Second, "s", "serve, train",
       "time of all steps, with failures and checkpoints; in serve, of all requests"},
      {"tokens_per_s", Dimension(Token) / Second, "token/s", "serve, train", "tokens per time"},
      {"mfu", {}, "", "train", "the model's FLOPs / (peak * time)"},
      {"hfu", {}, "", "train", "executed FLOPs / (peak * time)"},
      {"bubble", {}, "", "train", "share of time that pipeline stages wait"},
      {"exposed", Second, "s", "collective", "communication that nothing hides"},
      {"memory", Byte, "B", "phase", "bytes resident; memory.peak is the largest"},
      {"bus_bandwidth", Dimension(Byte) / Second, "B/s", "collective",
       "bytes per time and link that an ideal algorithm needs"},
      {"ttft", Second, "s", "serve", "time to first token"},
      {"tpot", Second, "s", "serve", "time per output token"},
      {"tbt", Second, "s", "serve", "time between a token of a request and the next"},
      {"queue_delay", Second, "s", "serve", "time from arrival to the first batch"},
      {"requests_per_s", Dimension(Request) / Second, "req/s", "serve", "requests per time"},
      {"batch_size", Request, "req", "serve", "requests in a batch"},
      {"batch_tokens", Token, "token", "serve", "tokens that a batch runs"},
      {"busy", {}, "", "serve", "share of time that stages work"},
      {"preemptions", {}, "", "serve", "how often a request lost its cache and started again"},
      {"goodput", Dimension(Request) / Second, "req/s", "serve",
       "requests per time that meet the goals"},
      {"kv_usage", {}, "", "serve", "share of the KV memory in use"},
      {"bottleneck", {}, "", "all", "the resource that sets the latency"},
      {"cost", Dollar, "USD", "system", "money for the run"},
  };
  return table;
}

const MetricSpec *perfc::findMetric(llvm::StringRef name) {
  for (const MetricSpec &metric : metrics())
    if (metric.name == name)
      return &metric;
  return nullptr;
}
