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

std::vector<std::pair<llvm::StringRef, MetricValue>> emit::metricsOf(const Cost &cost) {
  static const llvm::StringRef price = "cost";
  llvm::SmallVector<llvm::ArrayRef<llvm::StringRef>, 4> lists{metricNames()};
  if (cost.training)
    lists.push_back(trainingMetricNames());
  if (cost.serving)
    lists.push_back(servingMetricNames());
  if (cost.training && cost.training->hasPrice)
    lists.push_back(price);
  std::vector<std::pair<llvm::StringRef, MetricValue>> metrics;
  for (llvm::ArrayRef<llvm::StringRef> names : lists)
    for (llvm::StringRef name : names) {
      bool isKnown = llvm::any_of(metrics, [&](const auto &entry) { return entry.first == name; });
      if (llvm::Optional<MetricValue> value = isKnown ? llvm::None : metric(cost, name))
        metrics.emplace_back(name, std::move(*value));
    }
  return metrics;
}
