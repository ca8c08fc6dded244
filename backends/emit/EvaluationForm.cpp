// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What results of `evaluate` and its like say, and those of `replay`, which have times alone.
#include "backends/emit/ChakraNodes.h"
#include "backends/emit/ResultText.h"
#include "backends/emit/StatementForm.h"
#include <cmath>

using namespace perfc;
using namespace perfc::emit;

static std::vector<TotalLine> costTotals(const Result &result) {
  const Cost &cost = result.cost;
  std::vector<TotalLine> lines;
  auto add = [&](llvm::StringRef name, std::string text) {
    lines.emplace_back(name.str(), std::move(text));
  };
  add("latency",
      latencyText(cost.latency) +
          (cost.cycles && cost.cycles->isCertain() && cost.latency.isCertain()
               ? " (" + formatEngineering(std::round(cost.cycles->central()), BaseUnit::Cycle) + ")"
               : ""));
  if (!result.ensemble.empty())
    add("spread", percent(metric(result, "spread")->value.central()) + " between the " +
                      counted(result.ensemble.size(), "answer"));
  for (llvm::StringRef name : {"energy", "area", "power"}) {
    llvm::Optional<MetricValue> value = metric(result, name);
    if (value->hasNumber())
      add(name, formatEngineering(value->value, value->dimension));
    else if (name != "power")
      add(name, "not given: " + value->notGiven);
  }
  if (cost.macs)
    add("utilization", percent(cost.utilization.central()) + " of " +
                           formatEngineering(static_cast<double>(cost.macs), {}) + " MACs");
  llvm::Optional<MetricValue> throughput = metric(result, "throughput");
  if (cost.flops && throughput->hasNumber())
    add("throughput", formatEngineering(throughput->value, throughput->dimension));
  if (result.tokens > 0)
    add("tokens", metricText(result, "tokens_per_s"));
  if (result.price)
    add("cost",
        metricText(result, "cost") +
            (result.tokens > 0 ? ", " + metricText(result, "cost_per_token") : std::string()));
  if (cost.peakMemory)
    add("memory", memoryText(cost));
  if (cost.chips > 1)
    add("chips", formatEngineering(static_cast<double>(cost.chips), {}) + ", communication " +
                     latencyText(cost.exposed));
  if (!cost.bottleneck().empty())
    add("bound", cost.bottleneck().str());
  return lines;
}

/// A thread of kernels.
static void addKernels(const Result &of, int64_t process, Json &list) {
  double start = 0;
  for (const KernelLine &line : flatten(of.cost.breakdown)) {
    double duration = line.latency.central();
    list.push(timelineEvent(line.part->label, partKindName(line.part->kind), process, 0, start,
                            duration));
    start += duration;
  }
}

const StatementForm &emit::evaluationForm() {
  static constexpr llvm::StringLiteral compared[] = {"latency", "energy"};
  static const StatementForm form = {costTotals, compared, "latency", addKernels, writeEvaluation};
  return form;
}

const StatementForm &emit::replayForm() {
  static constexpr llvm::StringLiteral compared[] = {"latency", "energy"};
  static const StatementForm form = {costTotals, compared, "latency", addKernels, writeReplay};
  return form;
}
