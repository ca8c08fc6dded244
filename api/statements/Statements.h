// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The statements that have results, a table row and a file each. What differs between kinds of
// statement is known here alone.
#ifndef PERFC_API_STATEMENTS_STATEMENTS_H
#define PERFC_API_STATEMENTS_STATEMENTS_H

#include "api/Evaluation.h"
#include "backends/emit/StatementForm.h"

namespace perfc::api {

struct StatementKind {
  llvm::StringRef opName;
  /// Keeps the results of the statement in the evaluation; none where it failed (reported).
  void (*evaluate)(Evaluation &run, const StatementContext &statement);
  /// How its results are said.
  const emit::StatementForm &(*form)();
  bool isComparison = false; ///< its results stand in one table, each beside the first
  bool isSearch = false;     ///< of what it finds, notes say more than columns
};

/// Null for operations that are no statement with results.
const StatementKind *findStatementKind(const ir::Operation &op);

// The evaluators.
void evaluateOne(Evaluation &run, const StatementContext &statement);
void joinEnsemble(Evaluation &run, const StatementContext &statement);
void compareRows(Evaluation &run, const StatementContext &statement);
void searchMappings(Evaluation &run, const StatementContext &statement);
void trainSteps(Evaluation &run, const StatementContext &statement);
void serveRequests(Evaluation &run, const StatementContext &statement);
void replayTraces(Evaluation &run, const StatementContext &statement);

/// The labels of `op`, an evaluation or another statement with a subject.
ResultLabels labelsIn(const Evaluation &run, const ir::Operation &op);
/// What an evaluation finds, before it is kept; nothing after a report.
llvm::Optional<Outcome> evaluated(Evaluation &run, const StatementContext &statement);
/// What `find` finds with the providers of `by`; beside a tool's figures what perfc's own model of
/// the tool says, where that is asked for.
llvm::Optional<Outcome> answered(Evaluation &run, Answerer by,
                                 llvm::function_ref<llvm::Optional<Outcome>(ProviderSet &)> find);
/// How a search of `run` goes on: its watcher is told how far it is, and may end it.
mapper::SearchSettings searchSettings(Evaluation &run);

} // namespace perfc::api

#endif // PERFC_API_STATEMENTS_STATEMENTS_H
