// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/training/Train.h"
#include "api/UnusedWords.h"
#include "api/statements/Statements.h"
#include "backends/core/UncertainInputs.h"
#include "backends/mapper/strategy/FitAdvice.h"
#include "backends/mapper/strategy/StrategySpace.h"
#include "backends/mapper/strategy/TrainSearch.h"
#include "ir/common/diagnostics/Training.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::mapper;

/// How good the best is, in words, and among which: a proof names its space.
static std::string proofText(const TrainSearchResult &searched) {
  if (searched.isConstant && searched.fulfilling > 1)
    return "all that were tried have the same value: nothing to search";
  std::string within = fmt::format("{:.1f} %", std::ceil(searched.gap * 1000) / 10);
  std::string end = searched.isStopped ? "stopped" : "time ran out";
  if (!searched.isProven)
    return end + (!searched.isBounded || searched.bound <= 0
                      ? ", there may be a better one"
                      : fmt::format(", at most {} above the best", within));
  std::string among = "proven best", stages = " of even and balanced stages";
  if (searched.isLimited) {
    among += fmt::format(" of those in {:.0f} % of the memory", 100 * training::plannedShare);
    stages = " with even and balanced stages";
  }
  if (searched.isBounded && searched.gap <= 0)
    return among + ", however the layers are divided among stages";
  return among + stages +
         (searched.isBounded ? fmt::format(", and within {} of any", within) : std::string());
}

/// "36 strategies: 20 tried, 4 left out for their memory, 12 for their bounds".
static std::string countsText(const StrategyCounts &counts) {
  std::string text = fmt::format("{}: {} tried", counted(counts.all, "strategy"), counts.tried);
  for (auto [count, what] : {std::make_pair(counts.unfit, "left out for their memory"),
                             std::make_pair(counts.beaten, "left out by bounds"),
                             std::make_pair(counts.impossible, "do not divide the model"),
                             std::make_pair(counts.left, "not looked at")})
    if (count > 0)
      text += fmt::format(", {} {}", count, what);
  return text;
}

/// What the search did, and what it found beside the best.
static void noteSearch(const TrainSearchResult &searched, const ir::Operation &train, Cost &cost) {
  cost.notes.push_back(fmt::format("search: {}; {}; {}", searched.goal, countsText(searched.counts),
                                   proofText(searched)));
  if (searched.counts.unfit > 0 || searched.tight)
    cost.notes.push_back(
        fmt::format("search: {:.0f} % of a chip's memory may be filled, the rest is "
                    "for what is not modelled{}",
                    100 * training::plannedShare, searched.tight ? ": the proof leaves out " : ""));
  if (searched.tight)
    cost.notes.back() += fmt::format(
        "{} in {}: {}", formatEngineering(searched.tight->stepTime, BaseUnit::Second),
        formatEngineering(searched.tight->memory, BaseUnit::Byte), searched.tight->strategy);
  if (!study::partOf<study::StrategyOp>(train)->hasAttr("microbatch"))
    cost.notes.push_back("search: `microbatch` is not given and stays 1; `microbatch any` tries "
                         "others");
  for (const auto &[why, count] : searched.counts.refused)
    cost.notes.push_back(fmt::format("search: {} left out: {}", counted(count, "strategy"), why));
  // The fastest, and the one that takes the least memory.
  size_t fastest = searched.front.size() > 6 ? 5 : searched.front.size();
  for (size_t i = 0; i < searched.front.size(); ++i)
    if (i < fastest || i + 1 == searched.front.size())
      cost.notes.push_back(fmt::format(
          "best for its memory: {} in {}: {}",
          formatEngineering(searched.front[i].stepTime, BaseUnit::Second),
          formatSize(searched.front[i].memory, capacityBase(cost)), searched.front[i].strategy));
}

/// Says what would make a step fit that does not, unless the same was said of another point.
static void adviseToFit(Evaluation &run, const ir::Operation &train, ProviderSet &providers,
                        size_t reported) {
  DiagnosticEngine &diagnostics = run.context.diagnostics;
  llvm::ArrayRef<Diagnostic> found = diagnostics.all();
  if (found.size() <= reported || found.back().kind != &diag::TrainingDoesNotFit)
    return;
  auto isThis = [&](const Diagnostic &other) { // of another point: that one is shown
    return other.kind == found.back().kind && other.range == found.back().range &&
           other.message == found.back().message;
  };
  const ir::Module &built = *run.builtModule();
  if (llvm::none_of(found.drop_back(), isThis))
    diagnostics.noteSince(
        found.size() - 1, {},
        adviceToFit(built, *built.lookup(train.symbol()), providers, run.context.sources));
}

void api::trainSteps(Evaluation &run, const StatementContext &statement) {
  DiagnosticEngine &diagnostics = run.context.diagnostics;
  ir::Operation &op = statement.op;
  llvm::Optional<Answerer> by = run.answererOf(statement);
  if (!by)
    return;
  llvm::Optional<TrainSearchResult> searched;
  std::unique_ptr<ir::Module> filled;
  ir::Module *module = &statement.module;
  ir::Operation *train = &op; // in a sweep not at the top
  run.context.watcher.at(labelsIn(run, op).label);
  if (passes::readStrategy(study::TrainOp(&op)).hasHoles()) {
    const ir::Module &built = *run.builtModule();
    run.context.watcher.searchBegins();
    searched =
        searchStrategies(built, *built.lookup(op.symbol()), by->providers,
                         run.names(statement.module, nullptr), searchSettings(run), diagnostics);
    run.context.watcher.searchEnds();
    if (searched)
      filled = withStrategy(built, op.symbol(), searched->best, diagnostics);
    if (!filled)
      return;
    module = filled.get();
    train = filled->lookup(op.symbol());
  }
  size_t reported = diagnostics.all().size();
  // What was measured did run, whatever it takes here.
  bool mayNotFit = run.options.trainsBeyondMemory || isRow(statement.point);
  llvm::Optional<Outcome> outcome = answered(run, *by, [&](ProviderSet &providers) {
    auto evaluate = [&](const UncertainEnd *) {
      return training::evaluateTraining(*module, *train, providers, diagnostics, mayNotFit);
    };
    return run.options.findsIntervals ? withEnds(*module, *train, diagnostics, evaluate)
                                      : evaluate(nullptr);
  });
  if (!outcome)
    return adviseToFit(run, op, by->providers, reported);
  warnOfUnusedTrainWords(op, *module, run.warned, diagnostics);
  if (searched) {
    auto summary = std::make_shared<TrainingSummary>(*outcome->training);
    summary->front = searched->front;
    outcome->training = std::move(summary);
    noteSearch(*searched, op, outcome->cost);
  }
  run.keep(std::move(*outcome), statement, labelsIn(run, op));
}
