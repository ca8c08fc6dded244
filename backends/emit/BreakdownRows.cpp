// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/emit/BreakdownRows.h"

#include "backends/emit/PartMetrics.h"
#include "ir/study/RowKinds.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit;

std::vector<KernelLine> emit::merged(std::vector<KernelLine> lines) {
  std::vector<KernelLine> result;
  for (KernelLine &line : lines) {
    auto same = llvm::find_if(result, [&](const KernelLine &known) {
      const CostPart &a = *known.part, &b = *line.part;
      return a.label == b.label && a.bound == b.bound && a.mapping == b.mapping &&
             a.provider == b.provider && a.utilization == b.utilization;
    });
    if (same == result.end()) {
      result.push_back(std::move(line));
      continue;
    }
    same->count += line.count;
    same->latency += line.latency;
    same->energy += line.energy;
    same->flops += line.flops;
    same->macs += line.macs;
  }
  return result;
}

size_t emit::workCount(llvm::ArrayRef<KernelLine> lines) {
  return llvm::count_if(lines, [](const KernelLine &line) { return !line.isRest(); });
}

std::vector<bool> emit::chooseLongest(llvm::ArrayRef<KernelLine> lines, size_t limit) {
  std::vector<bool> shown(lines.size(), false);
  std::vector<size_t> order;
  for (size_t i = 0; i < lines.size(); ++i)
    if (lines[i].isRest())
      shown[i] = true;
    else
      order.push_back(i);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return lines[a].latency.central() > lines[b].latency.central();
  });
  for (size_t i = 0; i < std::min(limit, order.size()); ++i)
    shown[order[i]] = true;
  return shown;
}

bool emit::isBreakdown(llvm::StringRef rows) { return llvm::is_contained(study::rowKinds, rows); }

llvm::Optional<std::vector<BreakdownRow>>
emit::breakdownRows(const Result &result, llvm::StringRef rows, size_t limit, size_t &others) {
  std::vector<BreakdownRow> list;
  const Cost &cost = result.cost;
  if (rows == "memory" || rows == "level" || rows == "component") {
    for (const MemoryTraffic &memory : cost.traffic)
      list.push_back(
          {memory.memory, [memory](llvm::StringRef name) { return metric(memory, name); }});
    return list;
  }
  if (rows == "pool" && result.serving) {
    for (const ServedPool &pool : result.serving->pools)
      list.push_back({pool.phase.empty() ? "all" : pool.phase,
                      [&](llvm::StringRef name) { return poolMetric(result, pool, name); }});
    return list;
  }
  if (rows != "kernel" && rows != "op" && rows != "layer")
    return llvm::None;
  std::vector<KernelLine> lines = flatten(cost.breakdown);
  if (rows != "layer" && workCount(lines) > limit)
    lines = merged(std::move(lines));
  std::vector<bool> shown = chooseLongest(lines, limit);
  for (size_t i = 0; i < lines.size(); ++i)
    if (shown[i])
      list.push_back({lines[i].part->label, [line = lines[i], &result](llvm::StringRef name) {
                        return metric(line, name, result);
                      }});
  others = workCount(lines) > limit ? workCount(lines) - limit : 0;
  return list;
}
