// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of a cost by name. What each is, is defined by the table of its statement in
// ir/common/Metrics; here one row says how a name is computed, whatever the statement. The time of
// a cost is that of a step of `train`, of the run of `serve`.
#include "backends/core/Cost.h"
#include "backends/core/Leakage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace perfc;

static MetricValue number(Uncertain value) {
  MetricValue result;
  result.value = std::move(value);
  return result;
}

static MetricValue unknown(std::string why) {
  MetricValue result;
  result.notGiven = std::move(why);
  return result;
}

/// `figure`, called `name`, where all of it is given.
static MetricValue figureMetric(const Figure &figure, llvm::StringRef name) {
  if (figure.isGiven())
    return number(figure.known);
  return unknown((name + " of " + llvm::join(figure.missing, ", ") + " is not given").str());
}

static MetricValue ratio(const MetricValue &amount, const Uncertain &seconds) {
  if (!amount.hasNumber())
    return amount;
  return seconds.central() == 0 ? unknown("the latency is 0") : number(amount.value / seconds);
}

static double flopsOf(const Cost &cost) {
  return cost.training  ? cost.training->executedFlops
         : cost.serving ? cost.serving->flops
                        : static_cast<double>(cost.flops);
}

static MetricValue macs(const Cost &cost) {
  return number(cost.training ? cost.training->executedFlops / 2 : static_cast<double>(cost.macs));
}

static MetricValue energy(const Cost &cost) { return figureMetric(cost.energy, "energy"); }

/// Energy times the metric `latency`: of a `serve` the mean of its requests.
static MetricValue edp(const Cost &cost) {
  MetricValue result = energy(cost), latency = *metric(cost, "latency");
  if (!result.hasNumber() || !latency.hasNumber())
    return result.hasNumber() ? latency : result;
  return number(result.value * latency.value);
}

/// True where some of the energy is that of what leaks all the time.
static bool hasStaticPower(const CostPart &part) {
  return part.label == leakageLabel || llvm::any_of(part.children, hasStaticPower);
}

/// Without the static power of a chip only the value is known, as a lower bound; how far it may be
/// off is not.
static MetricValue power(const Cost &cost) {
  MetricValue result = ratio(energy(cost), cost.latency);
  if (result.hasNumber() && !hasStaticPower(cost.breakdown))
    result.value = Uncertain(result.value.central());
  return result;
}

static MetricValue cycles(const Cost &cost) {
  return cost.cycles ? number(*cost.cycles) : unknown("the clock of the chip is not given");
}

static MetricValue busBandwidth(const Cost &cost) {
  if (!cost.busBandwidth)
    return unknown("only a single collective that moves data has a bus bandwidth");
  return number(*cost.busBandwidth);
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
    return unknown("what memories move for a collective is not counted");
  return number(cost.trafficBytes());
}

static MetricValue peakMemory(const Cost &cost) {
  if (isCollective(cost))
    return unknown("what memories hold for a collective is not counted");
  return number(cost.peakMemory);
}

static MetricValue bottleneck(const Cost &cost) {
  MetricValue result;
  result.text = cost.bottleneck().empty() ? "none" : cost.bottleneck().str();
  return result;
}

/// Tokens that the time of a cost is for.
static double tokensOf(const Cost &cost) {
  return cost.training  ? cost.training->tokens
         : cost.serving ? static_cast<double>(cost.serving->outputTokens)
                        : cost.tokens;
}

static MetricValue tokensPerSecond(const Cost &cost) {
  double tokens = tokensOf(cost);
  return tokens > 0 ? ratio(number(tokens), cost.latency)
                    : unknown("the workload reads no `token` tensor");
}

/// Money for the time of the chips, and for the energy, of which what is known counts.
static MetricValue money(const Cost &cost) {
  double joules = cost.energy.known.central();
  if (cost.training && cost.training->hasPrice)
    return number(cost.training->chipCost + cost.training->energyCost * joules);
  if (cost.training || !cost.price)
    return unknown("no `price` is given");
  Uncertain chips = cost.latency * (static_cast<double>(cost.chips) * cost.price->chipSecond);
  return number(chips + cost.energy.known * cost.price->joule);
}

static MetricValue moneyPerToken(const Cost &cost) {
  MetricValue all = money(cost);
  if (!all.hasNumber())
    return all;
  double tokens = tokensOf(cost) * (cost.training ? cost.training->steps : 1);
  return tokens > 0 ? number(all.value / Uncertain(tokens))
                    : unknown("the workload reads no `token` tensor");
}

static MetricValue runTime(const Cost &cost) {
  return number(cost.training ? cost.training->runTime : cost.serving->runTime);
}

static MetricValue runEnergy(const Cost &cost) {
  MetricValue step = energy(cost);
  if (step.hasNumber())
    step.value = step.value * (cost.training->runTime / cost.training->stepTime);
  return step;
}

/// A share of the cache.
static MetricValue cacheShare(const ServingSummary &summary, double share) {
  return summary.blocks == 0 ? unknown("nothing limits the cache") : number(share);
}

/// Of the stage that has most of it.
template <double StageMemory::*part> static MetricValue largest(const Cost &cost) {
  double most = 0;
  for (const StageMemory &stage : cost.training->stages)
    most = std::max(most, stage.*part);
  return number(most);
}

namespace {
struct MetricEntry {
  llvm::StringRef name;
  MetricValue (*compute)(const Cost &);
};
} // namespace

/// All but distributions. Asked only of costs whose statement has the metric.
static llvm::ArrayRef<MetricEntry> metricTable() {
  using C = const Cost &;
  static const MetricEntry table[] = {
      {"latency", [](C c) { return number(c.latency); }},
      {"energy", energy},
      {"area", [](C c) { return figureMetric(c.area, "area"); }},
      {"power", power},
      {"utilization", [](C c) { return number(c.utilization); }},
      {"edp", edp},
      {"throughput", [](C c) { return ratio(number(flopsOf(c)), c.latency); }},
      {"flops", [](C c) { return number(flopsOf(c)); }},
      {"macs", macs},
      {"traffic", traffic},
      {"cycles", cycles},
      {"chips", [](C c) { return number(c.chips); }},
      {"exposed", [](C c) { return number(c.exposed); }},
      {"memory.peak", peakMemory},
      {"bus_bandwidth", busBandwidth},
      {"bottleneck", bottleneck},
      {"tokens_per_s", tokensPerSecond},
      {"run_time", runTime},
      {"cost", money},
      {"cost_per_token", moneyPerToken},
      // Of `train`.
      {"step_time", [](C c) { return number(c.training->stepTime); }},
      {"effective_step_time", [](C c) { return number(c.training->effectiveStep()); }},
      {"mfu", [](C c) { return number(c.training->mfu()); }},
      {"hfu", [](C c) { return number(c.training->hfu()); }},
      {"bubble", [](C c) { return number(c.training->bubble); }},
      {"memory.parameters", largest<&StageMemory::parameters>},
      {"memory.gradients", largest<&StageMemory::gradients>},
      {"memory.optimizer", largest<&StageMemory::optimizer>},
      {"memory.activations", largest<&StageMemory::activations>},
      {"run_energy", runEnergy},
      // Of `serve`.
      {"requests_per_s", [](C c) { return number(c.serving->requestsPerSecond()); }},
      {"busy", [](C c) { return number(c.serving->busy); }},
      {"kv_usage", [](C c) { return cacheShare(*c.serving, c.serving->usage); }},
      {"kv_usage.peak", [](C c) { return cacheShare(*c.serving, c.serving->peakUsage); }},
      {"preemptions", [](C c) { return number(static_cast<double>(c.serving->preemptions)); }},
      {"goodput", [](C) { return unknown("which requests meet the goals is not told apart yet"); }},
  };
  return table;
}

/// The distributions, by name.
static constexpr std::pair<llvm::StringLiteral, Distribution ServingSummary::*> distributions[] = {
    {"latency", &ServingSummary::latency},
    {"ttft", &ServingSummary::ttft},
    {"tpot", &ServingSummary::tpot},
    {"tbt", &ServingSummary::tbt},
    {"queue_delay", &ServingSummary::queueDelay},
    {"batch_size", &ServingSummary::batchSize},
    {"batch_tokens", &ServingSummary::batchTokens}};

static constexpr std::pair<llvm::StringLiteral, double Distribution::*> distributionParts[] = {
    {"mean", &Distribution::mean}, {"min", &Distribution::least}, {"max", &Distribution::most},
    {"p50", &Distribution::p50},   {"p90", &Distribution::p90},   {"p95", &Distribution::p95},
    {"p99", &Distribution::p99}};

/// A member of a distribution, or its mean; nothing for other names.
static llvm::Optional<MetricValue> distributionMetric(const ServingSummary &summary,
                                                      llvm::StringRef base, llvm::StringRef part) {
  for (const auto &[name, values] : distributions) {
    if (name != base)
      continue;
    if ((summary.*values).count == 0)
      return unknown("no request has more than one token of answer");
    for (const auto &[known, member] : distributionParts)
      if (known == part)
        return number((summary.*values).*member);
  }
  return llvm::None;
}

/// A metric of the table of the statement.
static MetricValue compute(const Cost &cost, llvm::StringRef name) {
  if (cost.serving)
    if (llvm::Optional<MetricValue> mean = distributionMetric(*cost.serving, name, "mean"))
      return std::move(*mean);
  const auto *entry =
      llvm::find_if(metricTable(), [&](const MetricEntry &known) { return known.name == name; });
  assert(entry != metricTable().end() && "a metric without a computation");
  return entry->compute(cost);
}

/// Why a result of another statement does not have a metric of evaluations.
static MetricValue uncounted(const Cost &cost, ResultKind kind, llvm::StringRef name) {
  std::string statement = statementsOf(kind).str();
  static constexpr llvm::StringLiteral ofEnergy[] = {"energy", "area", "power", "edp"};
  if (llvm::is_contained(ofEnergy, name)) // of a trace, which does not give it
    return compute(cost, name);
  if (kind == ResultKind::Replay) // nodes of traces have times
    return unknown(name == "memory.peak" ? statement + " does not know what memories hold"
                                         : statement + " does not know what kernels compute");
  if (name == "macs") // its operations are those of products and of others together
    return unknown(statement + " does not count multiply-accumulates alone");
  if (name == "bus_bandwidth")
    return unknown("only a single collective that moves data has a bus bandwidth");
  return unknown(statement + " does not count " +
                 (name == "traffic" ? "what memories move" : name.str()));
}

ResultKind perfc::kindOf(const Cost &cost) {
  return cost.isTimesOnly ? ResultKind::Replay
         : cost.training  ? ResultKind::Training
         : cost.serving   ? ResultKind::Serving
                          : ResultKind::Evaluation;
}

/// The metric without the moves of `cost.ends`.
static llvm::Optional<MetricValue> ownMetric(const Cost &cost, llvm::StringRef name) {
  ResultKind kind = kindOf(cost);
  auto typed = [](llvm::Optional<MetricValue> value, const MetricSpec &spec) {
    if (value)
      value->dimension = spec.dimension;
    return value;
  };
  if (const MetricSpec *spec = findMetric(kind, name))
    return typed(compute(cost, name), *spec);
  auto [base, part] = name.split('.');
  bool isTraffic = base == "traffic";
  if (const MetricSpec *spec = findMetric(ResultKind::Evaluation, isTraffic ? base : name);
      spec && kind != ResultKind::Evaluation)
    return typed(uncounted(cost, kind, spec->name), *spec);
  if (const MetricSpec *spec = findMetric(kind, base);
      spec && spec->form == MetricForm::Distribution)
    return typed(distributionMetric(*cost.serving, base, part), *spec);
  for (const MemoryTraffic &memory : cost.traffic)
    if (isTraffic && memory.memory == part)
      return typed(number(memory.bytes()), *findMetric("traffic"));
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

llvm::ArrayRef<llvm::StringRef> perfc::distributionMembers() {
  static const std::vector<llvm::StringRef> names = [] {
    std::vector<llvm::StringRef> list;
    for (const auto &[name, member] : distributionParts)
      list.push_back(name);
    return list;
  }();
  return names;
}
