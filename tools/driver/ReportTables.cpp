// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"

#include "backends/emit/PartMetrics.h"

#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace perfc;
using namespace perfc::driver;
using emit::KernelLine;

std::string perfc::driver::energyText(const Figure &energy) {
  return energy.isGiven() ? formatEngineering(energy.shown(), BaseUnit::Joule) : "-";
}

std::string perfc::driver::utilizationText(const Outcome &of) {
  return metric(of, "utilization")->hasNumber() ? percent(of.cost.utilization.central()) : "-";
}

/// Who computed a kernel: "loopnest: row_stationary"; what the title says of all is not repeated.
static std::string madeBy(const CostPart &part, const Provenance &common) {
  bool isCommon = part.provider == common.provider;
  if (isCommon && (part.mapping == common.mapping || common.mapping.empty()))
    return part.mapping == common.mapping ? "" : part.mapping;
  return part.mapping.empty() ? part.provider : part.provider + ": " + part.mapping;
}

static std::string share(const Uncertain &part, const Uncertain &total) {
  return total.central() > 0 ? percent(part.central() / total.central()) : "-";
}

static std::vector<std::string> kernelRow(const KernelLine &line, const emit::Result &result) {
  const CostPart &part = *line.part;
  const Uncertain &total = result.cost.latency;
  return {part.label,
          line.isRest() ? "" : formatEngineering(static_cast<double>(line.count), {}),
          formatEngineering(line.latency.central(), BaseUnit::Second),
          share(line.latency, total),
          line.energy.isGiven() ? formatEngineering(line.energy.known.central(), BaseUnit::Joule)
                                : "-",
          line.macs > 0 ? percent(part.utilization) : "-",
          part.bound,
          madeBy(part, result.cost.provenance)};
}

/// Adds up lines that say the same of the same op: label, bound, provider and mapping.
static std::vector<KernelLine> merged(std::vector<KernelLine> lines) {
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

/// Kernels and collectives.
static size_t workCount(llvm::ArrayRef<KernelLine> lines) {
  return llvm::count_if(lines, [](const KernelLine &line) { return !line.isRest(); });
}

/// True for the lines to show: the `limit` longest, and beside these what is neither kernel nor
/// collective.
static std::vector<bool> chooseLongest(llvm::ArrayRef<KernelLine> lines, size_t limit) {
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

Table perfc::driver::kernelTable(const emit::Result &result, size_t limit) {
  Table table({{"kernel", Align::Left},
               {"count"},
               {"latency"},
               {"share"},
               {"energy"},
               {"util"},
               {"bound", Align::Left},
               {"by", Align::Left}});
  std::vector<KernelLine> lines = emit::flatten(result.cost.breakdown);
  if (workCount(lines) > limit)
    lines = merged(std::move(lines));
  bool fold = workCount(lines) > limit;
  std::vector<bool> shown = chooseLongest(lines, fold ? limit - 1 : lines.size());
  size_t others = 0;
  int64_t runs = 0;
  Uncertain latency;
  Figure energy;
  std::vector<std::vector<std::string>> rest;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].isRest()) {
      rest.push_back(kernelRow(lines[i], result));
      continue;
    }
    if (shown[i]) {
      table.addRow(kernelRow(lines[i], result));
      continue;
    }
    ++others;
    runs += lines[i].count;
    latency += lines[i].latency;
    energy += lines[i].energy;
  }
  if (others)
    table.addRow({fmt::format("{} others", others),
                  formatEngineering(static_cast<double>(runs), {}),
                  formatEngineering(latency.central(), BaseUnit::Second),
                  share(latency, result.cost.latency), energyText(energy), "", "", ""});
  for (std::vector<std::string> &row : rest)
    table.addRow(std::move(row));
  return table;
}

Table perfc::driver::totalsTable(const emit::Result &result) {
  Table table({{"", Align::Left}, {"", Align::Left}});
  for (auto &[name, text] : result.form->totals(result))
    table.addRow({name, text});
  return table;
}

Table perfc::driver::detailTable(const emit::DetailTable &details) {
  std::vector<TableColumn> columns;
  for (const emit::DetailTable::Column &column : details.columns)
    columns.push_back({column.title.str(), column.isText ? Align::Left : Align::Right, 0,
                       /*wraps=*/false, column.stays});
  Table table(std::move(columns));
  for (const std::vector<std::string> &row : details.rows)
    table.addRow(row);
  return table;
}

Table perfc::driver::accessTable(const Cost &cost) {
  bool areApart =
      llvm::any_of(cost.accesses, [](const AccessCounts &counts) { return counts.partialBits; });
  std::string apart = areApart ? ", partial + finished" : "";
  Table table({{"memory", Align::Left},
               {"tensor", Align::Left},
               {"fills"},
               {"reads"},
               {"updates" + apart},
               {"writebacks" + apart},
               {"resident"}});
  auto count = [](int64_t value) { return formatEngineering(static_cast<double>(value), {}); };
  // Partial sums, and of the words that carry results those that are finished.
  auto parts = [&](const AccessCounts &counts, int64_t all, int64_t finished) -> std::string {
    if (!counts.isOutput)
      return "-";
    if (!counts.partialBits)
      return count(all);
    return fmt::format("{} + {}", count(all - finished), count(finished));
  };
  for (const AccessCounts &counts : cost.accesses)
    table.addRow({counts.memory, counts.tensor, count(counts.fills), count(counts.reads),
                  parts(counts, counts.updates, counts.finishedUpdates),
                  parts(counts, counts.writebacks, counts.finishedWritebacks),
                  count(counts.maxResident)});
  return table;
}

//===-- report … by …
//--------------------------------------------------------------------------===//

llvm::Optional<std::vector<BreakdownRow>> perfc::driver::breakdownRows(const emit::Result &result,
                                                                       llvm::StringRef rows,
                                                                       size_t limit,
                                                                       size_t &others) {
  std::vector<BreakdownRow> list;
  const Cost &cost = result.cost;
  if (rows == "memory" || rows == "level" || rows == "component") {
    for (const MemoryTraffic &memory : cost.traffic)
      list.push_back(
          {memory.memory, [memory](llvm::StringRef name) { return emit::metric(memory, name); }});
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
  std::vector<KernelLine> lines = emit::flatten(cost.breakdown);
  if (rows != "layer" && workCount(lines) > limit)
    lines = merged(std::move(lines));
  std::vector<bool> shown = chooseLongest(lines, limit);
  for (size_t i = 0; i < lines.size(); ++i)
    if (shown[i])
      list.push_back({lines[i].part->label, [line = lines[i], &result](llvm::StringRef name) {
                        return emit::metric(line, name, result);
                      }});
  others = workCount(lines) > limit ? workCount(lines) - limit : 0;
  return list;
}
