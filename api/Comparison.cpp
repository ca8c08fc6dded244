// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Comparison.h"

#include "api/PartCauses.h"
#include "backends/emit/StatementForm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <fmt/format.h>
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

static bool isLarger(const Change &a, const Change &b) {
  return std::abs(a.difference()) > std::abs(b.difference());
}

static void compareParts(Comparison &comparison) {
  std::map<std::string, PartSum> before = sumParts(*comparison.before),
                                 after = sumParts(*comparison.after);
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
