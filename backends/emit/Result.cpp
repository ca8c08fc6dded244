// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/Result.h"

#include "ir/common/Written.h"

using namespace perfc;
using namespace perfc::emit;

std::string emit::pointText(const Result &result) {
  std::string text;
  for (const auto &[name, value] : result.point.entries())
    text += (text.empty() ? "" : "; ") + name + "=" +
            (value.is(ir::AttrKind::Quantity) ? written(value.asQuantity()) : value.text());
  return text;
}

/// `runs` is how often the parent of `part` runs.
static void addLines(const CostPart &part, int64_t runs, std::vector<KernelLine> &lines) {
  bool isRest =
      part.kind == PartKind::Phase && part.children.empty() && part.latency.central() != 0;
  bool isLeaf = isRest || part.kind == PartKind::Kernel || part.kind == PartKind::Collective;
  if (!isLeaf) {
    for (const CostPart &child : part.children)
      addLines(child, runs * part.count, lines);
    return;
  }
  double times = static_cast<double>(runs);
  lines.push_back({&part, runs * part.count, part.latency * times, part.energy.times(times),
                   part.flops * times, part.macs * times});
}

std::vector<KernelLine> perfc::emit::flatten(const CostPart &breakdown) {
  std::vector<KernelLine> lines;
  addLines(breakdown, 1, lines);
  return lines;
}

/// Whether `of` has a use for the metric among all others: none for money without a price.
static bool isListed(const Outcome &of, const MetricSpec &spec) {
  if (spec.name == "parameters") // results have it beside their metrics
    return false;
  if (spec.name == "spread")
    return !of.ensemble.empty();
  if (spec.name.startswith("cost"))
    return of.price.hasValue();
  const MetricSpec *own = findMetric(of.kind, spec.name);
  return of.tokens > 0 || !(own ? *own : spec).needsTokens;
}

std::vector<std::pair<llvm::StringRef, MetricValue>> emit::metricsOf(const Outcome &outcome) {
  std::vector<std::pair<llvm::StringRef, MetricValue>> metrics;
  for (const MetricSpec &spec : perfc::metricsOf(ResultKind::Evaluation))
    if (isListed(outcome, spec))
      metrics.emplace_back(spec.name, *metric(outcome, spec.name));
  for (const MetricSpec &spec : perfc::metricsOf(outcome.kind))
    if (!findMetric(ResultKind::Evaluation, spec.name) && isListed(outcome, spec))
      metrics.emplace_back(spec.name, *metric(outcome, spec.name));
  return metrics;
}
