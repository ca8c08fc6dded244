// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"
#include "tools/driver/RowNames.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::driver;

/// Kernels shown without -v.
static constexpr size_t kernelLimit = 14;
static constexpr size_t stageLimit = 8; ///< rows of unlike stages

void Report::title(llvm::StringRef text, llvm::StringRef details) {
  out << (session.colorOut ? "\033[1m" : "") << text << (session.colorOut ? "\033[0m" : "");
  if (!details.empty())
    out << "  [" << details << ']';
  out << '\n';
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
  if (cost.training && cost.training->stages.size() > 1)
    stageTable(cost, session.isVerbose() ? SIZE_MAX : stageLimit)
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

void Report::printComparison(const Evaluated &evaluated) {
  const emit::Result &first = *evaluated.results.front();
  title(first.subject, fmt::format("{} results, each against the first", evaluated.results.size()));
  Table table({{"on", Align::Left},
               {"latency"},
               {"ratio"},
               {"energy"},
               {"ratio"},
               {"util"},
               {"bound", Align::Left},
               {"by", Align::Left}});
  std::vector<std::string> names = comparedNames(evaluated.results);
  for (size_t i = 0; i < names.size(); ++i) {
    const Cost &cost = evaluated.results[i]->cost;
    bool isFirst = i == 0;
    MetricValue latency = *metric(cost, "latency"), energy = *metric(cost, "energy");
    table.addRow({names[i], metricText(latency),
                  ratio(latency, *metric(first.cost, "latency"), isFirst), metricText(energy),
                  ratio(energy, *metric(first.cost, "energy"), isFirst), utilizationText(cost),
                  cost.bottleneck().str(), details(cost)});
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

std::string Report::cell(const Evaluated &evaluated, const emit::Result &result,
                         llvm::StringRef column) {
  ExpressionValue value =
      emit::evaluateName(column, evaluation.names(evaluated.module, &result.cost));
  if (!value.unknownName.empty() || !value.notGiven.empty())
    return "-";
  if (column == "utilization" && value.number && value.number->toUncertain().isCertain())
    return percent(value.number->toDouble());
  return emit::describe(value);
}

void Report::printReport(const Evaluated &evaluated, study::ReportOp report) {
  std::vector<std::string> columns = report.columns(), by = report.by();
  unsigned width = session.tableWidth();
  if (by.empty()) {
    // Columns do not say what a search has found.
    bool isSearch = evaluated.op.is("study.search") || evaluated.op.is(study::TrainOp::opName);
    if (isSearch)
      title(evaluated.results.front()->label, details(evaluated.results.front()->cost));
    std::vector<TableColumn> titles{{"result", Align::Left}};
    for (const std::string &column : columns)
      titles.push_back({column});
    Table table(std::move(titles));
    for (const emit::Result *result : evaluated.results) {
      std::vector<std::string> cells{result->label};
      for (const std::string &column : columns)
        cells.push_back(cell(evaluated, *result, column));
      table.addRow(std::move(cells));
    }
    table.print(out, width, session.colorOut);
    if (isSearch)
      printFindings(*evaluated.results.front());
    else if (evaluated.results.size() > 1)
      for (const emit::Result *result : evaluated.results)
        printExpectations(*result, result->label);
    return;
  }
  for (const emit::Result *result : evaluated.results) {
    title(result->label, details(result->cost));
    size_t limit = session.isVerbose() ? SIZE_MAX : kernelLimit;
    llvm::Optional<Table> table = breakdownTable(*result, columns, by.front(), limit);
    if (!table) {
      session.diagnostics.report(report->range(), diag::NotSupportedYet,
                                 "`report` by " + by.front());
      return;
    }
    table->print(out, width, session.colorOut);
    printTotals(out, *result);
    printFindings(*result);
  }
}

/// `report` at file level: rows are named results.
void Report::printFileReport(const Evaluated &evaluated) {
  auto report = ir::as<study::ReportOp>(evaluated.op);
  if (!report)
    return;
  Table table({{"", Align::Left}, {"latency"}, {"energy"}, {"util"}, {"bound", Align::Left}});
  for (const std::string &column : report.columns()) {
    if (const emit::Result *result = evaluation.find(column)) {
      const Cost &cost = result->cost;
      table.addRow({column, latencyText(cost.latency), energyText(cost.energy),
                    utilizationText(cost), cost.bottleneck().str()});
    } else if (evaluation.isUnsupported(llvm::StringRef(column).split('.').first)) {
      table.addRow({column, "not supported yet", "", "", ""});
    } else {
      ExpressionValue value =
          emit::evaluateName(column, evaluation.names(evaluated.module, nullptr));
      table.addRow({column, emit::describe(value), "", "", ""});
    }
  }
  table.print(out, session.tableWidth(), session.colorOut);
  out << '\n';
}

//===-- Sweeps
//---------------------------------------------------------------------------------===//

static std::vector<std::string> reportColumns(const Evaluated &evaluated) {
  for (const ir::Operation &op : evaluated.op.body())
    if (auto report = ir::as<study::ReportOp>(op))
      return report.columns();
  return {"latency", "energy", "utilization", "bottleneck"};
}

/// The statement as written, without its block: what all points of a sweep have in common.
llvm::StringRef Report::statementText(const ir::Operation &statement) const {
  return session.sources.text(statement.range()).split('{').first.split('\n').first.rtrim();
}

/// True for the first point of a sweep, which decides about the columns.
bool Report::startSweep(const Evaluated &evaluated) {
  auto point = ir::as<study::PointOp>(*evaluated.point);
  if (sweep == point->range())
    return false;
  sweep = point->range();
  sweepColumns.clear();
  for (const auto &[name, value] : point.bindings().entries())
    sweepColumns.push_back({name, Align::Right, 8});
  sweepColumns.push_back({"on", Align::Left, 16, /*wraps=*/true});
  for (const std::string &column : reportColumns(evaluated))
    sweepColumns.push_back({column, Align::Right, 12});
  return true;
}

void Report::goOnWith(const Evaluated &point) { startSweep(point); }

/// One row per result of the point; the titles come with the first point of a sweep.
void Report::printPoint(const Evaluated &evaluated) {
  auto point = ir::as<study::PointOp>(*evaluated.point);
  std::vector<std::string> columns = reportColumns(evaluated);
  bool isNew = startSweep(evaluated);
  if (isNew)
    title(statementText(evaluated.op), "sweep");
  Table table(sweepColumns);
  std::vector<std::string> names = pointNames(evaluated.results);
  for (size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> cells;
    for (const auto &[name, value] : point.bindings().entries())
      cells.push_back(mapper::bindingText(value));
    cells.push_back(names[i]);
    for (const std::string &column : columns)
      cells.push_back(cell(evaluated, *evaluated.results[i], column));
    cells.resize(sweepColumns.size());
    table.addRow(std::move(cells));
  }
  table.print(out, session.tableWidth(), session.colorOut, isNew);
  out.flush();
}
