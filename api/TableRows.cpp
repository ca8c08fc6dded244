// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of `validate`: each is predicted by its statement, and nothing that is wrong with one
// ends the table.
#include "api/Evaluation.h"
#include "api/statements/Statements.h"
#include "ir/common/FirstError.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/study/StudyOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

/// The result of the row that `module` is of; null with a reason in `problem`.
const emit::Result *Evaluation::evaluateRow(ir::Module &module, std::string &problem) {
  DiagnosticEngine &diagnostics = context.diagnostics;
  size_t first = diagnostics.all().size(), before = found.size();
  module.walk([&](const ir::Operation &op) {
    if (op.is(study::UnsupportedOp::opName))
      diagnostics.report(op.range(), diag::NotSupportedYet,
                         ir::as<study::UnsupportedOp>(op).what().str());
  });
  prepare(module);
  if (firstError(diagnostics, first).empty() && lower(module, "collective", diagnostics)) {
    ir::Operation *point = const_cast<ir::Operation *>(pointOf(module));
    ir::Operation &statement = point->body().front();
    if (const StatementKind *kind = findStatementKind(statement))
      kind->evaluate(*this, {module, statement, point});
  }
  problem = firstError(diagnostics, first);
  if (!problem.empty())
    diagnostics.truncate(first);
  else if (found.size() == before)
    problem = "it has no result";
  return problem.empty() ? &found.back() : nullptr;
}

/// What `against` says of a row whose result has `names`, which is null for a skipped row.
static Prediction predictionOf(study::AgainstOp against, const MetricNames *names,
                               const std::string &problem) {
  Prediction prediction;
  prediction.metric = against.text().str();
  prediction.skipped = problem;
  if (against.pair().empty())
    return prediction;
  prediction.reference = Number::fromReal(against.pair()[1].asQuantity().toDouble());
  if (!names)
    return prediction;
  ExpressionValue value = emit::evaluateExpression(against.pair()[0], *names);
  if (value.number) {
    prediction.predicted = Number::fromReal(value.number->toDouble());
    prediction.halfWidth = value.number->toUncertain().halfWidth();
  } else {
    prediction.skipped = !value.unknownName.empty()
                             ? fmt::format("its result has no `{}`", value.unknownName)
                             : emit::describe(value);
  }
  return prediction;
}

void Evaluation::tableRow(ir::Module &module, const ir::Operation &point) {
  auto row = ir::as<study::PointOp>(point);
  const auto &[name, number] = row.bindings().entries().front();
  if (predicted.empty() || predicted.back().place != point.range())
    predicted.push_back({row.table().str(), point.range(), {}});
  context.watcher.count(Watcher::Level::Sweep, number.asInt() - 1,
                        static_cast<int64_t>(pointCount));
  ValidationRow entry;
  entry.name = fmt::format("{} {}", name, number.asInt());
  std::string problem = row.skipped().str();
  const emit::Result *result = problem.empty() ? evaluateRow(module, problem) : nullptr;
  if (context.watcher.isCancelled()) // a search that was cut short is no prediction
    return;
  MetricNames known = names(module, result);
  pointOf(module)->walk([&](const ir::Operation &op) {
    auto against = ir::as<study::AgainstOp>(op);
    if (!against)
      return;
    entry.predictions.push_back(predictionOf(against, result ? &known : nullptr, problem));
    for (const auto &[label, value] : against.by().entries()) {
      std::pair<std::string, std::string> group{label, value.asString().str()};
      if (!llvm::is_contained(entry.labels, group))
        entry.labels.push_back(std::move(group));
    }
  });
  predicted.back().rows.push_back(std::move(entry));
}
