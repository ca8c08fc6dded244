// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"
#include "ir/study/TrainOps.h"
#include "tools/driver/RowNames.h"
#include "tools/driver/sweep/FrontTable.h"
#include "tools/driver/sweep/PointTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

/// Kernels shown without -v.
static constexpr size_t kernelLimit = 14;
static constexpr size_t stageLimit = 8;  ///< rows of unlike stages
static constexpr size_t frontLimit = 12; ///< mappings of a front

void Report::title(llvm::StringRef text, llvm::StringRef details) {
  printTitle(out, text, details, session.colorOut);
}

void Report::print(const Evaluated &evaluated) {
  bool isRequest = evaluated.results.empty();
  if (evaluated.point && !isRequest)
    return printPoint(evaluated);
  sweep = SourceRange();
  if (isRequest)
    return printFileReport(evaluated);
  bool reported = false;
  for (const ir::Operation &op : evaluated.op.body())
    reported |= op.is(study::ReportOp::opName);
  if (evaluated.op.is(study::CompareOp::opName))
    printComparison(evaluated);
  else if (!reported)
    printEvaluation(*evaluated.results.front());
  for (const ir::Operation &op : evaluated.op.body())
    if (auto report = ir::as<study::ReportOp>(op))
      printReport(evaluated, report);
  out << '\n';
  out.flush();
}

static std::string details(const Cost &cost) {
  std::string text = cost.provenance.provider;
  if (!cost.provenance.mapping.empty())
    text += "; mapping " + cost.provenance.mapping;
  return text;
}

/// Reasons and figures of a result are never cut, whatever the width.
static void printTotals(llvm::raw_ostream &out, const emit::Result &result) {
  totalsTable(result).print(out, anyWidth, /*bold=*/false, /*titles=*/false);
}

void Report::printEvaluation(const emit::Result &result) {
  const Cost &cost = result.cost;
  title(result.label, details(cost));
  size_t limit = session.isVerbose() ? SIZE_MAX : kernelLimit;
  unsigned width = session.tableWidth();
  Table kernels = kernelTable(result, limit);
  if (!kernels.empty())
    kernels.print(out, width, session.colorOut);
  printTotals(out, result);
  if (result.training && result.training->stages.size() > 1)
    stageTable(result, session.isVerbose() ? SIZE_MAX : stageLimit)
        .print(out, width, session.colorOut);
  bool single = emit::flatten(cost.breakdown).size() == 1;
  if (!cost.accesses.empty() && (single || session.isVerbose()))
    accessTable(cost).print(out, width, session.colorOut);
  if (session.isVerbose())
    out << evaluation.mappingText(result);
  printFindings(result);
}

/// "2 of 3 nests verified by isl, 1 too large".
static std::string verifiedText(const VerifiedNests &verified) {
  if (verified.nests == 0)
    return "no loop nest to verify";
  std::string all = verified.equal == verified.nests
                        ? fmt::format("{}", verified.nests)
                        : fmt::format("{} of {}", verified.equal, verified.nests);
  std::string text =
      fmt::format("{} {} verified by isl", all, verified.nests == 1 ? "nest" : "nests");
  return verified.tooLarge == 0 ? text : fmt::format("{}, {} too large", text, verified.tooLarge);
}

void Report::printFindings(const emit::Result &result) {
  for (const std::string &note : result.cost.notes)
    out << "  note: " << note << '\n';
  const mapper::SearchSummary *search = evaluation.searchOf(result);
  if (search && !search->front.metrics.empty())
    printFront(out, search->front, session.isVerbose() ? SIZE_MAX : frontLimit,
               session.tableWidth(), session.colorOut);
  if (result.verified)
    out << "  counts: " << verifiedText(*result.verified) << '\n';
  printExpectations(result, "");
}

/// `row` is what the result is called in its table, "" where it is alone.
void Report::printExpectations(const emit::Result &result, llvm::StringRef row) {
  for (const emit::Expectation &expectation : result.expectations) {
    out << "  expect " << expectation.text << ": " << (expectation.holds ? "holds" : "FAILS");
    if (!row.empty())
      out << " for " << row;
    if (expectation.probability)
      out << fmt::format(" {} {:.1f} % of the outcomes", row.empty() ? "for" : "in",
                         *expectation.probability * 100);
    out << '\n';
  }
}

/// "0.8312x" of the first, "1x" for the first itself; "-" for what is not given.
static std::string ratio(const MetricValue &value, const MetricValue &first, bool isFirst) {
  if (!value.hasNumber() || !first.hasNumber())
    return "-";
  if (isFirst || first.value.central() == 0)
    return isFirst ? "1x" : "-";
  return fmt::format("{:.4g}x", value.value.central() / first.value.central());
}

static std::string metricText(const MetricValue &value) {
  if (!value.text.empty())
    return value.text;
  return value.notGiven.empty() ? formatEngineering(value.value, value.dimension) : "-";
}

/// What tells the results of one name apart: "e, b = 64", "d on h100_sxm".
static std::string rowText(llvm::StringRef name, const emit::Result &result, bool isOne,
                           llvm::ArrayRef<std::string> by) {
  ir::AttrDict point;
  for (const std::string &swept : by)
    if (const ir::Attribute *value = result.point.find(swept))
      point.set(swept, *value);
  std::string text = mapper::bindingsText(by.empty() ? result.point : point);
  if (isOne && by.empty())
    return name.str();
  return name.str() + (text.empty() ? " on " + result.on : ", " + text);
}

/// What results of different statements are compared by, where all of them have it.
static std::vector<llvm::StringRef> comparedMetrics(llvm::ArrayRef<const emit::Result *> results) {
  std::vector<llvm::StringRef> metrics;
  switch (results.front()->kind) {
  case ResultKind::Training:
    metrics = {"step_time", "tokens_per_s", "mfu", "memory.peak", "energy"};
    break;
  case ResultKind::Serving:
    metrics = {"ttft", "tpot", "latency", "tokens_per_s", "energy"};
    break;
  default:
    metrics = {"latency", "energy"};
  }
  llvm::erase_if(metrics, [&](llvm::StringRef name) {
    return llvm::any_of(
        results, [&](const emit::Result *result) { return !findMetric(result->kind, name); });
  });
  return metrics;
}

void Report::printComparison(const Evaluated &evaluated) {
  const emit::Result &first = *evaluated.results.front();
  std::vector<std::string> of = evaluated.op.stringsAttr("of");
  bool areNamed = !of.empty();
  title(areNamed ? llvm::join(of, ", ") : first.subject,
        fmt::format("{} results, each against the first", evaluated.results.size()));
  std::vector<llvm::StringRef> metrics = comparedMetrics(evaluated.results);
  std::vector<TableColumn> columns{{areNamed ? "result" : "on", Align::Left}};
  for (llvm::StringRef name : metrics) {
    columns.push_back({name.str()});
    columns.push_back({"ratio"});
  }
  columns.insert(columns.end(), {{"util"}, {"bound", Align::Left}, {"by", Align::Left}});
  Table table(std::move(columns));
  std::vector<std::string> names =
      areNamed ? std::vector<std::string>() : comparedNames(evaluated.results);
  for (size_t i = 0; i < evaluated.results.size(); ++i) {
    const emit::Result &result = *evaluated.results[i];
    const Cost &cost = result.cost;
    bool isOne = evaluation.named(result.name).size() == 1;
    std::vector<std::string> cells{areNamed ? rowText(result.name, result, isOne, llvm::None)
                                            : names[i]};
    for (llvm::StringRef name : metrics) {
      MetricValue value = *metric(result, name);
      cells.push_back(metricText(value));
      cells.push_back(ratio(value, *metric(first, name), i == 0));
    }
    for (std::string text : {utilizationText(result), cost.bottleneck().str(), details(cost)})
      cells.push_back(std::move(text));
    table.addRow(std::move(cells));
  }
  table.print(out, session.tableWidth(), session.colorOut);
  for (size_t i = 0; i < names.size(); ++i) {
    const emit::Result &result = *evaluated.results[i];
    for (const std::string &note : result.cost.notes)
      out << "  note: " << names[i] << ": " << note << '\n';
    if (result.verified)
      out << "  counts: " << names[i] << ": " << verifiedText(*result.verified) << '\n';
    printExpectations(result, names[i]);
  }
}

//===-- report
//---------------------------------------------------------------------------------===//

std::vector<std::string> Report::cells(const MetricNames &names,
                                       llvm::ArrayRef<ReportColumn> columns,
                                       std::vector<std::string> before) {
  llvm::append_range(before, cellsOf(names, columns, missing));
  return before;
}

/// Why the table that was printed has cells without a value.
void Report::printMissing() {
  for (const auto &[title, why] : missing)
    out << "  note: " << title << " has no value where there is `-`: " << why << '\n';
  missing.clear();
}

void Report::printResultRows(const Evaluated &evaluated, llvm::ArrayRef<ReportColumn> columns) {
  // Columns do not say what a search has found.
  bool isSearch = evaluated.op.is("study.search") || evaluated.op.is(study::TrainOp::opName);
  const emit::Result &first = *evaluated.results.front();
  if (isSearch)
    title(first.label, details(first.cost));
  std::vector<TableColumn> titles{{"result", Align::Left}};
  for (const ReportColumn &column : columns)
    titles.push_back({column.title});
  Table table(std::move(titles));
  for (const emit::Result *result : evaluated.results)
    table.addRow(cells(evaluation.names(evaluated.module, result), columns, {result->label}));
  table.print(out, session.tableWidth(), session.colorOut);
  printMissing();
  if (isSearch)
    printFindings(first);
  else if (evaluated.results.size() > 1)
    for (const emit::Result *result : evaluated.results)
      printExpectations(*result, result->label);
}

void Report::printBreakdown(const Evaluated &evaluated, study::ReportOp report,
                            const emit::Result &result, llvm::ArrayRef<ReportColumn> columns,
                            llvm::StringRef rows) {
  size_t others = 0, limit = session.isVerbose() ? SIZE_MAX : kernelLimit;
  llvm::Optional<std::vector<BreakdownRow>> lines = breakdownRows(result, rows, limit, others);
  if (!lines) {
    session.diagnostics.report(report->range(), diag::NotSupportedYet, "`report` by " + rows.str());
    return;
  }
  std::vector<TableColumn> titles{{rows.str(), Align::Left}};
  for (const ReportColumn &column : columns) {
    bool isWord = column.expr.is(ir::AttrKind::String) && column.expr.asString() == "bottleneck";
    titles.push_back({column.title, isWord ? Align::Left : Align::Right});
  }
  Table table(std::move(titles));
  MetricNames names = evaluation.names(evaluated.module, &result);
  for (const BreakdownRow &line : *lines) {
    names.part = line.metric;
    table.addRow(cells(names, columns, {line.label}));
  }
  if (others) {
    std::vector<std::string> left(columns.size() + 1);
    left[0] = fmt::format("{} others", others);
    table.addRow(std::move(left));
  }
  table.print(out, session.tableWidth(), session.colorOut);
  printMissing();
}

void Report::printReport(const Evaluated &evaluated, study::ReportOp report) {
  std::vector<ReportColumn> columns = columnsOf(report);
  std::vector<std::string> by = report.by();
  if (by.empty())
    return printResultRows(evaluated, columns);
  for (const emit::Result *result : evaluated.results) {
    title(result->label, details(result->cost));
    for (const std::string &rows : by)
      printBreakdown(evaluated, report, *result, columns, rows);
    printTotals(out, *result);
    printFindings(*result);
  }
}

/// `report e by kernel` at file level: the parts of each named result.
void Report::printFileBreakdown(const Evaluated &evaluated, study::ReportOp report,
                                llvm::ArrayRef<ReportColumn> columns) {
  for (const ReportColumn &column : columnsOf(report)) {
    std::string name = column.expr.is(ir::AttrKind::String) ? column.expr.asString().str() : "";
    std::vector<const emit::Result *> named = evaluation.named(name);
    if (named.empty())
      session.diagnostics.report(report->range(), diag::UnknownResult, column.title);
    for (const emit::Result *result : named) {
      title(rowText(result->label, *result, result->point.empty(), llvm::None),
            details(result->cost));
      for (const std::string &rows : report.by())
        printBreakdown(evaluated, report, *result, columns, rows);
    }
  }
}

/// `report` at file level: rows are named results and figures of them.
void Report::printFileReport(const Evaluated &evaluated) {
  auto report = ir::as<study::ReportOp>(evaluated.op);
  if (!report)
    return;
  Table table({{"", Align::Left}, {"latency"}, {"energy"}, {"util"}, {"bound", Align::Left}});
  Table figures({{"", Align::Left}, {""}});
  std::vector<ReportColumn> standard;
  for (llvm::StringRef name : {"latency", "energy", "utilization", "bottleneck"})
    standard.push_back(namedColumn(name));
  MetricNames names = evaluation.names(evaluated.module, nullptr);
  std::vector<std::string> by = report.by();
  if (!by.empty() && isBreakdown(by.front()))
    return printFileBreakdown(evaluated, report, standard);
  for (const ReportColumn &column : columnsOf(report)) {
    bool isResult = column.expr.is(ir::AttrKind::String);
    std::vector<std::string> several = emit::severalResults(column.expr, names);
    std::string name = isResult ? column.expr.asString().str() : "";
    std::vector<const emit::Result *> named = evaluation.named(name);
    if (evaluation.isUnsupported(llvm::StringRef(name).split('.').first)) {
      table.addRow({name, "not supported yet", "", "", ""});
    } else if (!named.empty()) {
      for (const emit::Result *result : named)
        table.addRow(cells(evaluation.names(evaluated.module, result), standard,
                           {rowText(name, *result, named.size() == 1, by)}));
    } else if (several.empty()) {
      figures.addRow(cells(names, column, {column.title}));
    } else {
      for (const emit::Result *result : evaluation.named(several.front())) {
        MetricNames chosen = names;
        chosen.results = [&](llvm::StringRef other) {
          return other == several.front() ? std::vector<const emit::Result *>{result}
                                          : evaluation.named(other);
        };
        figures.addRow(cells(chosen, column, {rowText(column.title, *result, false, by)}));
      }
    }
  }
  if (!table.empty())
    table.print(out, session.tableWidth(), session.colorOut);
  figures.print(out, session.tableWidth(), session.colorOut, /*titles=*/false);
  printMissing();
  out << '\n';
}

//===-- Sweeps
//---------------------------------------------------------------------------------===//

/// True for the first point of a sweep, which decides about the columns.
bool Report::startSweep(const Evaluated &evaluated, const PointTable &table) {
  if (sweep == evaluated.point->range())
    return false;
  sweep = evaluated.point->range();
  sweepColumns = table.columns;
  return true;
}

void Report::goOnWith(const Evaluated &point) {
  startSweep(point, pointTable(point, evaluation, session.sources));
}

/// One row per result of the point, or per part of it; the titles come with the first point of a
/// sweep.
void Report::printPoint(const Evaluated &evaluated) {
  PointTable point = pointTable(evaluated, evaluation, session.sources);
  bool isNew = startSweep(evaluated, point);
  if (isNew)
    title(point.title, "sweep");
  // Later rows stand below the figures of earlier ones.
  for (const PointTable::Lines &lines : point.results)
    for (const std::vector<std::string> &line : lines)
      for (auto [column, cell] : llvm::zip(sweepColumns, line))
        if (column.align == Align::Right)
          column.width = std::max<unsigned>(column.width, displayWidth(cell));
  Table table(sweepColumns);
  for (PointTable::Lines &lines : point.results)
    for (std::vector<std::string> &line : lines) {
      line.resize(sweepColumns.size());
      table.addRow(std::move(line));
    }
  table.print(out, session.tableWidth(), session.colorOut, isNew);
  out.flush();
}
