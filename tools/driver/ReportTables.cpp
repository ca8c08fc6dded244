// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"

#include "backends/emit/BreakdownRows.h"

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
  if (emit::workCount(lines) > limit)
    lines = emit::merged(std::move(lines));
  bool fold = emit::workCount(lines) > limit;
  std::vector<bool> shown = emit::chooseLongest(lines, fold ? limit - 1 : lines.size());
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
