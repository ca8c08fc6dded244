// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"

#include "backends/emit/PartMetrics.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::driver;
using emit::KernelLine;

std::string perfc::driver::percent(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string perfc::driver::latencyText(const Uncertain &latency) {
  return formatEngineering(latency, BaseUnit::Second);
}

std::string perfc::driver::energyText(const Figure &energy) {
  return energy.isGiven() ? formatEngineering(energy.shown(), BaseUnit::Joule) : "-";
}

std::string perfc::driver::utilizationText(const Outcome &of) {
  return metric(of, "utilization")->hasNumber() ? percent(of.cost.utilization.central()) : "-";
}

/// Who computed a kernel: "loopnest: row_stationary".
static std::string madeBy(const CostPart &part) {
  return part.mapping.empty() ? part.provider : part.provider + ": " + part.mapping;
}

static std::string share(const Uncertain &part, const Uncertain &total) {
  return total.central() > 0 ? percent(part.central() / total.central()) : "-";
}

static std::vector<std::string> kernelRow(const KernelLine &line, const emit::Result &result) {
  const CostPart &part = *line.part;
  const Uncertain &total = result.cost.latency;
  const Provenance &common = result.cost.provenance;
  // What the title says of all kernels is not repeated.
  bool isCommon = part.provider == common.provider && part.mapping == common.mapping;
  return {part.label,
          line.isRest() ? "" : formatEngineering(static_cast<double>(line.count), {}),
          formatEngineering(line.latency.central(), BaseUnit::Second),
          share(line.latency, total),
          line.energy.isGiven() ? formatEngineering(line.energy.known.central(), BaseUnit::Joule)
                                : "-",
          line.macs > 0 ? percent(part.utilization) : "-",
          part.bound,
          isCommon ? "" : madeBy(part)};
}

/// Adds up lines that say the same of the same op: label, bound, provider and mapping.
static std::vector<KernelLine> merged(std::vector<KernelLine> lines) {
  std::vector<KernelLine> result;
  for (KernelLine &line : lines) {
    auto same = llvm::find_if(result, [&](const KernelLine &known) {
      const CostPart &a = *known.part, &b = *line.part;
      return a.label == b.label && a.bound == b.bound && a.mapping == b.mapping &&
             a.provider == b.provider && a.utilization == b.utilization;
    });
    if (same == result.end()) {
      result.push_back(std::move(line));
      continue;
    }
    same->count += line.count;
    same->latency += line.latency;
    same->energy += line.energy;
    same->flops += line.flops;
    same->macs += line.macs;
  }
  return result;
}

/// Kernels and collectives.
static size_t workCount(llvm::ArrayRef<KernelLine> lines) {
  return llvm::count_if(lines, [](const KernelLine &line) { return !line.isRest(); });
}

/// True for the lines to show: the `limit` longest, and beside these what is neither kernel nor
/// collective.
static std::vector<bool> chooseLongest(llvm::ArrayRef<KernelLine> lines, size_t limit) {
  std::vector<bool> shown(lines.size(), false);
  std::vector<size_t> order;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].isRest())
      shown[i] = true;
    else
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return lines[a].latency.central() > lines[b].latency.central();
  });
  for (size_t i = 0; i < std::min(limit, order.size()); ++i)
    shown[order[i]] = true;
  return shown;
}

Table perfc::driver::kernelTable(const emit::Result &result, size_t limit) {
  Table table({{"kernel", Align::Left},
               {"count"},
               {"latency"},
               {"share"},
               {"energy"},
               {"util"},
               {"bound", Align::Left},
               {"by", Align::Left}});
  std::vector<KernelLine> lines = emit::flatten(result.cost.breakdown);
  if (workCount(lines) > limit)
    lines = merged(std::move(lines));
  bool fold = workCount(lines) > limit;
  std::vector<bool> shown = chooseLongest(lines, fold ? limit - 1 : lines.size());
  size_t others = 0;
  int64_t runs = 0;
  Uncertain latency;
  Figure energy;
  std::vector<std::vector<std::string>> rest;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].isRest()) {
      rest.push_back(kernelRow(lines[i], result));
      continue;
    }
    if (shown[i]) {
      table.addRow(kernelRow(lines[i], result));
      continue;
    }
    ++others;
    runs += lines[i].count;
    latency += lines[i].latency;
    energy += lines[i].energy;
  }
  if (others)
    table.addRow({fmt::format("{} others", others),
                  formatEngineering(static_cast<double>(runs), {}),
                  formatEngineering(latency.central(), BaseUnit::Second),
                  share(latency, result.cost.latency), energyText(energy), "", "", ""});
  for (std::vector<std::string> &row : rest)
    table.addRow(std::move(row));
  return table;
}

/// Bytes of the parts of the fullest stage.
static std::vector<std::pair<std::string, double>> memoryParts(const TrainingSummary &summary) {
  const StageMemory *worst = &summary.stages.front();
  for (const StageMemory &stage : summary.stages)
    if (stage.total() > worst->total())
      worst = &stage;
  return {{"parameters", worst->parameters},
          {"gradients", worst->gradients},
          {"optimizer", worst->optimizer},
          {"activations", worst->activations},
          {"temporary", worst->temporary}};
}

/// A metric that the result has, with its interval.
static std::string metricText(const Outcome &of, const llvm::Twine &name) {
  llvm::Optional<MetricValue> found = metric(of, name.str());
  return found->hasNumber() ? formatEngineering(found->value, found->dimension)
                            : "not given: " + found->notGiven;
}

/// What is used of the memory, of what there is where that is known.
static std::string memoryText(const Cost &cost) {
  SizeBase base = capacityBase(cost);
  std::string used = formatSize(static_cast<double>(cost.peakMemory), base);
  return cost.memoryCapacity ? used + " of " + formatSize(*cost.memoryCapacity, base) : used;
}

/// What a training step comes to.
static Table trainingTable(const emit::Result &result) {
  const Cost &cost = result.cost;
  const TrainingSummary &summary = *result.training;
  Table table({{"", Align::Left}, {"", Align::Left}});
  auto add = [&](llvm::StringRef name, std::string text) { table.addRow({name.str(), text}); };
  auto seconds = [](double value) { return formatEngineering(value, BaseUnit::Second); };
  add("step", metricText(result, "step_time") +
                  fmt::format(": {} times {} forward and {} backward", summary.microbatches,
                              seconds(summary.forward), seconds(summary.backward)));
  add("tokens", metricText(result, "tokens_per_s"));
  double chips = static_cast<double>(summary.chips) * summary.stepTime;
  Dimension rate = Dimension(BaseUnit::Flop) / BaseUnit::Second;
  add("model",
      fmt::format("{} per chip, MFU {}", formatEngineering(summary.modelFlops / chips, rate),
                  percent(summary.mfu())));
  add("executed",
      fmt::format("{} per chip, HFU {}", formatEngineering(summary.executedFlops / chips, rate),
                  percent(summary.hfu())));
  if (summary.droppedTokens > 0)
    add("dropped", percent(summary.droppedTokens) + " of the tokens' choices of experts");
  if (summary.goodput < 1)
    add("goodput",
        fmt::format("{}: a checkpoint of {} every {}; {} per step", percent(summary.goodput),
                    seconds(summary.checkpointTime), seconds(summary.checkpointInterval),
                    metricText(result, "effective_step_time")));
  if (summary.steps > 1)
    add("run", fmt::format("{} in {}", counted(static_cast<int64_t>(summary.steps), "step"),
                           metricText(result, "run_time")));
  if (result.price)
    add("cost", metricText(result, "cost") + ", " + metricText(result, "cost_per_token"));
  add("bubble", percent(summary.bubble));
  add("exposed", metricText(result, "exposed") + " of communication");
  add("energy", metricText(result, "energy"));
  add("memory", memoryText(cost));
  for (const auto &[name, value] : memoryParts(summary))
    add("  " + name, formatSize(std::round(value), capacityBase(cost)));
  add("chips", formatEngineering(static_cast<double>(cost.chips), {}));
  if (!cost.bottleneck().empty())
    add("bound", cost.bottleneck().str());
  return table;
}

/// "12.30 ms; p50 11.00 ms, p90 …, p99 …".
static std::string distributionText(const Outcome &of, llvm::StringRef name,
                                    const Distribution &values) {
  if (values.count == 0)
    return "none";
  auto text = [&](const char *part) { return metricText(of, name + "." + part); };
  return fmt::format("{}; p50 {}, p90 {}, p99 {}, max {}", text("mean"), text("p50"), text("p90"),
                     text("p99"), text("max"));
}

/// What a stream of requests comes to.
static Table servingTable(const emit::Result &result) {
  const Cost &cost = result.cost;
  const ServingSummary &summary = *result.serving;
  Table table({{"", Align::Left}, {"", Align::Left}});
  auto add = [&](llvm::StringRef name, std::string text) { table.addRow({name.str(), text}); };
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
  if (summary.preemptions)
    add("restarts", formatEngineering(static_cast<double>(summary.preemptions), {}));
  add("energy", metricText(result, "energy"));
  if (result.price)
    add("cost", metricText(result, "cost") + ", " + metricText(result, "cost_per_token"));
  add("memory", memoryText(cost));
  auto part = [&](llvm::StringRef name, double value) {
    add(name, formatEngineering(std::round(value), Dimension(BaseUnit::Byte)));
  };
  part("  weights", summary.weightBytes);
  part("  activations", summary.activationBytes);
  part("  logits", summary.logitBytes);
  part("  reserved", summary.reservedBytes);
  part("  cache",
       summary.cacheBytes * static_cast<double>(summary.peakBlocks * summary.blockTokens));
  add("chips", formatEngineering(static_cast<double>(cost.chips), {}));
  if (!cost.bottleneck().empty())
    add("bound", cost.bottleneck().str());
  return table;
}

Table perfc::driver::totalsTable(const emit::Result &result) {
  const Cost &cost = result.cost;
  if (result.serving)
    return servingTable(result);
  if (result.training)
    return trainingTable(result);
  Table table({{"", Align::Left}, {"", Align::Left}});
  auto add = [&](llvm::StringRef name, std::string text) { table.addRow({name.str(), text}); };
  add("latency",
      latencyText(cost.latency) +
          (cost.cycles && cost.cycles->isCertain() && cost.latency.isCertain()
               ? " (" + formatEngineering(std::round(cost.cycles->central()), BaseUnit::Cycle) + ")"
               : ""));
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
  return table;
}

Table perfc::driver::accessTable(const Cost &cost) {
  bool areApart =
      llvm::any_of(cost.accesses, [](const AccessCounts &counts) { return counts.partialBits; });
  std::string apart = areApart ? ", partial + finished" : "";
  Table table({{"memory", Align::Left},
               {"tensor", Align::Left},
               {"fills"},
               {"reads"},
               {"updates" + apart},
               {"writebacks" + apart},
               {"resident"}});
  auto count = [](int64_t value) { return formatEngineering(static_cast<double>(value), {}); };
  // Partial sums, and of the words that carry results those that are finished.
  auto parts = [&](const AccessCounts &counts, int64_t all, int64_t finished) -> std::string {
    if (!counts.isOutput)
      return "-";
    if (!counts.partialBits)
      return count(all);
    return fmt::format("{} + {}", count(all - finished), count(finished));
  };
  for (const AccessCounts &counts : cost.accesses)
    table.addRow({counts.memory, counts.tensor, count(counts.fills), count(counts.reads),
                  parts(counts, counts.updates, counts.finishedUpdates),
                  parts(counts, counts.writebacks, counts.finishedWritebacks),
                  count(counts.maxResident)});
  return table;
}

//===-- report … by …
//--------------------------------------------------------------------------===//

llvm::Optional<std::vector<BreakdownRow>> perfc::driver::breakdownRows(const emit::Result &result,
                                                                       llvm::StringRef rows,
                                                                       size_t limit,
                                                                       size_t &others) {
  std::vector<BreakdownRow> list;
  const Cost &cost = result.cost;
  if (rows == "memory" || rows == "level" || rows == "component") {
    for (const MemoryTraffic &memory : cost.traffic)
      list.push_back(
          {memory.memory, [memory](llvm::StringRef name) { return emit::metric(memory, name); }});
    return list;
  }
  if (rows != "kernel" && rows != "op" && rows != "layer")
    return llvm::None;
  std::vector<KernelLine> lines = emit::flatten(cost.breakdown);
  if (rows != "layer" && workCount(lines) > limit)
    lines = merged(std::move(lines));
  std::vector<bool> shown = chooseLongest(lines, limit);
  for (size_t i = 0; i < lines.size(); ++i)
    if (shown[i])
      list.push_back({lines[i].part->label, [line = lines[i], &result](llvm::StringRef name) {
                        return emit::metric(line, name, result);
                      }});
  others = workCount(lines) > limit ? workCount(lines) - limit : 0;
  return list;
}
