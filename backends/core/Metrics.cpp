// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of an outcome by name. What each is, is defined by the table of its statement in
// ir/common/Metrics; here is how a name is computed, and for which statements in another way.
#include "backends/core/Leakage.h"
#include "backends/core/Outcome.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

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

static MetricValue energy(const Outcome &of) { return figureMetric(of.cost.energy, "energy"); }

/// Energy times the metric `latency`: of a `serve` the mean of its requests.
static MetricValue edp(const Outcome &of) {
  MetricValue result = energy(of), latency = *metric(of, "latency");
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
static MetricValue power(const Outcome &of) {
  MetricValue result = ratio(energy(of), of.cost.latency);
  if (result.hasNumber() && !hasStaticPower(of.cost.breakdown))
    result.value = Uncertain(result.value.central());
  return result;
}

static MetricValue cycles(const Outcome &of) {
  return of.cost.cycles ? number(*of.cost.cycles) : unknown("the clock of the chip is not given");
}

static MetricValue busBandwidth(const Outcome &of) {
  if (!of.cost.busBandwidth)
    return unknown("only a single collective that moves data has a bus bandwidth");
  return number(*of.cost.busBandwidth);
}

static bool has(const CostPart &part, PartKind kind) {
  return part.kind == kind ||
         llvm::any_of(part.children, [&](const CostPart &inner) { return has(inner, kind); });
}

/// True for collectives alone: what the memories of their chips do for them is not known.
static bool isCollective(const Outcome &of) {
  return !of.training && !of.serving && has(of.cost.breakdown, PartKind::Collective) &&
         !has(of.cost.breakdown, PartKind::Kernel);
}

static MetricValue traffic(const Outcome &of) {
  if (isCollective(of))
    return unknown("what memories move for a collective is not counted");
  return number(of.cost.trafficBytes());
}

static MetricValue peakMemory(const Outcome &of) {
  if (isCollective(of))
    return unknown("what memories hold for a collective is not counted");
  return number(of.cost.peakMemory);
}

static MetricValue bottleneck(const Outcome &of) {
  MetricValue result;
  result.text = of.cost.bottleneck().empty() ? "none" : of.cost.bottleneck().str();
  return result;
}

static MetricValue tokensPerSecond(const Outcome &of) {
  if (of.tokens == 0)
    return unknown("the workload reads no `token` tensor");
  return ratio(number(of.tokens), of.cost.latency);
}

/// Money for the time of the chips, and for the energy, of which what is known counts.
static MetricValue money(const Outcome &of) {
  if (!of.price)
    return unknown("no `price` is given");
  if (const TrainingSummary *run = of.training.get()) {
    double chips = run->runTime * static_cast<double>(run->chips) * of.price->chipSecond;
    // What is lost and done again takes energy as well.
    double joule = of.price->joule * run->steps / run->goodput;
    return number(chips + joule * of.cost.energy.known.central());
  }
  Uncertain chips = of.cost.latency * (static_cast<double>(of.cost.chips) * of.price->chipSecond);
  return number(chips + of.cost.energy.known * of.price->joule);
}

static MetricValue moneyPerToken(const Outcome &of) {
  MetricValue all = money(of);
  if (!all.hasNumber())
    return all;
  return of.tokens > 0 ? number(all.value / Uncertain(of.tokens))
                       : unknown("the workload reads no `token` tensor");
}

namespace {
struct MetricEntry {
  llvm::StringRef name;
  MetricValue (*compute)(const Outcome &);
};
} // namespace

/// What all statements compute in one way. The time of a cost is that of a run of `serve`, of a
/// step of `train`.
static llvm::ArrayRef<MetricEntry> sharedTable() {
  static const MetricEntry table[] = {
      {"latency", [](const Outcome &of) { return number(of.cost.latency); }},
      {"energy", energy},
      {"area", [](const Outcome &of) { return figureMetric(of.cost.area, "area"); }},
      {"power", power},
      {"utilization", [](const Outcome &of) { return number(of.cost.utilization); }},
      {"edp", edp},
      {"throughput",
       [](const Outcome &of) { return ratio(number(of.cost.flops), of.cost.latency); }},
      {"flops", [](const Outcome &of) { return number(of.cost.flops); }},
      {"macs", [](const Outcome &of) { return number(of.cost.macs); }},
      {"traffic", traffic},
      {"cycles", cycles},
      {"chips", [](const Outcome &of) { return number(of.cost.chips); }},
      {"exposed", [](const Outcome &of) { return number(of.cost.exposed); }},
      {"memory.peak", peakMemory},
      {"bus_bandwidth", busBandwidth},
      {"bottleneck", bottleneck},
      {"tokens_per_s", tokensPerSecond},
      {"cost", money},
      {"cost_per_token", moneyPerToken},
  };
  return table;
}

namespace {
struct TrainingMetric {
  llvm::StringRef name;
  double (*compute)(const TrainingSummary &);
};
struct ServingMetric {
  llvm::StringRef name;
  double (*compute)(const ServingSummary &);
};
} // namespace

static double largest(const TrainingSummary &summary, double StageMemory::*part) {
  double most = 0;
  for (const StageMemory &stage : summary.stages)
    most = std::max(most, stage.*part);
  return most;
}

/// Metrics of a training step, also those that it computes in its own way.
static llvm::ArrayRef<TrainingMetric> trainingTable() {
  using Summary = const TrainingSummary &;
  static const TrainingMetric table[] = {
      {"step_time", [](Summary s) { return s.stepTime; }},
      {"tokens_per_s", [](Summary s) { return s.tokens / s.stepTime; }},
      {"effective_step_time", [](Summary s) { return s.effectiveStep(); }},
      {"run_time", [](Summary s) { return s.runTime; }},
      {"mfu", [](Summary s) { return s.mfu(); }},
      {"hfu", [](Summary s) { return s.hfu(); }},
      {"bubble", [](Summary s) { return s.bubble; }},
      {"throughput", [](Summary s) { return s.executedFlops / s.stepTime; }},
      {"flops", [](Summary s) { return s.executedFlops; }},
      {"macs", [](Summary s) { return s.executedFlops / 2; }},
      {"memory.parameters", [](Summary s) { return largest(s, &StageMemory::parameters); }},
      {"memory.gradients", [](Summary s) { return largest(s, &StageMemory::gradients); }},
      {"memory.optimizer", [](Summary s) { return largest(s, &StageMemory::optimizer); }},
      {"memory.activations", [](Summary s) { return largest(s, &StageMemory::activations); }},
  };
  return table;
}

static llvm::ArrayRef<ServingMetric> servingTable() {
  using Summary = const ServingSummary &;
  static const ServingMetric table[] = {
      {"run_time", [](Summary s) { return s.runTime; }},
      {"tokens_per_s", [](Summary s) { return s.tokensPerSecond(); }},
      {"requests_per_s", [](Summary s) { return s.requestsPerSecond(); }},
      {"utilization", [](Summary s) { return s.flops / (s.peak * s.runTime); }},
      {"busy", [](Summary s) { return s.busy; }},
      {"kv_usage", [](Summary s) { return s.usage; }},
      {"kv_usage.peak", [](Summary s) { return s.peakUsage; }},
      {"preemptions", [](Summary s) { return static_cast<double>(s.preemptions); }},
      {"flops", [](Summary s) { return s.flops; }},
      {"throughput", [](Summary s) { return s.flops / s.runTime; }},
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

/// A metric that a stream of requests computes in its own way.
static llvm::Optional<MetricValue> servingMetric(const ServingSummary &summary,
                                                 llvm::StringRef name) {
  if (name.startswith("kv_usage") && summary.blocks == 0)
    return unknown("nothing limits the cache");
  if (name == "goodput")
    return unknown("which requests meet the goals is not told apart yet");
  for (const ServingMetric &entry : servingTable())
    if (entry.name == name)
      return number(entry.compute(summary));
  return distributionMetric(summary, name, "mean");
}

static llvm::Optional<MetricValue> trainingMetric(const Outcome &of, llvm::StringRef name) {
  const TrainingSummary &summary = *of.training;
  for (const TrainingMetric &entry : trainingTable())
    if (entry.name == name)
      return number(entry.compute(summary));
  if (name != "run_energy")
    return llvm::None;
  MetricValue step = energy(of);
  if (step.hasNumber())
    step.value = step.value * (summary.runTime / summary.stepTime);
  return step;
}

/// A metric of the table of the statement.
static MetricValue compute(const Outcome &of, llvm::StringRef name) {
  llvm::Optional<MetricValue> own;
  if (of.training)
    own = trainingMetric(of, name);
  else if (of.serving)
    own = servingMetric(*of.serving, name);
  if (own)
    return std::move(*own);
  const auto *shared =
      llvm::find_if(sharedTable(), [&](const MetricEntry &entry) { return entry.name == name; });
  assert(shared != sharedTable().end() && "a metric without a computation");
  return shared->compute(of);
}

/// Why a result of another statement does not have a metric of evaluations.
static MetricValue uncounted(const Outcome &of, llvm::StringRef name) {
  std::string statement = statementsOf(of.kind).str();
  static constexpr llvm::StringLiteral ofEnergy[] = {"energy", "area", "power", "edp"};
  if (llvm::is_contained(ofEnergy, name)) // of a trace, which does not give it
    return compute(of, name);
  if (of.isTimesOnly())
    return unknown(name == "memory.peak" ? statement + " does not know what memories hold"
                                         : statement + " does not know what kernels compute");
  if (name == "macs") // its operations are those of products and of others together
    return unknown(statement + " does not count multiply-accumulates alone");
  if (name == "bus_bandwidth")
    return unknown("only a single collective that moves data has a bus bandwidth");
  return unknown(statement + " does not count " +
                 (name == "traffic" ? "what memories move" : name.str()));
}

/// The metric without the moves of `ends`.
static llvm::Optional<MetricValue> ownMetric(const Outcome &of, llvm::StringRef name) {
  auto typed = [](llvm::Optional<MetricValue> value, const MetricSpec &spec) {
    if (value)
      value->dimension = spec.dimension;
    return value;
  };
  if (const MetricSpec *spec = findMetric(of.kind, name))
    return typed(compute(of, name), *spec);
  auto [base, part] = name.split('.');
  bool isTraffic = base == "traffic";
  if (const MetricSpec *spec = findMetric(ResultKind::Evaluation, isTraffic ? base : name);
      spec && of.kind != ResultKind::Evaluation)
    return typed(uncounted(of, spec->name), *spec);
  if (const MetricSpec *spec = findMetric(of.kind, base);
      spec && spec->form == MetricForm::Distribution)
    return typed(distributionMetric(*of.serving, base, part), *spec);
  for (const MemoryTraffic &memory : of.cost.traffic)
    if (isTraffic && memory.memory == part)
      return typed(number(memory.bytes()), *findMetric("traffic"));
  return llvm::None;
}

Uncertain Outcome::withMoves(llvm::function_ref<double(const Outcome &)> figure) const {
  double centre = figure(*this);
  std::vector<Uncertain::Contribution> moves;
  for (const OutcomeEnds &at : ends) {
    double up = at.upper ? figure(*at.upper) - centre : 0;
    double down = at.lower ? figure(*at.lower) - centre : 0;
    moves.push_back({at.source, std::fabs(up) >= std::fabs(down) ? up : -down});
  }
  return {centre, moves};
}

llvm::Optional<MetricValue> perfc::metric(const Outcome &of, llvm::StringRef name) {
  llvm::Optional<MetricValue> found = ownMetric(of, name);
  if (of.ends.empty() || !found || !found->hasNumber())
    return found;
  double centre = found->value.central();
  found->value = of.withMoves([&](const Outcome &end) {
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
