// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Comparison.h"

#include "backends/emit/StatementForm.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <map>

using namespace perfc;
using namespace perfc::api;

/// What is nearer than this is equal: sums of the same terms in another order.
static constexpr double rounding = 1e-9;

static bool differ(double a, double b) {
  return std::abs(a - b) > rounding * std::max(std::abs(a), std::abs(b));
}

bool Change::isOne() const {
  return before.hasValue() != after.hasValue() || (before && differ(*before, *after));
}

/// "12.3 % more", "2.50 times as many" with `more` and `many`, or `fewer`.
static std::string relation(double before, double after, const char *more, const char *fewer,
                            const char *times) {
  if (before == 0)
    return "now";
  double ratio = after / before;
  if (ratio >= 2 || ratio <= 0.5)
    return fmt::format("{:.3g} times {}", ratio, times);
  return fmt::format("{:.1f} % {}", std::abs(ratio - 1) * 100, ratio > 1 ? more : fewer);
}

namespace {

/// All runs of the parts of one label.
struct PartSum {
  const CostPart *first = nullptr;
  int64_t count = 0;
  double latency = 0, flops = 0;
  /// Of what overlaps in it, by kind and name: seconds, and bytes of a memory.
  struct Inside {
    double seconds = 0, bytes = 0, flops = 0;
  };
  std::map<std::pair<PartKind, std::string>, Inside> inside;
};

} // namespace

/// The parts of a result by label.
static std::map<std::string, PartSum> sumsOf(const emit::Result &result) {
  std::map<std::string, PartSum> sums;
  for (const emit::KernelLine &line : emit::flatten(result.cost.breakdown)) {
    PartSum &sum = sums[line.part->label];
    if (!sum.first)
      sum.first = line.part;
    sum.count += line.count;
    sum.latency += line.latency.central();
    sum.flops += line.flops;
    for (const CostPart &part : line.part->children) {
      PartSum::Inside &inside = sum.inside[{part.kind, part.label}];
      auto runs = static_cast<double>(line.count);
      inside.seconds += part.latency.central() * runs;
      inside.bytes += part.bytes * runs;
      inside.flops += line.flops;
    }
  }
  return sums;
}

/// The bytes that each rank sends in the exchanges of a training step, as parts of these.
static void addExchanges(std::map<std::string, PartSum> &sums, const emit::Result &result) {
  if (!result.training)
    return;
  for (const CommunicationTime &exchange : result.training->communication)
    if (auto found = sums.find(exchange.name); found != sums.end()) {
      PartSum::Inside &inside = found->second.inside[{PartKind::Network, ""}];
      inside.bytes += static_cast<double>(exchange.bytes) * static_cast<double>(exchange.count);
      inside.seconds += exchange.total;
    }
}

//===-- Causes ------------------------------------------------------------------------------===//

/// What an exchange, or the memory or unit that limits one of the two, does otherwise: the others
/// only work beside it.
static void addInside(const PartSum &before, const PartSum &after,
                      std::vector<std::string> &causes) {
  for (const auto &[key, now] : after.inside) {
    auto found = before.inside.find(key);
    if (found == before.inside.end())
      continue;
    const auto &[kind, name] = key;
    std::string resource = partKindName(kind).str() + " " + name;
    bool isExchange = kind == PartKind::Network && name.empty();
    if (!isExchange && resource != before.first->bound && resource != after.first->bound)
      continue;
    const PartSum::Inside &then = found->second;
    bool movesBytes = kind != PartKind::Compute && (then.bytes > 0 || now.bytes > 0);
    if (movesBytes && differ(then.bytes, now.bytes))
      causes.push_back(
          relation(then.bytes, now.bytes, "more bytes", "fewer bytes", "as many bytes") +
          (isExchange ? " to send" : " at " + name));
    // The speed of what counts neither bytes nor operations is not known.
    double workThen = movesBytes ? then.bytes : kind == PartKind::Compute ? then.flops : 0;
    double workNow = movesBytes ? now.bytes : kind == PartKind::Compute ? now.flops : 0;
    if (workThen <= 0 || workNow <= 0 || then.seconds <= 0 || now.seconds <= 0)
      continue;
    double speedThen = workThen / then.seconds, speedNow = workNow / now.seconds;
    if (std::abs(speedNow / speedThen - 1) > 1e-4)
      causes.push_back((isExchange ? "the network" : resource) + " " +
                       relation(speedThen, speedNow, "faster", "slower", "as fast"));
  }
}

static std::vector<std::string> causesOf(const PartSum &before, const PartSum &after) {
  std::vector<std::string> causes;
  auto words = [&](const char *what, const std::string &then, const std::string &now) {
    if (then != now)
      causes.push_back(fmt::format("{} {}, not {}", what, now.empty() ? "nothing given" : now,
                                   then.empty() ? "nothing given" : then));
  };
  if (before.count != after.count)
    causes.push_back(fmt::format("{} times, not {}", after.count, before.count));
  if (differ(before.flops, after.flops))
    causes.push_back(relation(before.flops, after.flops, "more operations", "fewer operations",
                              "as many operations"));
  addInside(before, after, causes);
  words("bound by", before.first->bound, after.first->bound);
  words("mapping", before.first->mapping, after.first->mapping);
  words("by", before.first->provider, after.first->provider);
  if (causes.empty() && std::abs(before.first->utilization - after.first->utilization) > 1e-4)
    causes.push_back(fmt::format("utilization {:.1f} %, not {:.1f} %",
                                 after.first->utilization * 100, before.first->utilization * 100));
  if (causes.empty() && before.latency > 0 && after.first->kind != PartKind::Phase)
    causes.push_back("as often, each " +
                     relation(before.latency, after.latency, "longer", "shorter", "as long"));
  return causes;
}

//===-- Differences -------------------------------------------------------------------------===//

static bool isLarger(const Change &a, const Change &b) {
  return std::abs(a.difference()) > std::abs(b.difference());
}

static void compareParts(Comparison &comparison) {
  std::map<std::string, PartSum> before = sumsOf(*comparison.before),
                                 after = sumsOf(*comparison.after);
  auto add = [&](const std::string &label, const PartSum *then, const PartSum *now) {
    Change change{label, BaseUnit::Second, llvm::None, llvm::None, false, {}, {}};
    if (then)
      change.before = then->latency;
    if (now)
      change.after = now->latency;
    if (then && now && !change.isOne()) {
      ++comparison.sameParts;
      return;
    }
    if (then && now)
      change.causes = causesOf(*then, *now);
    else
      change.causes.push_back(now ? "only in the second" : "only in the first");
    change.place = (now ? now : then)->first->location;
    comparison.parts.push_back(std::move(change));
  };
  addExchanges(before, *comparison.before);
  addExchanges(after, *comparison.after);
  for (const auto &[label, then] : before) {
    auto found = after.find(label);
    add(label, &then, found == after.end() ? nullptr : &found->second);
  }
  for (const auto &[label, now] : after)
    if (!before.count(label))
      add(label, nullptr, &now);
  llvm::stable_sort(comparison.parts, isLarger);
}

/// Changes of figures by name that both or one of two results have.
template <typename List, typename NameOf, typename ValueOf>
static void compareLists(const List &before, const List &after, NameOf nameOf, ValueOf valueOf,
                         Dimension dimension, std::vector<Change> &changes) {
  std::vector<Change> found;
  auto at = [&](const std::string &name) -> Change & {
    auto known = llvm::find_if(found, [&](const Change &one) { return one.what == name; });
    if (known != found.end())
      return *known;
    found.push_back({name, dimension, llvm::None, llvm::None, false, {}, {}});
    return found.back();
  };
  for (const auto &one : before)
    at(nameOf(one)).before = valueOf(one);
  for (const auto &one : after)
    at(nameOf(one)).after = valueOf(one);
  llvm::erase_if(found, [](const Change &one) { return !one.isOne(); });
  llvm::stable_sort(found, isLarger);
  llvm::append_range(changes, found);
}

static void compareMemories(Comparison &comparison) {
  const Cost &before = comparison.before->cost, &after = comparison.after->cost;
  auto bytesOf = [](const MemoryTraffic &memory) { return "bytes at " + memory.memory; };
  auto energyOf = [](const MemoryTraffic &memory) { return "energy of " + memory.memory; };
  compareLists(
      before.traffic, after.traffic, bytesOf,
      [](const MemoryTraffic &memory) { return memory.bytes(); }, BaseUnit::Byte,
      comparison.memories);
  compareLists(
      before.traffic, after.traffic, energyOf,
      [](const MemoryTraffic &memory) -> llvm::Optional<double> {
        if (!memory.energy.isGiven())
          return llvm::None;
        return memory.energy.known.central();
      },
      BaseUnit::Joule, comparison.memories);
  compareLists(
      before.bounds, after.bounds, [](const BoundTime &bound) { return bound.resource; },
      [](const BoundTime &bound) { return bound.latency.central(); }, BaseUnit::Second,
      comparison.bounds);
}

/// Those that results of such statements are compared by first, then all others that differ.
static void compareMetrics(Comparison &comparison) {
  const emit::Result &before = *comparison.before, &after = *comparison.after;
  std::vector<std::string> names;
  auto addName = [&](llvm::StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  };
  for (llvm::StringRef name : after.form->compared)
    addName(name);
  for (const emit::Result *result : {&before, &after})
    for (const auto &[name, value] : emit::metricsOf(*result)) {
      addName(name);
      if (const MetricSpec *spec = findMetric(result->kind, name))
        if (spec->form == MetricForm::Distribution)
          addName((name + ".p99").str());
    }
  for (size_t i = 0; i < names.size(); ++i) {
    llvm::Optional<MetricValue> then = metric(before, names[i]), now = metric(after, names[i]);
    auto number = [](const llvm::Optional<MetricValue> &value) -> llvm::Optional<double> {
      if (!value || !value->hasNumber())
        return llvm::None;
      return value->value.central();
    };
    const MetricSpec *spec = findMetricOf(names[i]);
    Change change{names[i],    spec ? spec->dimension : Dimension(),    number(then),
                  number(now), spec && spec->form == MetricForm::Share, {},
                  {}};
    if (!change.before && !change.after)
      continue;
    if (!change.isOne())
      comparison.same.push_back(names[i]);
    else
      comparison.metrics.push_back(std::move(change));
  }
}

static void compareWords(Comparison &comparison) {
  const Cost &before = comparison.before->cost, &after = comparison.after->cost;
  auto add = [&](const char *what, llvm::StringRef then, llvm::StringRef now) {
    if (then != now)
      comparison.words.push_back({what, then.str(), now.str()});
  };
  add("bottleneck", before.bottleneck(), after.bottleneck());
  add("mapping", before.provenance.mapping, after.provenance.mapping);
  add("by", before.provenance.provider, after.provenance.provider);
  add("library", before.provenance.library, after.provenance.library);
}

static std::string signedPercent(double share) {
  double value = share * 100;
  return std::fabs(value) >= 0.1 ? fmt::format("{:+.1f} %", value)
                                 : fmt::format("{:+.2g} %", value);
}

/// Why a tool's figures differ: by what perfc's own model of it says, and by what that leaves, in
/// shares of the first figure, so that both add up to the change.
static void addToolCauses(Comparison &comparison) {
  const Outcome &asked = *comparison.after;
  auto say = [](Change &change, double difference, const std::string &why) {
    double share = difference / std::fabs(*change.before);
    if (std::fabs(share) > rounding)
      change.causes.push_back(signedPercent(share) + " by " + why);
  };
  for (Change &change : comparison.metrics) {
    llvm::Optional<MetricValue> value = metric(*asked.modelled, change.what);
    if (!value || !value->hasNumber() || !change.before || !change.after || *change.before == 0)
      continue;
    double model = value->value.central();
    say(change, model - *change.before, "how " + asked.tool + " counts");
    say(change, *change.after - model, "what the " + asked.tool + " here does otherwise");
  }
}

Comparison api::compare(const emit::Result &before, const emit::Result &after) {
  Comparison comparison;
  comparison.before = &before;
  comparison.after = &after;
  compareMetrics(comparison);
  compareWords(comparison);
  compareParts(comparison);
  compareMemories(comparison);
  if (after.modelled)
    addToolCauses(comparison);
  return comparison;
}

std::vector<Comparison> api::toolComparisons(llvm::ArrayRef<const emit::Result *> results) {
  std::vector<Comparison> comparisons;
  for (const emit::Result *result : results)
    if (result->modelled && result != results.front())
      comparisons.push_back(compare(*results.front(), *result));
  return comparisons;
}

static emit::Json changesJson(llvm::ArrayRef<Change> changes, const SourceManager &sources) {
  emit::Json list = emit::Json::array();
  for (const Change &change : changes) {
    auto figure = [](llvm::Optional<double> value) {
      return value ? emit::Json(*value) : emit::Json();
    };
    emit::Json json = emit::Json::object()
                          .set("what", change.what)
                          .set("unit", change.dimension.unitText())
                          .set("before", figure(change.before))
                          .set("after", figure(change.after));
    emit::Json causes = emit::Json::array();
    for (const std::string &cause : change.causes)
      causes.push(cause);
    if (!causes.isEmpty())
      json.set("causes", std::move(causes));
    if (change.place.isValid())
      json.set("place", emit::placeJson(change.place, sources));
    list.push(std::move(json));
  }
  return list;
}

emit::Json api::comparisonJson(const Comparison &comparison, const SourceManager &sources) {
  emit::Json same = emit::Json::array();
  for (const std::string &name : comparison.same)
    same.push(name);
  emit::Json words = emit::Json::array();
  for (const auto &[what, before, after] : comparison.words)
    words.push(emit::Json::object().set("what", what).set("before", before).set("after", after));
  return emit::Json::object()
      .set("before", comparison.before->label)
      .set("after", comparison.after->label)
      .set("metrics", changesJson(comparison.metrics, sources))
      .set("words", std::move(words))
      .set("parts", changesJson(comparison.parts, sources))
      .set("bounds", changesJson(comparison.bounds, sources))
      .set("memories", changesJson(comparison.memories, sources))
      .set("same", std::move(same))
      .set("same_parts", comparison.sameParts);
}
