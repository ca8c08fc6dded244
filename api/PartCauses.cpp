// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/PartCauses.h"

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::api;

/// What is nearer than this is not worth a word: it would read as "0.0 % more".
static constexpr double smallest = 5e-4;

static bool isWorthAWord(double before, double after) {
  return std::abs(after - before) > smallest * std::abs(before);
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

/// The parts of a result by label.
static std::map<std::string, PartSum> sumKernels(const emit::Result &result) {
  std::map<std::string, PartSum> sums;
  for (const emit::KernelLine &line : emit::flatten(result.cost.breakdown)) {
    PartSum &sum = sums[line.part->label];
    if (!sum.first)
      sum.first = line.part;
    sum.count += line.count;
    sum.latency += line.latency.central();
    sum.flops += line.flops;
    sum.macs += line.macs;
    sum.busy += line.part->utilization * line.latency.central();
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

/// What a training step moves beside its kernels, as parts without a name: the bytes that each rank
/// sends in exchanges, and those that the fullest one has for the optimizer.
static void addMoves(std::map<std::string, PartSum> &sums, const emit::Result &result) {
  if (!result.training)
    return;
  for (const CommunicationTime &exchange : result.training->communication)
    if (auto found = sums.find(exchange.name); found != sums.end()) {
      PartSum::Inside &inside = found->second.inside[{PartKind::Network, ""}];
      inside.bytes += static_cast<double>(exchange.bytes) * static_cast<double>(exchange.count);
      inside.seconds += exchange.total;
      found->second.hidden += exchange.total - exchange.exposed;
    }
  if (auto found = sums.find("optimizer"); found != sums.end()) {
    PartSum::Inside &inside = found->second.inside[{PartKind::Memory, ""}];
    inside.seconds = found->second.latency;
    for (const StageMemory &stage : result.training->stages)
      inside.bytes = std::max(inside.bytes, stage.parameters + stage.gradients + stage.optimizer);
  }
}

std::map<std::string, PartSum> api::sumParts(const emit::Result &result) {
  std::map<std::string, PartSum> sums = sumKernels(result);
  addMoves(sums, result);
  for (auto &[label, sum] : sums) {
    sum.share = sum.latency / result.cost.latency.central();
    if (result.serving && sum.first->kind == PartKind::Phase)
      sum.requestsPerSecond = result.serving->requestsPerSecond();
  }
  return sums;
}

//===-- Causes ------------------------------------------------------------------------------===//

namespace {

/// Of one run each, so that what is said of it and how often it runs make the whole difference.
class Causes {
public:
  Causes(const PartSum &before, const PartSum &after) : before(before), after(after) {}

  std::vector<std::string> find();

private:
  void addInside();
  void addUnit();
  void addHidden();
  void addRest();
  void addShare();
  void addWords(const char *what, const std::string &then, const std::string &now);
  /// A cause where the work of one run, of which all runs do `then` and `now`, differs by more than
  /// a word is worth.
  void addWork(double then, double now, const char *what, const std::string &where);
  void addSpeed(const std::string &resource, double then, double now);

  const PartSum &before, &after;
  std::vector<std::string> causes;
  double explained = 1; ///< how many times longer the causes so far make one run
};

} // namespace

void Causes::addWork(double then, double now, const char *what, const std::string &where) {
  then = before.each(then);
  now = after.each(now);
  if (!isWorthAWord(then, now))
    return;
  std::string more = fmt::format("more {}", what), fewer = fmt::format("fewer {}", what),
              many = fmt::format("as many {}", what);
  causes.push_back(relation(then, now, more.c_str(), fewer.c_str(), many.c_str()) + where +
                   (before.count != after.count ? " each" : ""));
}

void Causes::addSpeed(const std::string &resource, double then, double now) {
  explained *= then / now;
  if (isWorthAWord(then, now))
    causes.push_back(resource + " " + relation(then, now, "faster", "slower", "as fast"));
}

/// What an exchange, or the memory or unit that limits one of the two, does otherwise: the others
/// only work beside it.
void Causes::addInside() {
  for (const auto &[key, now] : after.inside) {
    auto found = before.inside.find(key);
    if (found == before.inside.end())
      continue;
    const auto &[kind, name] = key;
    std::string resource =
        name.empty() ? "the " + partKindName(kind).str() : partKindName(kind).str() + " " + name;
    if (!name.empty() && resource != before.first->bound && resource != after.first->bound)
      continue;
    const PartSum::Inside &then = found->second;
    bool movesBytes = kind != PartKind::Compute && (then.bytes > 0 || now.bytes > 0);
    if (movesBytes)
      addWork(then.bytes, now.bytes, "bytes",
              !name.empty()               ? " at " + name
              : kind == PartKind::Network ? " to send"
                                          : " to update");
    // The speed of what counts neither bytes nor operations is not known.
    double workThen = movesBytes ? then.bytes : kind == PartKind::Compute ? then.flops : 0;
    double workNow = movesBytes ? now.bytes : kind == PartKind::Compute ? now.flops : 0;
    if (workThen <= 0 || workNow <= 0 || then.seconds <= 0 || now.seconds <= 0)
      continue;
    explained *= after.each(workNow) / before.each(workThen);
    addSpeed(resource, workThen / then.seconds, workNow / now.seconds);
  }
}

/// The units of parts that do not say what is in them: their peak, and how much of it is reached.
void Causes::addUnit() {
  const std::string &bound = after.first->bound;
  bool isOfUnits = before.first->bound == bound && llvm::StringRef(bound).startswith("compute ");
  bool areKnown = before.busy > 0 && after.busy > 0 && before.macs > 0 && after.macs > 0;
  if (!isOfUnits || !areKnown || !before.inside.empty() || !after.inside.empty())
    return;
  explained *= after.each(after.macs) / before.each(before.macs);
  addSpeed(bound, before.macs / before.busy, after.macs / after.busy);
  double then = before.utilization(), now = after.utilization();
  explained *= then / now;
  if (isWorthAWord(then, now))
    causes.push_back(fmt::format("utilization {:.1f} %, not {:.1f} %", now * 100, then * 100));
}

/// How much of an exchange other work covers.
void Causes::addHidden() {
  auto share = [](const PartSum &sum) {
    double all = sum.hidden + sum.latency;
    return all > 0 ? 100 * sum.hidden / all : 0;
  };
  explained *= (100 - share(after)) / (100 - share(before));
  if (std::abs(share(before) - share(after)) >= 0.1)
    causes.push_back(
        fmt::format("{:.1f} % of it behind other work, not {:.1f} %", share(after), share(before)));
}

/// What one run takes longer, where the causes so far are not all of it: resources that count no
/// work, and work that others wait for.
void Causes::addRest() {
  bool isOtherBound = before.first->bound != after.first->bound && !after.inside.empty();
  bool isPhase = after.first->kind == PartKind::Phase;
  if (isOtherBound || isPhase || before.latency <= 0 || after.latency <= 0)
    return;
  double then = before.each(before.latency), now = after.each(after.latency);
  bool isRest = !(std::abs(now / then / explained - 1) <= 0.01);
  if (isRest || (causes.empty() && isWorthAWord(then, now)))
    causes.push_back((causes.empty() ? "as often, each " : "each ") +
                     relation(then, now, "longer", "shorter", "as long"));
}

/// Of a time that is no run of anything: what there is of it in all, and how many requests come.
void Causes::addShare() {
  if (after.first->kind != PartKind::Phase || !causes.empty())
    return;
  double then = before.requestsPerSecond, now = after.requestsPerSecond;
  if (then > 0 && now > 0 && isWorthAWord(then, now))
    causes.push_back("requests come " +
                     relation(then, now, "more often", "less often", "as often"));
  if (std::abs(after.share - before.share) >= smallest)
    causes.push_back(
        fmt::format("{:.1f} % of all, not {:.1f} %", after.share * 100, before.share * 100));
}

void Causes::addWords(const char *what, const std::string &then, const std::string &now) {
  if (then != now)
    causes.push_back(fmt::format("{} {}, not {}", what, now.empty() ? "nothing given" : now,
                                 then.empty() ? "nothing given" : then));
}

std::vector<std::string> Causes::find() {
  if (before.count != after.count)
    causes.push_back(fmt::format("{} times, not {}", after.count, before.count));
  addWork(before.flops, after.flops, "operations", "");
  addInside();
  addUnit();
  addHidden();
  addRest();
  addShare();
  addWords("bound by", before.first->bound, after.first->bound);
  addWords("mapping", before.first->mapping, after.first->mapping);
  addWords("by", before.first->provider, after.first->provider);
  return std::move(causes);
}

std::vector<std::string> api::causesOf(const PartSum &before, const PartSum &after) {
  return Causes(before, after).find();
}
