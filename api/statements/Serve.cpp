// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/UnusedWords.h"
#include "api/statements/Statements.h"
#include "api/tools/RequestTool.h"
#include "backends/core/UncertainInputs.h"
#include "backends/emit/MetricExpression.h"
#include "backends/serving/Serving.h"
#include "ir/common/diagnostics/Serving.h"
#include "ir/study/SearchOps.h"

using namespace perfc;
using namespace perfc::api;

/// Has each run count its requests.
static void watch(serving::Serving &serving, Watcher &watcher) {
  serving.countTo([&watcher](int64_t done, int64_t all) {
    watcher.count(Watcher::Level::Statement, done, all);
  });
}

namespace {

/// Looks for the highest rate of arrivals at which `require` holds, between one at which it does
/// and one at which it does not; each is served with the same random numbers.
class RateSearch {
public:
  RateSearch(Evaluation &run, const StatementContext &statement, ProviderSet &providers)
      : run(run), statement(statement), diagnostics(run.context.diagnostics),
        serving(statement.module, study::ServeOp(&statement.op), providers, diagnostics) {
    serving.stopOn(run.context.watcher.isCancelled());
    watch(serving, run.context.watcher);
  }

  /// The rate, in requests/s; nothing after a report, and when it is stopped before there is one.
  llvm::Optional<double> find();
  std::string note() const;

private:
  /// True where `require` holds at `rate`; nothing after a report.
  llvm::Optional<bool> holds(double rate);

  Evaluation &run;
  const StatementContext &statement;
  DiagnosticEngine &diagnostics;
  serving::Serving serving;
  double low = 0, high = 0; ///< `high` 0 for no limit
  double throughput = 0;    ///< requests/s of the last run
  int64_t tried = 0;
};

} // namespace

/// How far apart the ends of the search may be.
static constexpr double tolerance = 1.001;
/// A rate at which all requests come at once.
static constexpr double flood = 1e9;
/// The share of what the server can do below which requests come one by one.
static constexpr double idleShare = 1.0 / 4096;

llvm::Optional<bool> RateSearch::holds(double rate) {
  if (run.context.watcher.isCancelled())
    return llvm::None;
  ++tried;
  auto outcome = serving.run(rate);
  if (!outcome)
    return llvm::None;
  throughput = outcome->serving->requestsPerSecond();
  emit::MetricNames names = run.names(statement.module, &*outcome);
  for (const ir::Attribute &condition : study::partOf<study::GoalOp>(statement.op).require()) {
    emit::ExpressionValue value = emit::evaluateExpression(condition, names);
    if (!value.truth.hasValue()) {
      diagnostics.report(statement.op.range(), diag::NoRateMeets, value.notGiven);
      return llvm::None;
    }
    if (!*value.truth)
      return false;
  }
  return true;
}

llvm::Optional<double> RateSearch::find() {
  if (!serving.prepare())
    return llvm::None;
  auto isGood = holds(flood);
  if (!isGood)
    return llvm::None;
  if (*isGood)
    return low = flood;
  double rate = throughput, least = throughput * idleShare;
  high = flood;
  while (rate >= least && rate < flood && (low == 0 || high == flood)) {
    if (!(isGood = holds(rate)))
      return llvm::None;
    (*isGood ? low : high) = rate;
    rate *= *isGood ? 2 : 0.5;
  }
  if (low == 0) {
    diagnostics.report(statement.op.range(), diag::NoRateMeets,
                       fmt::format("at {:.3g} requests/s it still does not hold", high));
    return llvm::None;
  }
  while (high > low * tolerance) {
    double middle = std::sqrt(low * high);
    if (!(isGood = holds(middle))) {
      if (run.context.watcher.isCancelled())
        return low; // the best so far
      return llvm::None;
    }
    (*isGood ? low : high) = middle;
  }
  return low;
}

std::string RateSearch::note() const {
  if (high == 0)
    return fmt::format("search: `require` holds at any rate of arrivals, all at once included");
  return fmt::format(
      "search: `require` holds at {:.4g} requests/s of arrivals and not at {:.4g}; {} "
      "rates tried with the same random numbers",
      low, high, tried);
}

static void dropParts(Outcome &outcome) {
  auto summary = std::make_shared<ServingSummary>(*outcome.serving);
  summary->batches = {};
  summary->requests = {};
  summary->nodesOf = nullptr;
  outcome.serving = std::move(summary);
}

/// Requests by perfc's own rules, or by its model of a tool's.
static llvm::Optional<Outcome> serve(Evaluation &run, const StatementContext &statement,
                                     ProviderSet &providers) {
  study::ArrivalsOp arrivals = study::ServeOp(&statement.op).arrivals();
  std::string note;
  if (arrivals.isRateOpen()) {
    RateSearch search(run, statement, providers);
    run.context.watcher.searchBegins();
    auto rate = search.find();
    run.context.watcher.searchEnds();
    if (!rate)
      return llvm::None;
    note = search.note();
    arrivals->setAttr("rate", Quantity(Uncertain(*rate), Dimension() / BaseUnit::Second));
  }
  const std::atomic<bool> &stop = run.context.watcher.isCancelled();
  bool isSearched = !note.empty(); // a search that was stopped has the best so far served
  auto evaluation = [&] {
    return serving::Serving(statement.module, study::ServeOp(&statement.op), providers,
                            run.context.diagnostics);
  };
  serving::Serving centre = evaluation();
  watch(centre, run.context.watcher);
  if (!isSearched)
    centre.stopOn(stop);
  auto serveAt = [&](const UncertainEnd *end) {
    if (!end)
      return centre.prepare() ? centre.run() : llvm::None;
    if (end->moves == UncertainEnd::Moves::MeasuredKernels)
      return centre.runAt(*end);
    serving::Serving there = evaluation();
    if (end->moves == UncertainEnd::Moves::BesideKernels)
      there.takeKernels(centre);
    watch(there, run.context.watcher);
    if (!isSearched)
      there.stopOn(stop);
    return there.prepare() ? there.run() : llvm::None;
  };
  llvm::Optional<Outcome> outcome =
      run.options.findsIntervals
          ? withEnds(statement.module, statement.op, run.context.diagnostics, serveAt, dropParts)
          : serveAt(nullptr);
  if (outcome && stop && !isSearched) // its intervals may be those of fewer sources
    return llvm::None;
  if (outcome && isSearched)
    outcome->cost.notes.push_back(note);
  return outcome;
}

void api::serveRequests(Evaluation &run, const StatementContext &statement) {
  ResultLabels labels = labelsIn(run, statement.op);
  run.context.watcher.at(labels.label);
  llvm::Optional<Answerer> by = run.answererOf(statement);
  if (!by)
    return;
  bool isByTool = by->by && by->by->tool.info->serve;
  llvm::Optional<Outcome> outcome = answered(run, *by, [&](ProviderSet &providers) {
    if (isByTool && &providers == &by->providers)
      return serveByTool(by->by->tool, statement.module, study::ServeOp(&statement.op), providers,
                         run.context.diagnostics);
    if (isByTool)
      statement.op.setAttr("vidur", ir::Attribute::unit());
    return serve(run, statement, providers);
  });
  if (!outcome)
    return;
  warnOfUnusedServeWords(statement.op, statement.module, run.warned, run.context.diagnostics);
  run.keep(std::move(*outcome), statement, std::move(labels));
}
