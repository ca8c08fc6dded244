// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/Evaluation.h"
#include "ir/common/diagnostics/Files.h"

#include "ir/common/Metrics.h"
#include "ir/study/AllOps.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace perfc;
using namespace perfc::api;

/// "llama3_8b on h100_sxm at b = 64": which of several results this is.
static std::string caseText(const emit::Result &result) {
  std::string point = mapper::bindingsText(result.point);
  return result.label + (point.empty() ? "" : " at " + point);
}

void Evaluation::checkExpectations(const Evaluated &evaluated) {
  if (auto expect = ir::as<study::ExpectOp>(evaluated.op)) {
    checkExpectation(evaluated.module, expect, nullptr, "");
    return;
  }
  if (evaluated.op.regionCount() == 0)
    return;
  for (const ir::Operation &op : evaluated.op.body())
    if (auto expect = ir::as<study::ExpectOp>(op))
      for (const emit::Result *result : evaluated.results)
        checkExpectation(evaluated.module, expect, const_cast<emit::Result *>(result),
                         evaluated.results.size() > 1 || evaluated.point ? caseText(*result) : "");
}

/// A value as it reads beside what it is compared with: an amount of data has the base of that one.
static std::string besideText(const ExpressionValue &value, const ExpressionValue &limit) {
  bool isSize = value.number && limit.number && limit.number->isExact() &&
                value.number->dimension() == Dimension(BaseUnit::Byte) &&
                value.number->toUncertain().isCertain();
  return isSize ? formatSize(value.number->toDouble(), writtenBase(limit.number->toDouble()))
                : emit::describe(value);
}

/// The left side of a comparison as it came out: "latency is 61.20 ms".
static std::string outcomeText(const ir::AttrList &expr, const MetricNames &names) {
  if (expr.size() != 3)
    return "";
  std::string left = besideText(emit::evaluateExpression(expr[1], names),
                                emit::evaluateExpression(expr[2], names));
  bool isName = expr[1].is(ir::AttrKind::String);
  return isName ? expr[1].asString().str() + " is " + left : "the left side is " + left;
}

/// The result that the left side of a comparison is a metric of, by its name or as that at hand;
/// null where it is none or several.
static const Outcome *outcomeOf(const ir::AttrList &expr, const MetricNames &names) {
  if (expr.size() != 3 || !expr[1].is(ir::AttrKind::String))
    return nullptr;
  llvm::StringRef name = expr[1].asString();
  std::vector<const emit::Result *> named = names.results(name.split('.').first);
  if (!named.empty())
    return named.size() == 1 ? named.front() : nullptr;
  return names.outcome;
}

/// Where most of the time goes, for who expected another one.
static void noteLongest(Diagnostic &failure, const ir::AttrList &expr, const MetricNames &names) {
  const Outcome *outcome = outcomeOf(expr, names);
  if (!outcome)
    return;
  llvm::Optional<Quantity> value = emit::evaluateExpression(expr[1], names).number;
  double total = outcome->cost.latency.central();
  if (!value || value->dimension()[BaseUnit::Second] == 0 || total <= 0)
    return;
  std::vector<emit::KernelLine> lines = emit::flatten(outcome->cost.breakdown);
  auto longest = std::max_element(lines.begin(), lines.end(), [](const auto &a, const auto &b) {
    return a.latency.central() < b.latency.central();
  });
  if (longest == lines.end() || lines.size() < 2) // a single one is what the line above shows
    return;
  std::string bound = longest->part->bound.empty() ? "" : ", bound by " + longest->part->bound;
  double share = 100 * longest->latency.central() / total;
  if (share <= 100) // of a `serve` all requests together take longer than one
    failure.note(longest->part->location, fmt::format("{:.1f} % of the time goes to `{}`{}", share,
                                                      longest->part->label, bound));
}

/// A metric that a result of its kind does not have, or a result that there is not.
void Evaluation::reportUnknown(llvm::StringRef name, SourceRange place) {
  llvm::StringRef first = name.split('.').first;
  const MetricSpec *spec = findMetricOf(name);
  if (!spec) {
    // A statement that fails or cannot be evaluated yet has been reported as such.
    if (!isUnsupported(first) && !context.diagnostics.hasErrors())
      context.diagnostics.report(place, diag::UnknownResult, first);
    return;
  }
  context.diagnostics.report(place, diag::UnknownMetric, name)
      .help(fmt::format("`{}` belongs to {}", spec->name, statementsWith(spec->name)));
}

/// The outcome for one result of each name; nothing after a report.
llvm::Optional<emit::Expectation>
Evaluation::checkCase(study::ExpectOp expect, const MetricNames &names, llvm::StringRef about) {
  ExpressionValue value = emit::evaluateExpression(ir::Attribute(expect.expr()), names);
  SourceRange place = expect->range();
  if (!value.unknownName.empty()) {
    reportUnknown(value.unknownName, place);
    return llvm::None;
  }
  if (!value.truth) {
    context.diagnostics.report(place, diag::MetricNotGiven, expect.text().str(), value.notGiven);
    return llvm::None;
  }
  emit::Expectation outcome{expect.text().str(), *value.truth, llvm::None, place};
  llvm::Optional<Quantity> confidence = expect.confidence();
  if (confidence && value.probability) {
    outcome.probability = value.probability;
    outcome.holds = *value.probability >= confidence->toDouble();
  }
  if (outcome.holds)
    return outcome;
  Diagnostic &failure = context.diagnostics.report(place, diag::ExpectFailed, outcome.text);
  std::string came = outcomeText(expect.expr(), names);
  if (outcome.probability)
    came += fmt::format(", so it holds for {:.1f} % of the outcomes, not {:.1f} %",
                        *outcome.probability * 100, confidence->toDouble() * 100);
  if (!about.empty())
    came += (came.empty() ? "for " : ", for ") + about.str();
  if (!came.empty())
    failure.note(came);
  noteLongest(failure, expect.expr(), names);
  return outcome;
}

/// A name of several results, of a list or a sweep, means every one of them.
bool Evaluation::checkExpectation(const ir::Module &module, study::ExpectOp expect,
                                  emit::Result *result, llvm::StringRef about) {
  MetricNames reading = names(module, result);
  std::vector<std::string> several = severalResults(ir::Attribute(expect.expr()), reading);
  if (several.size() > 1) {
    context.diagnostics
        .report(expect->range(), diag::SeveralResults, several[0], named(several[0]).size(),
                several[1], named(several[1]).size())
        .help("an `expect` in the block of a statement is about each of its results");
    return false;
  }
  auto keep = [&](const emit::Expectation &outcome) {
    (result ? result->expectations : fileExpectations).push_back(outcome);
    return outcome.holds;
  };
  if (several.empty()) {
    llvm::Optional<emit::Expectation> outcome = checkCase(expect, reading, about);
    return outcome && keep(*outcome);
  }
  llvm::Optional<emit::Expectation> all;
  for (const emit::Result *one : named(several.front())) {
    llvm::Optional<emit::Expectation> outcome =
        checkCase(expect, emit::withOne(reading, several.front(), one), caseText(*one));
    if (!outcome)
      return false;
    if (!all || (all->holds && !outcome->holds) || outcome->probability < all->probability)
      all = outcome;
  }
  return keep(*all);
}
