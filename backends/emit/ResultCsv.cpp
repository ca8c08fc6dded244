// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as a table in SI units: one line for each result's total and one for each of its kernels;
// where there are points of a sweep, one line for each result, with what the sweeps set and all
// metrics, those of the file too, in columns of their own. A value that is not given is empty.
#include "backends/emit/Emit.h"

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

//===-- Points of sweeps
//--------------------------------------------------------------------------===//

/// What a sweep sets, as a number where it is one.
static std::string setting(const Result &result, llvm::StringRef name) {
  const ir::Attribute *value = result.point.find(name);
  if (!value)
    return "";
  if (value->is(ir::AttrKind::Int) || value->is(ir::AttrKind::Quantity))
    return real(value->asQuantity().toDouble());
  return value->is(ir::AttrKind::String) ? value->asString().str() : value->text();
}

static std::vector<Line> pointLines(llvm::ArrayRef<const Result *> results) {
  std::vector<std::string> settings, metrics; // in the order in which they come
  for (const Result *result : results) {
    for (const auto &[name, value] : result->point.entries())
      addName(settings, name);
    for (const auto &[name, value] : metricsOf(*result))
      if (value.hasNumber())
        addName(metrics, name);
  }
  std::vector<std::string> own = ownNames(results);
  Line titles{"result", "subject", "on"};
  for (const std::vector<std::string> *names : {&settings, &metrics, &own})
    llvm::append_range(titles, *names);
  llvm::append_range(titles, Line{"bound", "provider", "mapping"});
  std::vector<Line> lines{titles};
  for (const Result *result : results) {
    Line line{result->name, result->subject, result->on};
    for (const std::string &name : settings)
      line.push_back(setting(*result, name));
    for (const std::string &name : metrics) {
      llvm::Optional<MetricValue> value = metric(*result, name);
      line.push_back(value && value->hasNumber() ? real(value->value.central()) : "");
    }
    addOwn(line, *result, own);
    const Provenance &by = result->cost.provenance;
    llvm::append_range(line, Line{result->cost.bottleneck().str(), by.provider, by.mapping});
    lines.push_back(std::move(line));
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
