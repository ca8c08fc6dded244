// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/statements/Statements.h"

#include "api/UnusedWords.h"
#include "api/astra/Replay.h"
#include "backends/core/Evaluate.h"
#include "ir/study/ServeOps.h"
#include "ir/study/TrainOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

const StatementKind *api::findStatementKind(const ir::Operation &op) {
  static constexpr StatementKind kinds[] = {
      {study::EvaluateOp::opName, evaluateOne, emit::evaluationForm},
      {study::EnsembleOp::opName, joinEnsemble, emit::evaluationForm},
      {study::CompareOp::opName, compareRows, emit::evaluationForm, /*isComparison=*/true},
      {study::SearchStatement::opName, searchMappings, emit::evaluationForm,
       /*isComparison=*/false, /*isSearch=*/true},
      {study::TrainOp::opName, trainSteps, emit::trainingForm, /*isComparison=*/false,
       /*isSearch=*/true},
      {study::ServeOp::opName, serveRequests, emit::servingForm},
      {study::ReplayOp::opName, replayTraces, emit::replayForm},
  };
  auto kind = llvm::find_if(kinds, [&](const StatementKind &one) { return op.is(one.opName); });
  return kind == std::end(kinds) ? nullptr : kind;
}

ResultLabels api::labelsIn(const Evaluation &run, const ir::Operation &op) {
  llvm::StringRef subject = op.symbolAttr(op.hasAttr("whole") ? "whole" : "subject");
  return {op.stringAttr("label").str(), op.stringAttr("subject_label").str(),
          op.stringAttr("on_label").str(), run.parametersOf(subject)};
}

/// "3.200 mJ, 1.500 ms"; chips that give no energies have times alone.
static std::string bestText(const loopnest::Score &score) {
  std::string latency = formatEngineering(score.latency, BaseUnit::Second);
  return score.energy > 0 ? formatEngineering(score.energy, BaseUnit::Joule) + ", " + latency
                          : latency;
}

mapper::SearchSettings api::searchSettings(Evaluation &run) {
  mapper::SearchSettings settings = run.options.search;
  settings.stop = &run.context.watcher.isCancelled();
  settings.onProgress = [&watcher = run.context.watcher](const mapper::SearchProgress &progress) {
    watcher.count(Watcher::Level::Statement, progress.done, progress.all);
    if (progress.best)
      watcher.best(Watcher::Level::Statement, bestText(*progress.best));
  };
  return settings;
}

llvm::Optional<Outcome>
api::answered(Evaluation &run, Answerer by,
              llvm::function_ref<llvm::Optional<Outcome>(ProviderSet &)> find) {
  llvm::Optional<Outcome> outcome = find(by.providers);
  if (!outcome || !by.by)
    return outcome;
  outcome->tool = by.by->tool.info->name.str();
  if (!by.asksModel)
    return outcome;
  DiagnosticEngine &diagnostics = run.context.diagnostics;
  size_t reported = diagnostics.all().size();
  if (llvm::Optional<Outcome> modelled = find(by.by->modelled))
    outcome->modelled = std::make_shared<const Outcome>(std::move(*modelled));
  diagnostics.truncate(reported); // what it says has been said of the tool
  return outcome;
}

llvm::Optional<Outcome> api::evaluated(Evaluation &run, const StatementContext &statement) {
  auto evaluate = ir::as<study::EvaluateOp>(statement.op);
  DiagnosticEngine &diagnostics = run.context.diagnostics;
  run.context.watcher.at(evaluate.label());
  run.perfcs.takeVerified(); // of what a search has looked at
  llvm::Optional<Answerer> by = run.answererOf(statement);
  if (!by)
    return llvm::None;
  llvm::Optional<Outcome> outcome = answered(run, *by, [&](ProviderSet &providers) {
    return evaluateStudy(statement.module, statement.op, providers, diagnostics, statement.ran);
  });
  if (outcome)
    warnOfUnusedWords(outcome->cost, statement.module, evaluate.on(), run.warned, diagnostics,
                      run.context.sources);
  return outcome;
}

void api::evaluateOne(Evaluation &run, const StatementContext &statement) {
  if (llvm::Optional<Outcome> outcome = evaluated(run, statement))
    run.keep(std::move(*outcome), statement, labelsIn(run, statement.op));
}

void api::compareRows(Evaluation &run, const StatementContext &statement) {
  for (ir::Operation &row : statement.op.body())
    if (const StatementKind *kind = findStatementKind(row))
      kind->evaluate(run, {statement.module, row, statement.point, &statement.op});
}

void api::replayTraces(Evaluation &run, const StatementContext &statement) {
  ResultLabels labels = labelsIn(run, statement.op);
  run.context.watcher.at(labels.label);
  llvm::Optional<Outcome> outcome =
      replayTrace(run.context, statement.module, statement.op, run.options.replayOn);
  if (outcome)
    run.keep(std::move(*outcome), statement, std::move(labels));
}
