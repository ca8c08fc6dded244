// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `train`, `serve`, `replay` and `search` do beyond an evaluation.
#include "tools/driver/Evaluation.h"

#include "backends/core/UncertainInputs.h"
#include "backends/serving/Serve.h"
#include "backends/training/Train.h"
#include "ir/common/diagnostics/Training.h"
#include "tools/driver/Report.h"
#include "tools/driver/UnusedWords.h"
#include "tools/driver/astra/Replay.h"
#include "tools/driver/search/FitAdvice.h"
#include "tools/driver/search/Interrupt.h"
#include "tools/driver/search/StrategySpace.h"
#include "tools/driver/search/TrainSearch.h"
#include <cmath>

using namespace perfc;
using namespace perfc::driver;
using namespace perfc::mapper;

/// Those in the settings of a `train`, `serve` or `replay`.
Evaluation::ResultLabels Evaluation::labelsIn(const ir::Operation &op) const {
  auto text = [&](const char *name) {
    const ir::Attribute *value = op.dictAttr("settings").find(name);
    return value ? value->asString().str() : std::string();
  };
  return {text("label"), text("subject_label"), text("on_label"),
          parameters.lookup(op.symbolAttr("subject"))};
}

//===-- train
//----------------------------------------------------------------------------------===//

/// Strategies of training that are tried divide the model anew for each: from what was built.
void Evaluation::keepAsBuilt(const ir::Module &module) {
  bool trains = false;
  module.walk([&](const ir::Operation &op) { trains |= op.is(study::TrainOp::opName); });
  asBuilt.reset();
  if (!trains)
    return;
  asBuilt = std::make_unique<ir::Module>();
  ir::ValueMap map;
  for (const ir::Operation &op : module.body()) {
    if (!op.is(study::PointOp::opName)) {
      op.clone(asBuilt->body(), map);
      continue;
    }
    for (const ir::Operation &inner : op.body())
      if (inner.is(study::TrainOp::opName))
        inner.clone(asBuilt->body(), map);
  }
}

/// How good the best is, in words.
static std::string proofText(const TrainSearchResult &searched) {
  if (searched.isConstant && searched.fulfilling > 1)
    return "all that were tried have the same value: nothing to search";
  std::string within = fmt::format("{:.1f} %", std::ceil(searched.gap * 1000) / 10);
  if (!searched.isProven)
    return !searched.isBounded || searched.bound <= 0
               ? "time ran out, there may be a better one"
               : fmt::format("time ran out, at most {} above the best", within);
  if (!searched.isBounded)
    return "proven best of even and balanced stages";
  return searched.gap <= 0 ? "proven best, however the layers are divided among stages"
                           : fmt::format("proven best of even and balanced stages, and within {} "
                                         "of any",
                                         within);
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
  if (!train.dictAttr("settings").find("microbatch"))
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

const emit::Result *Evaluation::train(ir::Module &module, ir::Operation &op,
                                      const ir::Operation *point) {
  session.progress.at(labelsIn(op).label);
  llvm::Optional<TrainSearchResult> searched;
  std::unique_ptr<ir::Module> filled;
  ir::Module *evaluated = &module;
  ir::Operation *statement = &op; // in a sweep not at the top
  if (passes::readStrategy(study::TrainOp(&op)).hasHoles()) {
    searched =
        searchStrategies(*asBuilt, *asBuilt->lookup(op.symbol()), providers, names(module, nullptr),
                         searchSettings.strategy == loopnest::SearchStrategy::Exhaustive,
                         session.progress, session.diagnostics);
    if (searched)
      filled = withStrategy(*asBuilt, op.symbol(), searched->best, session.diagnostics);
    if (!filled)
      return nullptr;
    evaluated = filled.get();
    statement = filled->lookup(op.symbol());
  }
  size_t reported = session.diagnostics.all().size();
  llvm::Optional<Cost> cost = withEnds(*evaluated, *statement, session.diagnostics, [&] {
    return training::evaluateTraining(*evaluated, *statement, providers, session.diagnostics,
                                      trainsBeyondMemory);
  });
  if (!cost) {
    llvm::ArrayRef<Diagnostic> found = session.diagnostics.all();
    auto isThis = [&](const Diagnostic &other) { // of another point: that one is shown
      return other.kind == found.back().kind && other.range == found.back().range &&
             other.message == found.back().message;
    };
    if (found.size() > reported && found.back().kind == &diag::TrainingDoesNotFit &&
        llvm::none_of(found.drop_back(), isThis))
      session.diagnostics.noteSince(
          found.size() - 1, {},
          adviceToFit(*asBuilt, *asBuilt->lookup(op.symbol()), providers, session.sources));
    return nullptr;
  }
  warnOfUnusedTrainWords(op, *evaluated, warned, session.diagnostics);
  if (searched) {
    auto summary = std::make_shared<TrainingSummary>(*cost->training);
    summary->front = searched->front;
    cost->training = std::move(summary);
    noteSearch(*searched, op, *cost);
  }
  return add(std::move(*cost), op, point, labelsIn(op));
}

//===-- serve
//----------------------------------------------------------------------------------===//

const emit::Result *Evaluation::serveRequests(ir::Module &module, ir::Operation &op,
                                              const ir::Operation *point) {
  session.progress.at(labelsIn(op).label);
  llvm::Optional<Cost> cost = withEnds(module, op, session.diagnostics, [&] {
    return serving::evaluateServing(module, op, providers, session.diagnostics);
  });
  return cost ? add(std::move(*cost), op, point, labelsIn(op)) : nullptr;
}

//===-- replay
//---------------------------------------------------------------------------------===//

const emit::Result *Evaluation::replay(const ir::Module &module, const ir::Operation &op,
                                       const ir::Operation *point) {
  session.progress.at(labelsIn(op).label);
  hasReplayed = true;
  llvm::Optional<Cost> cost = replayTrace(session, module, op, replayOn);
  return cost ? add(std::move(*cost), op, point, labelsIn(op)) : nullptr;
}

//===-- search
//---------------------------------------------------------------------------------===//

/// What a search without bounds has seen: "12 of 345 mappings evaluated, nothing proven".
static std::string seenText(const SearchSummary &summary) {
  if (summary.space == 0) // more than are counted
    return fmt::format("{} mappings evaluated, nothing proven", summary.evaluated);
  std::string all = summary.space < 1e15 ? fmt::format("{:.0f} mappings", summary.space)
                                         : fmt::format("{:.3g} mappings", summary.space);
  if (summary.proven)
    return fmt::format("proven optimal: all {} evaluated", all);
  return fmt::format("{} of {} evaluated, nothing proven", summary.evaluated, all);
}

/// "proven optimal", or how far from it the result can be.
static std::string proofText(const SearchSummary &summary) {
  if (summary.strategy != loopnest::SearchStrategy::Bound)
    return seenText(summary);
  std::string among = summary.isPerfect ? " among perfect factors" : "";
  if (summary.proven)
    return "proven optimal" + among;
  std::string distance = "how far above the best is not known";
  double percent = (summary.value - summary.bound) / std::abs(summary.bound) * 100;
  if (summary.bound != 0)
    distance = fmt::format(
        "at most {} % above the best{}",
        percent < 100 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent), among);
  return fmt::format("{} (lower bound {:.6g}); {} of {} proven", distance, summary.bound,
                     summary.provenNests, summary.distinct);
}

std::string Evaluation::mappingText(const emit::Result &result) const {
  llvm::StringSet<> names;
  for (const Searched &entry : searched)
    if (entry.result == &result)
      return printMappings(entry.summary.mappings, names);
  return "";
}

/// "3.200 mJ, 1.500 ms"; chips that give no energies have times alone.
static std::string bestText(const loopnest::Score &score) {
  std::string energy = formatEngineering(score.energy, BaseUnit::Joule) + ", ";
  return (score.energy > 0 ? energy : "") + formatEngineering(score.latency, BaseUnit::Second);
}

const emit::Result *Evaluation::search(ir::Module &module, ir::Operation &op,
                                       const ir::Operation *point) {
  study::SearchStatement statement(&op);
  hasSearched = true;
  Interrupt interrupt;
  mapper::SearchSettings settings = searchSettings;
  settings.stop = &Interrupt::flag();
  settings.onProgress = [&](const mapper::SearchProgress &now) {
    session.progress.count(Progress::Level::Statement, now.done, now.all);
    if (now.best)
      session.progress.best(Progress::Level::Statement, bestText(*now.best));
  };
  llvm::Optional<SearchSummary> summary = searchStudy(
      module, statement, providers, names(module, nullptr), settings, session.diagnostics);
  if (!summary)
    return nullptr;
  const ir::Operation *inner = nullptr;
  for (const ir::Operation &part : op.body())
    if (part.is(study::EvaluateOp::opName))
      inner = &part;
  if (!evaluate(module, *inner, point))
    return nullptr;
  emit::Result &result = found.back();
  result.name = study::resultName(op).str();
  result.statement = statementIndex(point ? point->range() : op.range());
  result.cost.notes.push_back(fmt::format("search: {}; {} of {} nests differ; {}", summary->goal,
                                          summary->distinct, summary->nests, proofText(*summary)));
  for (const std::string &note : summary->notes)
    result.cost.notes.push_back(note);
  searched.push_back({std::move(*summary), &result});
  return &result;
}
