// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of a cost by name. docs/cost-model.md has their definitions.
#include "backends/core/Cost.h"
#include "backends/core/Leakage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

static Dimension seconds() { return BaseUnit::Second; }
static Dimension joules() { return BaseUnit::Joule; }

static MetricValue number(Uncertain value, Dimension dimension = {}) {
  MetricValue result;
  result.value = std::move(value);
  result.dimension = dimension;
  return result;
}

static MetricValue unknown(std::string why, Dimension dimension) {
  MetricValue result;
  result.dimension = dimension;
  result.notGiven = std::move(why);
  return result;
}

/// `figure`, called `name`, where all of it is given.
static MetricValue figureMetric(const Figure &figure, llvm::StringRef name, Dimension dimension) {
  if (figure.isGiven())
    return number(figure.known, dimension);
  return unknown((name + " of " + llvm::join(figure.missing, ", ") + " is not given").str(),
                 dimension);
}

/// The energy and, from it, what `derive` makes of it.
template <typename Derive>
static MetricValue fromEnergy(const Cost &cost, Dimension dimension, Derive derive) {
  MetricValue energy = figureMetric(cost.energy, "energy", dimension);
  if (energy.hasNumber())
    energy.value = derive(energy.value);
  return energy;
}

static MetricValue perLatency(const Cost &cost, Uncertain amount, Dimension dimension) {
  if (cost.latency.central() == 0)
    return unknown("the latency is 0", dimension);
  return number(std::move(amount) / cost.latency, dimension);
}

/// True where some of the energy is that of what leaks all the time.
static bool hasStaticPower(const CostPart &part) {
  return part.label == leakageLabel || llvm::any_of(part.children, hasStaticPower);
}

/// Without the static power of a chip only the value is known, as a lower bound; how far it may be
/// off is not.
static MetricValue power(const Cost &cost) {
  Dimension dimension = joules() / seconds();
  if (cost.latency.central() == 0)
    return unknown("the latency is 0", dimension);
  return fromEnergy(cost, dimension, [&](const Uncertain &energy) {
    Uncertain power = energy / cost.latency;
    return hasStaticPower(cost.breakdown) ? power : Uncertain(power.central());
  });
}

static MetricValue cycles(const Cost &cost) {
  if (!cost.cycles)
    return unknown("the clock of the chip is not given", BaseUnit::Cycle);
  return number(*cost.cycles, BaseUnit::Cycle);
}

static MetricValue busBandwidth(const Cost &cost) {
  Dimension dimension = Dimension(BaseUnit::Byte) / seconds();
  if (!cost.busBandwidth)
    return unknown("only a single collective that moves data has a bus bandwidth", dimension);
  return number(*cost.busBandwidth, dimension);
}

static bool has(const CostPart &part, PartKind kind) {
  return part.kind == kind ||
         llvm::any_of(part.children, [&](const CostPart &inner) { return has(inner, kind); });
}

/// True for collectives alone: what the memories of their chips do for them is not known.
static bool isCollective(const Cost &cost) {
  return !cost.training && !cost.serving && has(cost.breakdown, PartKind::Collective) &&
         !has(cost.breakdown, PartKind::Kernel);
}

static MetricValue traffic(const Cost &cost) {
  if (isCollective(cost))
    return unknown("what memories move for a collective is not counted", BaseUnit::Byte);
  return number(cost.trafficBytes(), BaseUnit::Byte);
}

static MetricValue peakMemory(const Cost &cost) {
  if (isCollective(cost))
    return unknown("what memories hold for a collective is not counted", BaseUnit::Byte);
  return number(cost.peakMemory, BaseUnit::Byte);
}

static MetricValue bottleneck(const Cost &cost) {
  MetricValue result;
  result.text = cost.bottleneck().empty() ? "none" : cost.bottleneck().str();
  return result;
}

namespace {
struct MetricEntry {
  llvm::StringRef name;
  MetricValue (*compute)(const Cost &);
};
} // namespace

static llvm::ArrayRef<MetricEntry> metricTable() {
  static const MetricEntry table[] = {
      {"latency", [](const Cost &cost) { return number(cost.latency, seconds()); }},
      {"energy", [](const Cost &cost) { return figureMetric(cost.energy, "energy", joules()); }},
      {"area",
       [](const Cost &cost) {
         return figureMetric(cost.area, "area", Dimension(BaseUnit::Metre, 2));
       }},
      {"power", power},
      {"utilization", [](const Cost &cost) { return number(cost.utilization); }},
      {"edp",
       [](const Cost &cost) {
         return fromEnergy(cost, joules() * seconds(),
                           [&](const Uncertain &energy) { return energy * cost.latency; });
       }},
      {"throughput",
       [](const Cost &cost) {
         return perLatency(cost, cost.flops, Dimension(BaseUnit::Flop) / seconds());
       }},
      {"flops", [](const Cost &cost) { return number(cost.flops, BaseUnit::Flop); }},
      {"macs", [](const Cost &cost) { return number(cost.macs); }},
      {"traffic", traffic},
      {"cycles", cycles},
      {"chips", [](const Cost &cost) { return number(cost.chips, BaseUnit::Chip); }},
      {"exposed", [](const Cost &cost) { return number(cost.exposed, seconds()); }},
      {"memory.peak", peakMemory},
      {"bus_bandwidth", busBandwidth},
      {"bottleneck", bottleneck},
  };
  return table;
}

namespace {
struct TrainingMetric {
  llvm::StringRef name;
  Dimension dimension;
  double (*compute)(const TrainingSummary &);
};
} // namespace

static double largest(const TrainingSummary &summary, double StageMemory::*part) {
  double most = 0;
  for (const StageMemory &stage : summary.stages)
    most = std::max(most, stage.*part);
  return most;
}

/// Metrics of a training step, also those that it defines in its own way.
static llvm::ArrayRef<TrainingMetric> trainingTable() {
  using Summary = const TrainingSummary &;
  static const TrainingMetric table[] = {
      {"step_time", seconds(), [](Summary s) { return s.stepTime; }},
      {"tokens_per_s", Dimension(BaseUnit::Token) / seconds(),
       [](Summary s) { return s.tokens / s.stepTime; }},
      {"effective_step_time", seconds(), [](Summary s) { return s.effectiveStep(); }},
      {"run_time", seconds(), [](Summary s) { return s.runTime; }},
      {"mfu", {}, [](Summary s) { return s.mfu(); }},
      {"hfu", {}, [](Summary s) { return s.hfu(); }},
      {"bubble", {}, [](Summary s) { return s.bubble; }},
      {"throughput", Dimension(BaseUnit::Flop) / seconds(),
       [](Summary s) { return s.executedFlops / s.stepTime; }},
      {"flops", BaseUnit::Flop, [](Summary s) { return s.executedFlops; }},
      {"macs", {}, [](Summary s) { return s.executedFlops / 2; }},
      {"memory.parameters", BaseUnit::Byte,
       [](Summary s) { return largest(s, &StageMemory::parameters); }},
      {"memory.gradients", BaseUnit::Byte,
       [](Summary s) { return largest(s, &StageMemory::gradients); }},
      {"memory.optimizer", BaseUnit::Byte,
       [](Summary s) { return largest(s, &StageMemory::optimizer); }},
      {"memory.activations", BaseUnit::Byte,
       [](Summary s) { return largest(s, &StageMemory::activations); }},
  };
  return table;
}

namespace {
struct ServingMetric {
  llvm::StringRef name;
  Dimension dimension;
  double (*compute)(const ServingSummary &);
};

/// A metric that is a distribution: its name alone stands for its mean.
struct DistributionMetric {
  llvm::StringRef name;
  Dimension dimension;
  Distribution ServingSummary::*values;
};
} // namespace

static llvm::ArrayRef<ServingMetric> servingTable() {
  using Summary = const ServingSummary &;
  static const ServingMetric table[] = {
      {"run_time", seconds(), [](Summary s) { return s.runTime; }},
      {"tokens_per_s", Dimension(BaseUnit::Token) / seconds(),
       [](Summary s) { return s.tokensPerSecond(); }},
      {"requests_per_s", Dimension(BaseUnit::Request) / seconds(),
       [](Summary s) { return s.requestsPerSecond(); }},
      {"utilization", {}, [](Summary s) { return s.flops / (s.peak * s.runTime); }},
      {"busy", {}, [](Summary s) { return s.busy; }},
      {"kv_usage", {}, [](Summary s) { return s.usage; }},
      {"kv_usage.peak", {}, [](Summary s) { return s.peakUsage; }},
      {"preemptions", {}, [](Summary s) { return static_cast<double>(s.preemptions); }},
      {"flops", BaseUnit::Flop, [](Summary s) { return s.flops; }},
      {"throughput", Dimension(BaseUnit::Flop) / seconds(),
       [](Summary s) { return s.flops / s.runTime; }},
  };
  return table;
}

static llvm::ArrayRef<DistributionMetric> distributionTable() {
  static const DistributionMetric table[] = {
      {"latency", seconds(), &ServingSummary::latency},
      {"ttft", seconds(), &ServingSummary::ttft},
      {"tpot", seconds(), &ServingSummary::tpot},
      {"tbt", seconds(), &ServingSummary::tbt},
      {"queue_delay", seconds(), &ServingSummary::queueDelay},
      {"batch_size", BaseUnit::Request, &ServingSummary::batchSize},
      {"batch_tokens", BaseUnit::Token, &ServingSummary::batchTokens},
  };
  return table;
}

static constexpr std::pair<llvm::StringLiteral, double Distribution::*> distributionParts[] = {
    {"mean", &Distribution::mean}, {"min", &Distribution::least}, {"max", &Distribution::most},
    {"p50", &Distribution::p50},   {"p90", &Distribution::p90},   {"p95", &Distribution::p95},
    {"p99", &Distribution::p99}};

/// A metric of a stream of requests; nothing for what it has like other results.
static llvm::Optional<MetricValue> servingMetric(const ServingSummary &summary,
                                                 llvm::StringRef name) {
  if (name.startswith("kv_usage") && summary.blocks == 0)
    return unknown("nothing limits the cache", {});
  for (const ServingMetric &entry : servingTable())
    if (entry.name == name)
      return number(entry.compute(summary), entry.dimension);
  if (name == "goodput")
    return unknown("which requests meet the goals is not told apart yet",
                   Dimension(BaseUnit::Request) / seconds());
  auto [base, part] = name.split('.');
  for (const DistributionMetric &entry : distributionTable()) {
    if (entry.name != base)
      continue;
    const Distribution &values = summary.*entry.values;
    if (values.count == 0)
      return unknown("no request has more than one token of answer", entry.dimension);
    for (const auto &[known, member] : distributionParts)
      if (known == (part.empty() ? "mean" : part))
        return number(values.*member, entry.dimension);
  }
  return llvm::None;
}

/// Money for the run: for its chips, and for the part of its energy that is known.
static MetricValue priceOf(const Cost &cost) {
  if (!cost.training || !cost.training->hasPrice)
    return unknown(cost.training ? "no `price` is given" : "only a training run has a price",
                   BaseUnit::Dollar);
  return number(cost.training->chipCost + cost.training->energyCost * cost.energy.known.central(),
                BaseUnit::Dollar);
}

/// What a `replay` cannot know: nodes of traces have times.
static llvm::Optional<MetricValue> untimedMetric(llvm::StringRef name) {
  Dimension flops = BaseUnit::Flop;
  if (name == "utilization" || name == "macs")
    return unknown("`replay` does not know what kernels compute", {});
  if (name == "flops" || name == "throughput")
    return unknown("`replay` does not know what kernels compute",
                   name == "flops" ? flops : flops / seconds());
  if (name == "memory.peak")
    return unknown("`replay` does not know what memories hold", BaseUnit::Byte);
  return llvm::None;
}

/// What only evaluations count: a step of `train` and a run of `serve` are made of times and work,
/// a `replay` of times.
static llvm::Optional<MetricValue> uncountedMetric(const Cost &cost, llvm::StringRef name) {
  if (!cost.training && !cost.serving && !cost.isTimesOnly)
    return llvm::None;
  if (cost.isTimesOnly)
    if (llvm::Optional<MetricValue> missing = untimedMetric(name))
      return missing;
  llvm::StringRef statement = cost.training ? "train" : cost.serving ? "serve" : "replay";
  if (name == "traffic" || name.startswith("traffic."))
    return unknown(("`" + llvm::Twine(statement) + "` does not count what memories move").str(),
                   BaseUnit::Byte);
  if (name == "cycles")
    return unknown(("`" + llvm::Twine(statement) + "` does not count cycles").str(),
                   BaseUnit::Cycle);
  if (name == "macs" && cost.serving) // its operations are those of products and of others together
    return unknown("`serve` does not count multiply-accumulates alone", {});
  return llvm::None;
}

/// The metric without the moves of `cost.ends`.
static llvm::Optional<MetricValue> ownMetric(const Cost &cost, llvm::StringRef name) {
  if (name == "cost")
    return priceOf(cost);
  if (llvm::Optional<MetricValue> missing = uncountedMetric(cost, name))
    return missing;
  if (cost.training)
    for (const TrainingMetric &entry : trainingTable())
      if (entry.name == name)
        return number(entry.compute(*cost.training), entry.dimension);
  if (cost.serving)
    if (llvm::Optional<MetricValue> found = servingMetric(*cost.serving, name))
      return found;
  for (const MetricEntry &entry : metricTable())
    if (entry.name == name)
      return entry.compute(cost);
  if (!name.consume_front("traffic."))
    return llvm::None;
  for (const MemoryTraffic &memory : cost.traffic)
    if (memory.memory == name)
      return number(memory.bytes(), BaseUnit::Byte);
  return llvm::None;
}

llvm::Optional<MetricValue> perfc::metric(const Cost &cost, llvm::StringRef name) {
  llvm::Optional<MetricValue> found = ownMetric(cost, name);
  if (cost.ends.empty() || !found || !found->hasNumber())
    return found;
  double centre = found->value.central();
  found->value = cost.withMoves([&](const Cost &end) {
    llvm::Optional<MetricValue> there = ownMetric(end, name);
    return there && there->hasNumber() ? there->value.central() : centre;
  });
  return found;
}

llvm::ArrayRef<llvm::StringRef> perfc::trainingMetricNames() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (const TrainingMetric &entry : trainingTable())
      list.push_back(entry.name);
    return list;
  }();
  return names;
}

llvm::ArrayRef<llvm::StringRef> perfc::servingMetricNames() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (const DistributionMetric &entry : distributionTable())
      list.push_back(entry.name);
    for (const ServingMetric &entry : servingTable())
      list.push_back(entry.name);
    return list;
  }();
  return names;
}

llvm::ArrayRef<llvm::StringRef> perfc::distributionMembers() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (const auto &[name, member] : distributionParts)
      list.push_back(name);
    return list;
  }();
  return names;
}

llvm::ArrayRef<llvm::StringRef> perfc::metricNames() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (const MetricEntry &entry : metricTable())
      list.push_back(entry.name);
    return list;
  }();
  return names;
}
