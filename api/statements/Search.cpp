// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/statements/Statements.h"
#include <cmath>

using namespace perfc;
using namespace perfc::api;
using namespace perfc::mapper;

/// What a search without bounds has seen: "12 of 345 mappings evaluated, nothing proven".
static std::string seenText(const SearchSummary &summary, llvm::StringRef among) {
  if (summary.space == 0) // more than are counted
    return fmt::format("{} mappings evaluated, nothing proven", summary.evaluated);
  std::string all = summary.space < 1e15 ? fmt::format("{:.0f} mappings", summary.space)
                                         : fmt::format("{:.3g} mappings", summary.space);
  if (summary.proven)
    return fmt::format("proven optimal{}: all {} evaluated", among, all);
  return fmt::format("{} of {} evaluated, nothing proven", summary.evaluated, all);
}

/// "proven optimal", or how far from it the result can be.
static std::string proofText(const SearchSummary &summary) {
  std::string among = summary.isPerfect ? " among perfect factors" : "";
  if (summary.strategy != loopnest::SearchStrategy::Bound)
    return seenText(summary, among);
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

void api::searchMappings(Evaluation &run, const StatementContext &statement) {
  ir::Operation &op = statement.op;
  for (const ir::Operation &part : op.body())
    if (auto evaluate = ir::as<study::EvaluateOp>(part))
      run.context.watcher.at(evaluate.label());
  llvm::Optional<Answerer> by = run.answererOf(statement);
  if (!by)
    return;
  run.context.watcher.searchBegins();
  llvm::Optional<SearchSummary> summary = searchStudy(
      statement.module, study::SearchStatement(&op), by->providers,
      run.names(statement.module, nullptr), searchSettings(run), run.context.diagnostics);
  run.context.watcher.searchEnds();
  if (!summary)
    return;
  size_t before = run.results().size();
  for (ir::Operation &part : op.body())
    if (part.is(study::EvaluateOp::opName))
      evaluateOne(run, {statement.module, part, statement.point, &op});
  if (run.results().size() == before)
    return;
  std::vector<std::string> notes = {fmt::format("search: {}; {} of {} nests differ; {}",
                                                summary->goal, summary->distinct, summary->nests,
                                                proofText(*summary))};
  llvm::append_range(notes, summary->notes);
  run.keep(std::move(*summary), notes);
}
