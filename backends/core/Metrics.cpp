// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of an outcome by name. What each is, is defined by the table of its statement in
// ir/common/Metrics; here one row says how a name is computed, whatever the statement. The time of
// a cost is that of a step of `train`, of the run of `serve`.
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
    return number(figure.shown());
  return unknown((name + " of " + llvm::join(figure.missing, ", ") + " is not given").str());
}

static MetricValue ratio(const MetricValue &amount, const Uncertain &seconds) {
  if (!amount.hasNumber())
    return amount;
  return seconds.central() == 0 ? unknown("the latency is 0") : number(amount.value / seconds);
}

static double flopsOf(const Outcome &of) {
  return of.training  ? of.training->executedFlops
         : of.serving ? of.serving->flops
                      : static_cast<double>(of.cost.flops);
}

static MetricValue macs(const Outcome &of) {
  return number(of.training ? of.training->executedFlops / 2 : static_cast<double>(of.cost.macs));
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

/// Without the static power of a chip, or with energies left out, only the value is known, as a
/// lower bound; how far it may be off is not.
static bool isPowerPartial(const Outcome &of) {
  return of.cost.energy.isPartial || !hasStaticPower(of.cost.breakdown);
}

static MetricValue power(const Outcome &of) {
  MetricValue result = ratio(energy(of), of.cost.latency);
  if (result.hasNumber() && isPowerPartial(of))
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
  return of.tokens > 0 ? ratio(number(of.tokens), of.cost.latency)
                       : unknown("the workload reads no `token` tensor");
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
  return number(chips + of.cost.energy.shown() * of.price->joule);
}

static MetricValue moneyPerToken(const Outcome &of) {
  MetricValue all = money(of);
  if (!all.hasNumber())
    return all;
  double tokens = of.tokens * (of.training ? of.training->steps : 1);
  return tokens > 0 ? number(all.value / Uncertain(tokens))
                    : unknown("the workload reads no `token` tensor");
}

static MetricValue runTime(const Outcome &of) {
  return number(of.training ? of.training->runTime : of.serving->runTime);
}

static MetricValue runEnergy(const Outcome &of) {
  MetricValue step = energy(of);
  if (step.hasNumber())
    step.value = step.value * (of.training->runTime / of.training->stepTime);
  return step;
}

/// A share of the cache.
static MetricValue cacheShare(const ServingSummary &summary, double share) {
  return summary.blocks == 0 ? unknown("nothing limits the cache") : number(share);
}

/// Of the stage that has most of it.
template <double StageMemory::*part> static MetricValue largest(const Outcome &of) {
  double most = 0;
  for (const StageMemory &stage : of.training->stages)
    most = std::max(most, stage.*part);
  return number(most);
}

namespace {
struct MetricEntry {
  llvm::StringRef name;
  MetricValue (*compute)(const Outcome &);
};
} // namespace

/// All but distributions. Asked only of costs whose statement has the metric.
static llvm::ArrayRef<MetricEntry> metricTable() {
  using O = const Outcome &;
  static const MetricEntry table[] = {
      {"latency", [](O of) { return number(of.cost.latency); }},
      {"energy", energy},
      {"area", [](O of) { return figureMetric(of.cost.area, "area"); }},
      {"power", power},
      {"utilization", [](O of) { return number(of.cost.utilization); }},
      {"edp", edp},
      {"throughput", [](O of) { return ratio(number(flopsOf(of)), of.cost.latency); }},
      {"flops", [](O of) { return number(flopsOf(of)); }},
      {"macs", macs},
      {"traffic", traffic},
      {"cycles", cycles},
      {"chips", [](O of) { return number(of.cost.chips); }},
      {"exposed", [](O of) { return number(of.cost.exposed); }},
      {"memory.peak", peakMemory},
      {"bus_bandwidth", busBandwidth},
      {"bottleneck", bottleneck},
      {"tokens_per_s", tokensPerSecond},
      {"run_time", runTime},
      {"cost", money},
      {"cost_per_token", moneyPerToken},
      // Of `train`.
      {"step_time", [](O of) { return number(of.training->stepTime); }},
      {"effective_step_time", [](O of) { return number(of.training->effectiveStep()); }},
      {"mfu", [](O of) { return number(of.training->mfu()); }},
      {"hfu", [](O of) { return number(of.training->hfu()); }},
      {"bubble", [](O of) { return number(of.training->bubble); }},
      {"memory.parameters", largest<&StageMemory::parameters>},
      {"memory.gradients", largest<&StageMemory::gradients>},
      {"memory.optimizer", largest<&StageMemory::optimizer>},
      {"memory.activations", largest<&StageMemory::activations>},
      {"run_energy", runEnergy},
      // Of `serve`.
      {"requests_per_s", [](O of) { return number(of.serving->requestsPerSecond()); }},
      {"busy", [](O of) { return number(of.serving->busy); }},
      {"kv_usage", [](O of) { return cacheShare(*of.serving, of.serving->usage); }},
      {"kv_usage.peak", [](O of) { return cacheShare(*of.serving, of.serving->peakUsage); }},
      {"preemptions", [](O of) { return number(static_cast<double>(of.serving->preemptions)); }},
      {"goodput", [](O) { return unknown("which requests meet the goals is not told apart yet"); }},
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
static MetricValue compute(const Outcome &of, llvm::StringRef name) {
  if (of.serving)
    if (llvm::Optional<MetricValue> mean = distributionMetric(*of.serving, name, "mean"))
      return std::move(*mean);
  const auto *entry =
      llvm::find_if(metricTable(), [&](const MetricEntry &known) { return known.name == name; });
  assert(entry != metricTable().end() && "a metric without a computation");
  return entry->compute(of);
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

/// A lower bound, since energies are left out: how far what is known of it moves says too little.
static bool isLowerBound(const Outcome &of, llvm::StringRef name) {
  if (name == "power")
    return isPowerPartial(of);
  bool isOfEnergy = name == "energy" || name == "run_energy" || name == "edp" ||
                    (of.price && of.price->joule > 0 && name.startswith("cost"));
  return isOfEnergy && of.cost.energy.isPartial;
}

llvm::Optional<MetricValue> perfc::metric(const Outcome &of, llvm::StringRef name) {
  llvm::Optional<MetricValue> found = ownMetric(of, name);
  if (of.ends.empty() || !found || !found->hasNumber() || isLowerBound(of, name))
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
