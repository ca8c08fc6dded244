// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as a table in SI units: one line for each result's total and one for each of its kernels;
// where there are points of a sweep, the table of all results (ResultTable.h). A value that is not
// given is empty.
#include "backends/emit/Emit.h"
#include "backends/emit/ResultTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::emit;

using Line = std::vector<std::string>;

/// A cell in quotes where it needs them (RFC 4180).
static std::string cell(llvm::StringRef text) {
  if (text.find_first_of(",\"\n\r") == llvm::StringRef::npos)
    return text.str();
  std::string quoted = "\"";
  for (char c : text)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

static std::string real(double value) { return fmt::format("{}", value); }

static std::string figure(const Figure &figure) {
  return figure.isGiven() ? real(figure.known.central()) : "";
}

static Line head(const Result &result) {
  return {result.name, result.subject, result.on, pointText(result)};
}

/// A count of all that runs, "" where there is none.
static std::string total(const Outcome &outcome, llvm::StringRef name) {
  llvm::Optional<MetricValue> value = metric(outcome, name);
  if (!value || !value->hasNumber())
    return "";
  return value->count ? fmt::format("{}", *value->count)
                      : fmt::format("{:.0f}", value->value.central());
}

/// A metric in base units, "" where it has no value.
static std::string metricCell(const MetricValue &value) {
  return !value.text.empty() ? value.text : value.hasNumber() ? real(value.value.central()) : "";
}

static void addName(std::vector<std::string> &names, llvm::StringRef name) {
  if (!llvm::is_contained(names, name))
    names.push_back(name.str());
}

/// The metrics of the file that the results name, in order of first appearance.
static std::vector<std::string> ownNames(llvm::ArrayRef<const Result *> results) {
  std::vector<std::string> names;
  for (const Result *result : results)
    for (const auto &[name, value] : result->own)
      addName(names, name);
  return names;
}

static void addOwn(Line &line, const Result &result, llvm::ArrayRef<std::string> own) {
  for (const std::string &name : own) {
    auto found = llvm::find_if(result.own, [&](auto &entry) { return entry.first == name; });
    line.push_back(found == result.own.end() ? "" : metricCell(found->second));
  }
}

/// `latency_s` is the metric `latency`: of a `serve` that of a request.
static Line totalLine(const Result &result, llvm::ArrayRef<std::string> own) {
  const Cost &cost = result.cost;
  Line line = head(result);
  Line rest{"total",
            "1",
            metricCell(*metric(result, "latency")),
            figure(cost.energy),
            total(result, "macs"),
            total(result, "flops"),
            result.isTimesOnly ? "" : real(cost.utilization.central()),
            cost.bottleneck().str(),
            cost.provenance.provider,
            cost.provenance.mapping};
  llvm::append_range(line, rest);
  addOwn(line, result, own);
  return line;
}

static Line kernelLine(const Result &result, const KernelLine &kernel) {
  const CostPart &part = *kernel.part;
  auto counted = [&](std::string text) { return result.isTimesOnly ? "" : text; };
  Line line = head(result);
  Line rest{part.label,
            kernel.isRest() ? "" : fmt::format("{}", kernel.count),
            real(kernel.latency.central()),
            figure(kernel.energy),
            counted(fmt::format("{:.0f}", kernel.macs)),
            counted(fmt::format("{:.0f}", kernel.flops)),
            counted(real(part.utilization)),
            part.bound,
            part.provider,
            part.mapping};
  llvm::append_range(line, rest);
  return line;
}

static std::vector<Line> pointLines(llvm::ArrayRef<const Result *> results) {
  std::vector<Line> lines(results.size() + 1);
  for (const ResultColumn &column : resultColumns(results)) {
    lines.front().push_back(column.name);
    for (size_t row = 0; row < results.size(); ++row) {
      const ResultCell &cell = column.cells[row];
      lines[row + 1].push_back(cell.number ? real(*cell.number) : cell.text);
    }
  }
  return lines;
}

static std::vector<Line> kernelLines(llvm::ArrayRef<const Result *> results) {
  std::vector<Line> lines{{"result", "subject", "on", "point", "kernel", "count", "latency_s",
                           "energy_j", "macs", "flops", "utilization", "bound", "provider",
                           "mapping"}};
  std::vector<std::string> own = ownNames(results);
  llvm::append_range(lines.front(), own);
  for (const Result *result : results) {
    lines.push_back(totalLine(*result, own));
    for (const KernelLine &kernel : flatten(result->cost.breakdown)) {
      lines.push_back(kernelLine(*result, kernel));
      lines.back().resize(lines.front().size());
    }
  }
  return lines;
}

void perfc::emit::writeCsv(const Input &input, llvm::raw_ostream &os) {
  bool isSwept =
      llvm::any_of(input.results, [](const Result *result) { return !result->point.empty(); });
  for (const Line &line : isSwept ? pointLines(input.results) : kernelLines(input.results)) {
    llvm::interleave(
        line, os, [&](const std::string &text) { os << cell(text); }, ",");
    os << '\n';
  }
}
