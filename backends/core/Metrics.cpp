// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Metrics of an outcome by name. What each is, is defined by the table of its statement in
// ir/common/Metrics; here one row says how a name is computed, whatever the statement. The time of
// a cost is that of a step of `train`, of the run of `serve`.
#include "backends/core/OutcomeMetrics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;

using Of = const Outcome &;

MetricValue perfc::metricNumber(Uncertain value) {
  MetricValue result;
  result.value = std::move(value);
  return result;
}

MetricValue perfc::metricUnknown(std::string why) {
  MetricValue result;
  result.notGiven = std::move(why);
  return result;
}

MetricValue perfc::metricRate(const MetricValue &amount, const Uncertain &seconds) {
  if (!amount.hasNumber())
    return amount;
  return seconds.central() == 0 ? metricUnknown("the latency is 0")
                                : metricNumber(amount.value / seconds);
}

MetricValue perfc::metricPerToken(const MetricValue &money, double tokens) {
  if (!money.hasNumber())
    return money;
  return tokens > 0 ? metricNumber(money.value / Uncertain(tokens))
                    : metricUnknown("the workload reads no `token` tensor");
}

static MetricValue exactCount(int64_t value) {
  MetricValue result = metricNumber(static_cast<double>(value));
  result.count = value;
  return result;
}

/// `figure`, called `name`, where all of it is given.
static MetricValue figureMetric(const Figure &figure, llvm::StringRef name) {
  if (figure.isGiven())
    return metricNumber(figure.shown());
  return metricUnknown((name + " of " + llvm::join(figure.missing, ", ") + " is not given").str());
}

static MetricValue energy(Of of) { return figureMetric(of.cost.energy, "energy"); }

/// Energy times the metric `latency`: of a `serve` the mean of its requests.
static MetricValue edp(Of of) {
  MetricValue result = energy(of), latency = *metric(of, "latency");
  if (!result.hasNumber() || !latency.hasNumber())
    return result.hasNumber() ? latency : result;
  return metricNumber(result.value * latency.value);
}

/// Without the static power of a chip, or with energies left out, only the value is known, as a
/// lower bound; how far it may be off is not.
static bool isPowerPartial(Of of) { return of.cost.energy.isPartial || !of.cost.leakageEnergy; }

static MetricValue power(Of of) {
  MetricValue result = metricRate(energy(of), of.cost.latency);
  if (result.hasNumber() && isPowerPartial(of))
    result.value = Uncertain(result.value.central());
  return result;
}

static MetricValue cycles(Of of) {
  return of.cost.cycles ? metricNumber(*of.cost.cycles)
                        : metricUnknown("the clock of the chip is not given");
}

static MetricValue parameters(const Outcome &of) {
  return of.parameters ? metricNumber(static_cast<double>(*of.parameters))
                       : metricUnknown("the elements of the weights are not counted");
}

static MetricValue busBandwidth(Of of) {
  if (!of.cost.busBandwidth)
    return metricUnknown("only a single collective that moves data has a bus bandwidth");
  return metricNumber(*of.cost.busBandwidth);
}

static MetricValue traffic(Of of) {
  if (of.cost.leavesOutMemories)
    return metricUnknown("what memories move for a collective is not counted");
  if (of.cost.leavesOutTraffic)
    return metricUnknown("what memories move is not said by " + of.cost.provenance.provider);
  return metricNumber(of.cost.trafficBytes());
}

static MetricValue peakMemory(Of of) {
  if (of.cost.leavesOutMemories)
    return metricUnknown("what memories hold for a collective is not counted");
  if (of.cost.leavesOutResident)
    return metricUnknown("a point of a `separable` sweep has kernels without an order");
  return metricNumber(of.cost.peakMemory);
}

static MetricValue bottleneck(Of of) {
  MetricValue result;
  result.text = of.cost.bottleneck().empty() ? "none" : of.cost.bottleneck().str();
  return result;
}

static MetricValue tokensPerSecond(Of of) {
  return of.tokens > 0 ? metricRate(metricNumber(of.tokens), of.cost.latency)
                       : metricUnknown("the workload reads no `token` tensor");
}

/// Money for the time of the chips, and for the energy, of which what is known counts.
static MetricValue money(Of of) {
  if (!of.price)
    return metricUnknown("no `price` is given");
  Uncertain chips = of.cost.latency * (static_cast<double>(of.cost.chips) * of.price->chipSecond);
  return metricNumber(chips + of.cost.energy.shown() * of.price->joule);
}

/// How far the members of an ensemble lie apart.
static MetricValue spread(Of of) {
  if (of.ensemble.empty())
    return metricUnknown("only an ensemble has a spread");
  auto [least, most] = std::minmax_element(of.ensemble.begin(), of.ensemble.end(),
                                           [](const EnsembleMember &a, const EnsembleMember &b) {
                                             return a.latency.central() < b.latency.central();
                                           });
  return metricNumber((most->latency.central() - least->latency.central()) /
                      of.cost.latency.central());
}

static MetricValue compute(Of of, llvm::StringRef name);

/// Of any cost. Asked only of outcomes whose statement has the metric.
static llvm::ArrayRef<MetricEntry> commonMetrics() {
  static const MetricEntry table[] = {
      {"latency", [](Of of) { return metricNumber(of.cost.latency); }},
      {"energy", energy},
      {"area", [](Of of) { return figureMetric(of.cost.area, "area"); }},
      {"power", power},
      {"utilization", [](Of of) { return metricNumber(of.cost.utilization); }},
      {"edp", edp},
      {"throughput", [](Of of) { return metricRate(compute(of, "flops"), of.cost.latency); }},
      {"flops", [](Of of) { return exactCount(of.cost.flops); }},
      {"macs", [](Of of) { return exactCount(of.cost.macs); }},
      {"parameters", parameters},
      {"traffic", traffic},
      {"cycles", cycles},
      {"chips", [](Of of) { return metricNumber(of.cost.chips); }},
      {"exposed", [](Of of) { return metricNumber(of.cost.exposed); }},
      {"memory.peak", peakMemory},
      {"bus_bandwidth", busBandwidth},
      {"bottleneck", bottleneck},
      {"spread", spread},
      {"tokens_per_s", tokensPerSecond},
      {"cost", money},
      {"cost_per_token", [](Of of) { return metricPerToken(compute(of, "cost"), of.tokens); }},
  };
  return table;
}

static StatementMetrics metricsBeside(ResultKind kind) {
  static const std::pair<ResultKind, StatementMetrics> table[] = {
      {ResultKind::Training, trainingMetrics()}, {ResultKind::Serving, servingMetrics()}};
  for (const auto &[known, metrics] : table)
    if (known == kind)
      return metrics;
  return {};
}

/// A member of a distribution; nothing for other names.
static llvm::Optional<MetricValue> distributionMetric(Of of, llvm::StringRef base,
                                                      llvm::StringRef part) {
  StatementMetrics metrics = metricsBeside(of.kind);
  const Distribution *values = metrics.distribution ? metrics.distribution(of, base) : nullptr;
  if (!values)
    return llvm::None;
  if (metrics.unsaid && llvm::is_contained(distributionMembers(), part))
    if (std::string why = metrics.unsaid(of, base); !why.empty())
      return metricUnknown(std::move(why));
  if (values->count == 0)
    return metricUnknown("no request has more than one token of answer");
  if (!llvm::is_contained(distributionMembers(), part))
    return llvm::None;
  llvm::Optional<double> value = values->member(part);
  return value ? metricNumber(*value) : metricUnknown("there are too few requests for an interval");
}

/// A metric of the table of the statement.
static MetricValue compute(Of of, llvm::StringRef name) {
  if (llvm::Optional<MetricValue> mean = distributionMetric(of, name, "mean"))
    return std::move(*mean);
  StatementMetrics beside = metricsBeside(of.kind);
  if (std::string why = beside.unsaid ? beside.unsaid(of, name) : ""; !why.empty())
    return metricUnknown(std::move(why));
  for (llvm::ArrayRef<MetricEntry> table : {beside.own, commonMetrics()})
    for (const MetricEntry &entry : table)
      if (entry.name == name)
        return entry.compute(of);
  llvm_unreachable("a metric without a computation");
}

/// Why a result of another statement does not have a metric of evaluations.
static MetricValue uncounted(Of of, llvm::StringRef name) {
  std::string statement = statementsOf(of.kind).str();
  static constexpr llvm::StringLiteral ofEnergy[] = {"energy", "area", "power", "edp"};
  if (llvm::is_contained(ofEnergy, name)) // of a trace, which does not give it
    return compute(of, name);
  if (of.isTimesOnly)
    return metricUnknown(name == "memory.peak" ? statement + " does not know what memories hold"
                                               : statement + " does not know what kernels compute");
  if (name == "macs") // its operations are those of products and of others together
    return metricUnknown(statement + " does not count multiply-accumulates alone");
  if (name == "bus_bandwidth")
    return busBandwidth(of);
  return metricUnknown(statement + " does not count " +
                       (name == "traffic" ? "what memories move" : name.str()));
}

/// The metric without the moves of `ends`.
static llvm::Optional<MetricValue> ownMetric(Of of, llvm::StringRef name) {
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
      spec && !findMetric(of.kind, spec->name))
    return typed(uncounted(of, spec->name), *spec);
  if (const MetricSpec *spec = findMetric(of.kind, base);
      spec && spec->form == MetricForm::Distribution)
    return typed(distributionMetric(of, base, part), *spec);
  for (const MemoryTraffic &memory : of.cost.traffic)
    if (isTraffic && memory.memory == part)
      return typed(metricNumber(memory.bytes()), *findMetric("traffic"));
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
