// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of `validate`: each is predicted by its statements, and nothing that is wrong with one
// ends the table.
#include "api/Evaluation.h"
#include "api/LoweredRows.h"
#include "api/statements/Statements.h"
#include "ir/common/FirstError.h"
#include "ir/common/Metrics.h"
#include "ir/common/diagnostics/Evaluation.h"
#include "ir/common/diagnostics/ScaleSim.h"
#include "ir/study/StudyOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::api;

/// `module`, of the row at hand, lowered; or the same that has stayed lowered. Null after a report.
ir::Module *Evaluation::loweredRow(ir::Module &module) {
  DiagnosticEngine &diagnostics = context.diagnostics;
  size_t errors = diagnostics.errorCount();
  auto lowerIt = [&](ir::Module &copy) {
    return prepare(copy) && diagnostics.errorCount() == errors &&
           lower(copy, "collective", diagnostics);
  };
  const ir::Operation *point = pointOf(module);
  if (!options.lowered)
    return lowerIt(module) ? &module : nullptr;
  int64_t number = ir::as<study::PointOp>(*point).bindings().entries()[0].second.asInt();
  LoweredRow &kept = options.lowered->lowered({point->range(), number, ++row.statements}, module,
                                              [&](LoweredRow &copy) {
                                                bool isLowered = lowerIt(*copy.module);
                                                copy.parameters = parameters;
                                                return isLowered;
                                              });
  parameters = kept.parameters;
  return kept.module.get();
}

/// Evaluates the statements of the row that `module` is of, or has a part of; why one of them has
/// no result stands under its name in what is known of the row. Returns the last of these reasons.
std::string Evaluation::evaluateRow(ir::Module &module) {
  DiagnosticEngine &diagnostics = context.diagnostics;
  size_t first = diagnostics.all().size();
  auto takeReason = [&] {
    std::string reason = firstError(diagnostics, first);
    if (!reason.empty())
      diagnostics.truncate(first);
    return reason;
  };
  module.walk([&](const ir::Operation &op) {
    if (op.is(study::UnsupportedOp::opName))
      diagnostics.report(op.range(), diag::NotSupportedYet,
                         ir::as<study::UnsupportedOp>(op).what().str());
  });
  ir::Module *lowered = firstError(diagnostics, first).empty() ? loweredRow(module) : nullptr;
  std::string ofModule = takeReason(), last;
  ir::Operation *point = const_cast<ir::Operation *>(pointOf(lowered ? *lowered : module));
  std::vector<ir::Operation *> statements; // a search changes the module around it
  for (ir::Operation &op : point->body())
    if (findStatementKind(op))
      statements.push_back(&op);
  for (ir::Operation *op : statements) {
    size_t before = found.size();
    std::string name = study::resultName(*op).str(), reason = ofModule;
    if (lowered) {
      findStatementKind(*op)->evaluate(*this, {*lowered, *op, point});
      reason = takeReason();
    }
    if (reason.empty() && found.size() == before)
      reason = "it has no result";
    if (!reason.empty())
      row.problems[name] = last = reason;
  }
  return last;
}

namespace {
/// What is known of a row when it is held against measurements.
struct RowResults {
  MetricNames names;
  std::string skipped; ///< why none of its statements ran; "" when they did
  std::string missing; ///< why there is no result without a name; "" when there is one
  const llvm::StringMap<std::string> &problems;

  /// Why `value` is no number.
  std::string reason(const ExpressionValue &value) const {
    if (value.unknownName.empty())
      return emit::describe(value);
    std::string ofResult = problems.lookup(llvm::StringRef(value.unknownName).split('.').first);
    if (ofResult.empty())
      ofResult = missing;
    return ofResult.empty() ? fmt::format("its result has no `{}`", value.unknownName) : ofResult;
  }
};
} // namespace

/// Whether what `metric` says may be below 0: a difference, or what the program has defined.
static bool mayBeNegative(const ir::Attribute &metric) {
  if (metric.is(ir::AttrKind::String))
    return !findMetricOf(llvm::StringRef(metric.asString()).split('.').first) &&
           !findMetricOf(llvm::StringRef(metric.asString()).split('.').second);
  if (!metric.is(ir::AttrKind::List))
    return false;
  const ir::AttrList &list = metric.asList();
  llvm::StringRef op = list.empty() ? "" : llvm::StringRef(list.front().asString());
  return op == "-" || op == "neg" ||
         llvm::any_of(llvm::drop_begin(list),
                      [](const ir::Attribute &part) { return mayBeNegative(part); });
}

/// Reports where a table has measured less than nothing.
static void checkMeasured(study::AgainstOp against, DiagnosticEngine &diagnostics) {
  const ir::AttrList &pair = against.pair();
  if (pair.size() > 1 && pair[1].asQuantity().toDouble() < 0 && !mayBeNegative(pair[0]))
    diagnostics.report(against->location().ranges().back(), diag::BadCsv,
                       fmt::format("what was measured of `{}` is below 0", against.text().str()));
}

static Prediction predictionOf(study::AgainstOp against, const RowResults &results) {
  Prediction prediction;
  prediction.metric = against.text().str();
  for (const auto &[name, value] : against.beside().entries())
    prediction.apart.emplace_back(name, value.asString().str());
  const ir::AttrList &pair = against.pair();
  if (pair.size() > 1)
    prediction.reference = Number::fromReal(pair[1].asQuantity().toDouble());
  bool hasMetric =
      !pair.empty() && !(pair[0].is(ir::AttrKind::String) && pair[0].asString().empty());
  if (!hasMetric) {
    prediction.skipped = !results.skipped.empty()    ? results.skipped
                         : against.missing().empty() ? "there is no prediction"
                                                     : against.missing().str();
    return prediction;
  }
  ExpressionValue value = emit::evaluateExpression(pair[0], results.names);
  if (value.number) {
    prediction.predicted = Number::fromReal(value.number->toDouble());
    Uncertain predicted = value.number->toUncertain();
    prediction.halfWidth = predicted.halfWidth();
    prediction.contributions = predicted.contributions().vec();
  } else {
    prediction.skipped = results.skipped.empty() ? results.reason(value) : results.skipped;
  }
  return prediction;
}

/// The results of the row at hand that have this name.
std::vector<const emit::Result *> Evaluation::namedInRow(llvm::StringRef name) const {
  std::vector<const emit::Result *> results;
  for (size_t i = row.firstResult; i < found.size(); ++i)
    if (found[i].name == name)
      results.push_back(&found[i]);
  return results;
}

void Evaluation::tableRow(ir::Module &module, const ir::Operation &point) {
  auto part = ir::as<study::PointOp>(point);
  const auto &[name, number] = part.bindings().entries().front();
  if (predicted.empty() || predicted.back().place != point.range())
    predicted.push_back({part.table().str(), point.range(), {}});
  if (!row.isOpen) {
    perfcs.forgetSome();
    row = {found.size(), searched.size(), {}, 0, true};
    context.watcher.count(Watcher::Level::Sweep, number.asInt() - 1,
                          static_cast<int64_t>(pointCount));
  }
  size_t before = found.size();
  std::string skipped = part.skipped().str();
  std::string missing = skipped.empty() ? evaluateRow(module) : "";
  row.isOpen = part.isOpen();
  if (context.watcher.isCancelled() || row.isOpen) // a search that was cut short predicts nothing
    return;
  for (const auto &[result, reason] : part.failed().entries())
    row.problems.try_emplace(result, reason.asString());
  RowResults results{{found.size() > before ? &found.back() : nullptr,
                      [this](llvm::StringRef name) { return namedInRow(name); }, &module},
                     skipped,
                     missing,
                     row.problems};
  ValidationRow entry;
  entry.isLeftOut = !skipped.empty();
  entry.name = part.name().empty() ? fmt::format("{} {}", name, number.asInt()) : part.name().str();
  for (const auto &[label, value] : part.by().entries())
    entry.labels.emplace_back(label, value.asString().str());
  pointOf(module)->walk([&](const ir::Operation &op) {
    auto against = ir::as<study::AgainstOp>(op);
    if (!against)
      return;
    if (!entry.isLeftOut)
      checkMeasured(against, context.diagnostics);
    entry.predictions.push_back(predictionOf(against, results));
  });
  predicted.back().rows.push_back(std::move(entry));
  if (options.which == RunOptions::Which::Tables) { // nobody asks for the results themselves
    found.erase(found.begin() + static_cast<ptrdiff_t>(row.firstResult), found.end());
    searched.erase(searched.begin() + static_cast<ptrdiff_t>(row.firstSearch), searched.end());
  }
}
