// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results as a page for a browser, whole in one file: a table of all results with a bar for each
// latency beside those of its statement, then the kernels and metrics of each. Figures are in the
// units that people read; what is not given says why.
#include "backends/emit/Emit.h"
#include "backends/emit/ResultText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Printable.h"
#include <map>

using namespace perfc;
using namespace perfc::emit;

static constexpr llvm::StringLiteral style = R"(
body { font: 15px/1.4 sans-serif; margin: 2em }
table { border-collapse: collapse; margin: 0.5em 0 1em }
th, td { border-bottom: 1px solid #ddd; padding: 0.2em 0.8em; text-align: right }
th:first-child, td:first-child, .text { text-align: left }
td.missing { color: #888 }
meter { width: 8em }
summary { cursor: pointer; font-weight: bold }
)";

static llvm::Printable escaped(llvm::StringRef text) {
  return llvm::Printable([text](llvm::raw_ostream &os) { llvm::printHTMLEscaped(text, os); });
}

static void cell(llvm::raw_ostream &os, llvm::StringRef text, llvm::StringRef kind = "number") {
  os << "<td class=\"" << kind << "\">" << escaped(text) << "</td>";
}

static void titles(llvm::raw_ostream &os, llvm::ArrayRef<llvm::StringRef> names) {
  os << "<table><tr>";
  for (llvm::StringRef name : names)
    os << "<th>" << escaped(name) << "</th>";
  os << "</tr>\n";
}

static void energyCell(llvm::raw_ostream &os, const Figure &energy) {
  if (energy.isGiven())
    return cell(os, formatEngineering(energy.shown(), BaseUnit::Joule));
  cell(os, "not given", "missing");
}

/// The points of a sweep may differ in nothing else.
static std::string labelOf(const Result &result) {
  return result.point.empty() ? result.label : result.label + "; " + pointText(result);
}

/// `longest` is the longest latency among the results of its statement, s.
static void summaryRow(llvm::raw_ostream &os, const Result &result, double longest) {
  const Cost &cost = result.cost;
  os << "<tr>";
  cell(os, labelOf(result));
  Uncertain latency = metric(result, "latency")->value;
  cell(os, formatEngineering(latency, BaseUnit::Second));
  os << fmt::format("<td><meter value=\"{:.4f}\"></meter></td>",
                    longest > 0 ? latency.central() / longest : 0);
  energyCell(os, cost.energy);
  if (result.isTimesOnly)
    cell(os, "not given", "missing");
  else
    cell(os, percent(cost.utilization.central()));
  cell(os, cost.bottleneck(), "text");
  os << "</tr>\n";
}

static void kernelTable(llvm::raw_ostream &os, const Result &result) {
  titles(os, {"kernel", "count", "latency", "share", "energy", "utilization", "bound", "by"});
  for (const KernelLine &kernel : flatten(result.cost.breakdown)) {
    os << "<tr>";
    cell(os, kernel.part->label);
    cell(os, kernel.isRest() ? "" : std::to_string(kernel.count));
    cell(os, formatEngineering(kernel.latency, BaseUnit::Second));
    double total = result.cost.latency.central();
    cell(os, total > 0 ? percent(kernel.latency.central() / total) : "");
    energyCell(os, kernel.energy);
    cell(os, kernel.macs > 0 ? percent(kernel.part->utilization) : "-");
    cell(os, kernel.part->bound, "text");
    cell(os, kernel.part->provider, "text");
    os << "</tr>\n";
  }
  os << "</table>\n";
}

static void metricTable(llvm::raw_ostream &os, const Result &result) {
  titles(os, {"metric", "value"});
  std::vector<std::pair<llvm::StringRef, MetricValue>> all = metricsOf(result);
  all.insert(all.end(), result.own.begin(), result.own.end());
  for (const auto &[name, value] : all) {
    os << "<tr>";
    cell(os, name);
    if (value.hasNumber())
      cell(os, formatEngineering(value.value, value.dimension));
    else if (value.notGiven.empty())
      cell(os, value.text, "text");
    else
      cell(os, value.notGiven, "text missing");
    os << "</tr>\n";
  }
  os << "</table>\n";
}

static void details(llvm::raw_ostream &os, const Result &result) {
  os << "<details><summary>" << escaped(labelOf(result)) << "</summary>\n";
  for (const Expectation &expectation : result.expectations)
    os << "<p>expect " << escaped(expectation.text) << ": "
       << (expectation.holds ? "holds" : "does not hold") << "</p>\n";
  kernelTable(os, result);
  metricTable(os, result);
  os << "</details>\n";
}

void emit::writeHtml(const Input &input, llvm::raw_ostream &os) {
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>perfc</title>"
     << "<style>" << style << "</style></head>\n<body>\n";
  titles(os, {"result", "latency", "", "energy", "utilization", "bound"});
  std::map<unsigned, double> longest; // by statement
  for (const Result *result : input.results)
    longest[result->statement] =
        std::max(longest[result->statement], metric(*result, "latency")->value.central());
  for (const Result *result : input.results)
    summaryRow(os, *result, longest[result->statement]);
  os << "</table>\n";
  for (const Result *result : input.results)
    details(os, *result);
  os << "</body>\n</html>\n";
}
