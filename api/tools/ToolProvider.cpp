// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/tools/ToolProvider.h"

#include "api/tools/ToolRun.h"
#include "backends/core/Chip.h"
#include "ir/common/diagnostics/Files.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"

using namespace perfc;
using namespace perfc::api;

namespace {

/// What a tool says of an operation.
struct ToolFigures {
  llvm::Optional<double> cycles;
  llvm::Optional<double> time;   ///< s
  llvm::Optional<double> energy; ///< J

  llvm::Optional<double> &of(ToolMetric metric) {
    return metric == ToolMetric::Cycles ? cycles : metric == ToolMetric::Time ? time : energy;
  }
};

} // namespace

/// The number that a line has for `figure`; `column` is that of its title, which a title row sets.
static llvm::Optional<double> numberIn(llvm::StringRef line, const ToolFigure &figure,
                                       llvm::Optional<size_t> &column) {
  double value = 0;
  llvm::SmallVector<llvm::StringRef, 8> parts;
  if (figure.column.empty())
    return llvm::Regex(figure.pattern).match(line, &parts) && !parts[1].getAsDouble(value)
               ? llvm::Optional<double>(value)
               : llvm::None;
  line.split(parts, ',');
  for (size_t i = 0; i < parts.size() && !column; ++i)
    if (parts[i].trim() == figure.column)
      column = i;
  return column && *column < parts.size() && !parts[*column].trim().getAsDouble(value)
             ? llvm::Optional<double>(value)
             : llvm::None;
}

static llvm::Optional<double> readFigure(const ToolFigure &figure, llvm::StringRef folder) {
  auto text = llvm::MemoryBuffer::getFile(
      (folder + "/" + (figure.file.empty() ? "output" : figure.file)).str());
  llvm::Optional<double> found;
  llvm::Optional<size_t> column;
  if (text)
    for (llvm::StringRef line : llvm::split((*text)->getBuffer(), '\n'))
      if (auto value = numberIn(line.rtrim(), figure, column))
        found = std::max(found.getValueOr(0), (*value + figure.first) * figure.unit);
  return found;
}

/// The energy that the tool says. A chip that does not give all energies has none of the tool's
/// either, which takes them as 0.
static Figure energyOf(const Cost &native, const Tool &tool, const ToolFigures &figures) {
  if (!native.energy.isGiven())
    return native.energy;
  return figures.energy ? Figure(*figures.energy) : Figure::notGiven("tool", tool.info->name);
}

/// What the tool says of an operation, in place of `native`; `figures` have cycles or a time.
static Cost costOf(const Cost &native, const Tool &tool, const ToolInput &input,
                   const CostQuery &query, const ToolFigures &figures) {
  Cost cost;
  if (figures.cycles) {
    cost.cycles = Uncertain(*figures.cycles);
    cost.latency = Uncertain(*figures.cycles) / Chip(*query.target).clock().getValueOr(1);
  } else {
    cost.latency = Uncertain(*figures.time);
  }
  cost.macs = native.macs;
  cost.flops = native.flops;
  cost.area = native.area;
  cost.chips = native.chips;
  cost.leavesOutTraffic = true;
  cost.leavesOutMemories = native.leavesOutMemories;
  double faster = cost.latency.central() > 0 && native.latency.central() > 0
                      ? native.latency.central() / cost.latency.central()
                      : 0;
  cost.utilization = native.utilization.central() * faster;
  if (native.busBandwidth && faster > 0)
    cost.busBandwidth = Uncertain(native.busBandwidth->central() * faster);
  cost.energy = energyOf(native, tool, figures);
  if (native.exposed.central() > 0) { // an exchange between chips
    cost.exposed = cost.latency;
    cost.exchangeEnergy = cost.energy;
  }
  cost.work = llvm::None;
  cost.addBound(("tool " + tool.info->name).str(), cost.latency);
  cost.provenance.provider = "tool " + tool.info->name.str();
  cost.provenance.mapping = input.mapping;
  cost.provenance.formula = "what the tool prints";
  cost.describe(native.breakdown.kind, input.label, query.op->range());
  return cost;
}

/// Runs `tool` on `input` in a folder of its own; why there are no figures, or "".
static std::string ask(const Tool &tool, const ToolInput &input, ToolFigures &figures) {
  std::string problem = askTool(tool, input, [&](llvm::StringRef folder) {
    for (const ToolFigure &figure : tool.info->figures)
      figures.of(figure.metric) = readFigure(figure, folder);
  });
  return problem.empty() && !figures.cycles && !figures.time ? "it printed no cycles" : problem;
}

llvm::Optional<Cost> ToolProvider::evaluate(const CostQuery &query, DiagnosticEngine &diagnostics) {
  llvm::Optional<Cost> known = native->evaluate(query, diagnostics).front();
  llvm::Optional<ToolInput> input =
      known ? tool.info->write(query, answer == ToolAnswer::Model, diagnostics) : llvm::None;
  if (!input)
    return llvm::None;
  ToolFigures figures{input->cycles, llvm::None, input->energy};
  if (answer == ToolAnswer::Model)
    return figures.cycles ? costOf(*known, tool, *input, query, figures) : known;
  figures = {};
  std::string problem = ask(tool, *input, figures);
  if (problem.empty())
    return costOf(*known, tool, *input, query, figures);
  diagnostics.report(query.op->range(), diag::ToolFailed, tool.info->name, input->label, problem);
  return llvm::None;
}

std::vector<llvm::Optional<Cost>> ToolProvider::evaluate(llvm::ArrayRef<CostQuery> queries,
                                                         DiagnosticEngine &diagnostics) {
  std::vector<llvm::Optional<Cost>> costs;
  for (const CostQuery &query : queries)
    costs.push_back(evaluate(query, diagnostics));
  return costs;
}

ProviderSet api::withTool(ProviderSet providers, const Tool &tool, ToolAnswer answer) {
  if (tool.info->provider().empty()) // it is asked of statements
    return providers;
  providers.replace(tool.info->provider(), [&](std::unique_ptr<CostProvider> native) {
    return std::make_unique<ToolProvider>(std::move(native), tool, answer);
  });
  return providers;
}
