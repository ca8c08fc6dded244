// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/RunDocument.h"

#include "backends/emit/Emit.h"
#include "tools/driver/sweep/FrontTable.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;
using namespace perfc::mapper;

/// The document prints its lists as fields of an object: their elements stand this far in.
static constexpr unsigned partIndent = 4;

static emit::Json searchJson(const Searched &entry, bool withStats) {
  const SearchSummary &summary = entry.summary;
  llvm::StringSet<> names; // of this search alone
  emit::Json json = emit::Json::object();
  json.set("result", entry.result->name)
      .set("goal", summary.goal)
      .set("value", summary.value)
      .set("lower_bound", summary.hasBound ? emit::Json(summary.bound) : emit::Json())
      .set("gap", summary.hasBound ? emit::Json(summary.gap()) : emit::Json())
      .set("proven", summary.proven)
      .set("nests", int64_t(summary.nests))
      .set("distinct", int64_t(summary.distinct))
      .set("evaluated", summary.evaluated)
      .set("mappings", mapper::printMappings(summary.mappings, names));
  if (summary.strategy != loopnest::SearchStrategy::Bound)
    json.set("mapspace", summary.space > 0 ? emit::Json(summary.space) : emit::Json());
  if (!summary.front.metrics.empty())
    json.set("front", frontJson(summary.front));
  if (withStats)
    json.set("cpu_seconds", summary.cpuSeconds);
  return json;
}

static std::string printPart(const emit::Json &part) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  part.print(stream, partIndent);
  return stream.str();
}

void RunDocument::takeParts(std::vector<std::string> &results, std::vector<std::string> &searches) {
  for (; takenResults < evaluation.results().size(); ++takenResults)
    results.push_back(
        printPart(emit::resultJson(evaluation.results()[takenResults], session.sources)));
  for (; takenSearches < evaluation.searches().size(); ++takenSearches)
    searches.push_back(printPart(searchJson(evaluation.searches()[takenSearches], withStats)));
}

void RunDocument::addParts(llvm::ArrayRef<std::string> results,
                           llvm::ArrayRef<std::string> searches) {
  llvm::append_range(allResults, results);
  llvm::append_range(allSearches, searches);
}

static emit::Json listOf(llvm::ArrayRef<std::string> parts) {
  emit::Json list = emit::Json::array();
  for (const std::string &part : parts)
    list.push(emit::Json::printed(part));
  return list;
}

void RunDocument::print(llvm::StringRef path) {
  takeParts(allResults, allSearches);
  emit::Json expectations = emit::Json::array(), unsupported = emit::Json::array();
  for (const emit::Expectation &expectation : evaluation.expectations())
    expectations.push(emit::expectationJson(expectation, session.sources));
  for (const Diagnostic &diagnostic : session.diagnostics.all())
    if (diagnostic.kind->code == diag::NotSupportedYet.code)
      unsupported.push(emit::Json::object()
                           .set("message", diagnostic.message)
                           .set("place", emit::placeJson(diagnostic.range, session.sources)));
  emit::Json document = emit::Json::object();
  document.set("schema", 1).set("file", path).set("results", listOf(allResults));
  if (!allSearches.empty())
    document.set("searches", listOf(allSearches));
  std::vector<StoredRow> rows = evaluation.sweepRows();
  if (std::vector<Front> list = fronts(rows); !list.empty())
    document.set("fronts", frontsJson(list));
  if (std::vector<LeftOut> list = leftOut(rows); !list.empty())
    document.set("left_out", leftOutJson(list));
  document.set("expectations", std::move(expectations))
      .set("unsupported", std::move(unsupported))
      .print(session.out);
  session.out << '\n';
}
