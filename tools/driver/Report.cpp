// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Report.h"
#include "api/statements/Statements.h"
#include "tools/driver/ComparisonText.h"
#include "tools/driver/RowNames.h"
#include "tools/driver/sweep/FrontTable.h"

#include "llvm/ADT/StringExtras.h"

using namespace perfc;
using namespace perfc::api;
using namespace perfc::driver;

static constexpr size_t detailLimit = 8; ///< rows that differ
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
  const StatementKind *kind = findStatementKind(evaluated.op);
  if (kind && kind->isComparison)
    printComparison(evaluated);
  else if (!reported)
    printEvaluation(*evaluated.results.front());
  for (const ir::Operation &op : evaluated.op.body())
    if (auto report = ir::as<study::ReportOp>(op))
      printReport(evaluated, report);
  out << '\n';
  out.flush();
}

std::string perfc::driver::madeBy(const Provenance &provenance) {
  return provenance.provider +
         (provenance.mapping.empty() ? "" : "; mapping " + provenance.mapping);
}

std::string perfc::driver::details(const Cost &cost) {
  bool listsKernels = !cost.provenance.library.empty();
  return madeBy(cost.provenance) + (listsKernels ? "; kernels of " + cost.provenance.library : "");
}

void Report::printTotals(const emit::Result &result) {
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
  printTotals(result);
  if (auto details = result.form->details) {
    Table table = detailTable(details(result, session.isVerbose() ? SIZE_MAX : detailLimit));
    if (!table.empty())
      table.print(out, width, session.colorOut);
  }
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

/// What results of different statements are compared by, where all of them have it.
static std::vector<llvm::StringRef> comparedMetrics(llvm::ArrayRef<const emit::Result *> results) {
  llvm::ArrayRef<llvm::StringLiteral> compared = results.front()->form->compared;
  std::vector<llvm::StringRef> metrics(compared.begin(), compared.end());
  llvm::erase_if(metrics, [&](llvm::StringRef name) {
    return llvm::any_of(
        results, [&](const emit::Result *result) { return !findMetric(result->kind, name); });
  });
  return metrics;
}

/// Notes of the results that `names` tells apart, each once, with the names of its
/// results where it is not of all.
static void printNotes(llvm::raw_ostream &out, llvm::ArrayRef<const emit::Result *> results,
                       llvm::ArrayRef<std::string> names) {
  std::vector<std::pair<llvm::StringRef, std::vector<std::string>>> notes;
  for (size_t i = 0; i < names.size(); ++i)
    for (const std::string &note : results[i]->cost.notes) {
      auto known = llvm::find_if(notes, [&](const auto &one) { return one.first == note; });
      if (known == notes.end())
        known = notes.insert(known, {note, {}});
      known->second.push_back(names[i]);
    }
  for (const auto &[note, of] : notes) {
    out << "  note: ";
    if (of.size() < names.size())
      out << llvm::join(of, ", ") << ": ";
    out << note << '\n';
  }
}

/// The metrics of a result, each beside its ratio to that of the first.
static std::vector<std::string> comparisonRow(const std::string &name, const emit::Result &result,
                                              const emit::Result &first,
                                              llvm::ArrayRef<llvm::StringRef> metrics) {
  const Cost &cost = result.cost;
  std::vector<std::string> cells{name};
  for (llvm::StringRef each : metrics) {
    MetricValue value = *metric(result, each);
    cells.push_back(metricText(value));
    cells.push_back(ratio(value, *metric(first, each), &result == &first));
  }
  cells.insert(cells.end(),
               {utilizationText(result), cost.bottleneck().str(), madeBy(cost.provenance)});
  return cells;
}

void Report::printComparison(const Evaluated &evaluated) {
  llvm::ArrayRef<const emit::Result *> results = evaluated.results;
  const emit::Result &first = *results.front();
  std::vector<std::string> of = evaluated.op.stringsAttr("of");
  bool areNamed = !of.empty();
  title(areNamed ? llvm::join(of, ", ") : first.subject,
        fmt::format("{} results, each against the first", results.size()));
  std::vector<llvm::StringRef> metrics = comparedMetrics(results);
  std::vector<TableColumn> columns{{areNamed ? "result" : "on", Align::Left}};
  for (llvm::StringRef name : metrics)
    columns.insert(columns.end(), {{name.str()}, {"ratio"}});
  columns.insert(columns.end(), {{"util"}, {"bound", Align::Left}, {"by", Align::Left}});
  Table table(std::move(columns));
  std::vector<std::string> names;
  if (!areNamed)
    names = comparedNames(results);
  else
    for (const emit::Result *result : results)
      names.push_back(namedRow(result->name, *result, evaluation.named(result->name).size() == 1,
                               /*by=*/llvm::None));
  for (size_t i = 0; i < results.size(); ++i)
    table.addRow(comparisonRow(names[i], *results[i], first, metrics));
  table.print(out, session.tableWidth(), session.colorOut);
  if (areNamed)
    return; // the findings stand where the results do
  printNotes(out, results, names);
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i]->verified)
      out << "  counts: " << names[i] << ": " << verifiedText(*results[i]->verified) << '\n';
    printExpectations(*results[i], names[i]);
  }
  for (const Comparison &comparison : toolComparisons(results)) {
    out << '\n';
    driver::printComparison(session, out, comparison);
  }
}
