// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/RunDocument.h"

#include "api/Comparison.h"
#include "api/Emitted.h"
#include "backends/emit/Emit.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::mapper;

/// The document prints its lists as fields of an object: their elements stand this far in.
static constexpr unsigned partIndent = 4;
/// Figures of a table of measurements that a chart shows.
static constexpr size_t chartedFigures = 3000;

/// The values of the mappings of a search, with the mappings as text.
static emit::Json frontJson(const mapper::FoundFront &front) {
  emit::Json points = emit::Json::array();
  for (const mapper::FoundFront::Point &point : front.points) {
    emit::Json row = emit::Json::object();
    for (size_t i = 0; i < front.metrics.size(); ++i)
      row.set(front.metrics[i], point.values[i].toDouble());
    llvm::StringSet<> names; // of this point alone
    points.push(row.set("mappings", mapper::printMappings(point.mappings, names)));
  }
  return emit::Json::object().set("proven", front.isProven).set("points", std::move(points));
}

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

emit::Json api::frontsJson(llvm::ArrayRef<mapper::Front> list) {
  emit::Json all = emit::Json::array();
  for (const mapper::Front &front : list) {
    emit::Json rows = emit::Json::array();
    for (size_t i = 0; i < front.rows.size(); ++i) {
      emit::Json row = emit::Json::object();
      row.set("point", front.rows[i].bindings).set("label", front.rows[i].label);
      for (size_t m = 0; m < front.metrics.size(); ++m)
        row.set(front.metrics[m], front.values[i][m]);
      rows.push(std::move(row));
    }
    all.push(emit::Json::object().set("of", int64_t(front.of)).set("points", std::move(rows)));
  }
  return all;
}

emit::Json api::leftOutJson(llvm::ArrayRef<mapper::LeftOut> sweeps) {
  emit::Json all = emit::Json::array();
  for (const mapper::LeftOut &sweep : sweeps) {
    emit::Json reasons = emit::Json::object();
    for (const auto &[condition, count] : sweep.reasons)
      reasons.set(condition, static_cast<int64_t>(count));
    all.push(emit::Json::object()
                 .set("statement", sweep.statement)
                 .set("count", static_cast<int64_t>(sweep.count))
                 .set("of", static_cast<int64_t>(sweep.of))
                 .set("require", std::move(reasons)));
  }
  return all;
}

emit::Json api::tablesJson(const std::deque<PredictedTable> &tables) {
  emit::Json all = emit::Json::array();
  for (const PredictedTable &table : tables)
    all.push(withAgreement(emit::Json::object().set("table", table.path), table.rows));
  return all;
}

/// Fronts and what `require` has left out.
static void addSweeps(emit::Json &document, const Evaluation &evaluation) {
  SweepFindings findings = evaluation.sweepFindings();
  if (!findings.fronts().empty())
    document.set("fronts", frontsJson(findings.fronts()));
  if (std::vector<LeftOut> list = findings.leftOut(); !list.empty())
    document.set("left_out", leftOutJson(list));
}

/// What tools say otherwise than the first row of their comparison, by cause.
static void addComparisons(emit::Json &document, const Evaluation &evaluation) {
  emit::Json list = emit::Json::array();
  const std::deque<emit::Result> &results = evaluation.results();
  for (size_t i = 0; i < results.size();) {
    std::vector<const emit::Result *> rows;
    for (; i < results.size(); ++i) {
      if (!rows.empty() && (results[i].statement != rows.front()->statement ||
                            emit::pointText(results[i]) != emit::pointText(*rows.front())))
        break;
      rows.push_back(&results[i]);
    }
    for (const Comparison &comparison : toolComparisons(rows))
      list.push(comparisonJson(comparison, evaluation.context.sources));
  }
  if (!list.isEmpty())
    document.set("comparisons", std::move(list));
}

/// A number in its base unit, a word, or null where there is no value.
static emit::Json cellJson(const ExpressionValue &value) {
  if (value.number)
    return value.number->toDouble();
  return emit::whyNotGiven(value).empty() ? emit::Json(emit::describe(value)) : emit::Json();
}

static emit::Json reportJson(const ReportTable &table) {
  emit::Json columns = emit::Json::array(), rows = emit::Json::array();
  for (const ReportColumn &column : table.columns)
    columns.push(column.title);
  for (const ReportTable::Row &row : table.rows) {
    emit::Json cells = emit::Json::array();
    for (const ExpressionValue &value : row.cells)
      cells.push(cellJson(value));
    rows.push(emit::Json::object().set("label", row.label).set("cells", std::move(cells)));
  }
  return emit::Json::object()
      .set("name", table.name)
      .set("by", table.by)
      .set("columns", std::move(columns))
      .set("rows", std::move(rows));
}

static void addFindings(emit::Json &document, const Evaluation &evaluation) {
  addSweeps(document, evaluation);
  addComparisons(document, evaluation);
  if (!evaluation.tables().empty())
    document.set("tables", tablesJson(evaluation.tables()));
  if (evaluation.reports().empty())
    return;
  emit::Json reports = emit::Json::array();
  for (const ReportTable &table : evaluation.reports())
    reports.push(reportJson(table));
  document.set("reports", std::move(reports));
}

emit::Json api::chartedTables(const std::deque<PredictedTable> &tables, size_t figures) {
  emit::Json list = emit::Json::array();
  for (const PredictedTable &table : tables)
    list.push(
        withPredictions(withAgreement(emit::Json::object().set("table", table.path), table.rows),
                        table.rows, figures));
  return list;
}

emit::Json api::findingsJson(const Evaluation &evaluation) {
  emit::Json findings = emit::Json::object();
  addSweeps(findings, evaluation);
  if (!evaluation.tables().empty())
    findings.set("tables", chartedTables(evaluation.tables(), chartedFigures));
  return findings;
}

void api::writeTablesReport(const std::deque<PredictedTable> &tables, llvm::StringRef path,
                            Context context, llvm::StringRef title, emit::Json findings) {
  // All tables of a page share what one may have.
  size_t figures = chartedFigures / std::max<size_t>(1, tables.size());
  findings.set("tables", chartedTables(tables, figures));
  writeEmitted(*emit::findEmitter("html"),
               {{}, nullptr, context.sources, &context.diagnostics, std::move(findings), title},
               path, {});
}

static std::string printPart(const emit::Json &part) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  part.print(stream, partIndent);
  return stream.str();
}

void RunDocument::takeParts(std::vector<std::string> &results, std::vector<std::string> &searches) {
  for (; takenResults < evaluation.results().size(); ++takenResults)
    results.push_back(printPart(
        emit::resultJson(evaluation.results()[takenResults], evaluation.context.sources)));
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

void RunDocument::print(llvm::raw_ostream &out, llvm::StringRef path) {
  takeParts(allResults, allSearches);
  emit::Json expectations = emit::Json::array(), unsupported = emit::Json::array();
  for (const emit::Expectation &expectation : evaluation.expectations())
    expectations.push(emit::expectationJson(expectation, evaluation.context.sources));
  for (const Diagnostic &diagnostic : evaluation.context.diagnostics.all())
    if (diagnostic.kind->code == diag::NotSupportedYet.code)
      unsupported.push(
          emit::Json::object()
              .set("message", diagnostic.message)
              .set("place", emit::placeJson(diagnostic.range, evaluation.context.sources)));
  emit::Json document = emit::Json::object();
  document.set("schema", 1).set("file", path).set("results", listOf(allResults));
  if (!allSearches.empty())
    document.set("searches", listOf(allSearches));
  addFindings(document, evaluation);
  document.set("expectations", std::move(expectations))
      .set("unsupported", std::move(unsupported))
      .print(out);
  out << '\n';
}
