// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of `expect` and `metric` expressions: prefix lists over metrics of one result or, by
// `name.metric`, of named ones. Uncertain values stay uncertain; a condition with a confidence
// holds when P(left < right) >= confidence for normally distributed sides.
#ifndef PERFC_BACKENDS_EMIT_METRICEXPRESSION_H
#define PERFC_BACKENDS_EMIT_METRICEXPRESSION_H

#include "backends/emit/Result.h"
#include "ir/study/StudyOps.h"
#include <functional>

namespace perfc::emit {

/// The value of an expression: a number, a truth value or a word; or why there is none.
struct ExpressionValue {
  llvm::Optional<Quantity> number;
  llvm::Optional<bool> truth;
  /// Of a condition with uncertain sides: the share of outcomes for which it holds.
  llvm::Optional<double> probability;
  std::string text;
  std::string notGiven;
  /// The name that leads nowhere, when one does.
  std::string unknownName;
};

/// Where the names of an expression lead.
struct MetricNames {
  /// The result that plain metric names are about; may be null.
  const Outcome *outcome = nullptr;
  /// The results of a name given by `as`: one for each row of its statement and point of its sweep.
  std::function<std::vector<const emit::Result *>(llvm::StringRef)> results;
  /// Where metrics that the file defines are found; may be null.
  const ir::Module *module = nullptr;
  /// Of a named result the metrics of the file as they came out with it, which count before those
  /// of `module`: there what a sweep has set is known. May be null.
  const OwnMetrics *own = nullptr;
  /// Instead of `outcome`, the metrics of a part of it, by name.
  std::function<llvm::Optional<MetricValue>(llvm::StringRef)> part = nullptr;
};

ExpressionValue evaluateExpression(const ir::Attribute &expr, const MetricNames &names);
/// A metric or result member by its written name: "latency", "traffic.HBM", "nlp.energy", "edap".
ExpressionValue evaluateName(llvm::StringRef name, const MetricNames &names);

/// The metrics of the file that the module of `result` names, as they came out.
OwnMetrics ownMetrics(const MetricNames &names);

/// The names of `expr` that stand for several results, each once; also those in metrics of the
/// file. To have a value, `expr` must be asked about one of each.
std::vector<std::string> severalResults(const ir::Attribute &expr, const MetricNames &names);

/// `names`, where `name` stands for `one` alone.
MetricNames withOne(MetricNames names, std::string name, const emit::Result *one);

/// True when `expr` names an end of an interval, `latency.upper`, also by a metric of the file.
bool asksForEnds(const ir::Attribute &expr, const MetricNames &names);

/// "61.20 ms", "0.583", "memory HBM", "not given: …".
std::string describe(const ExpressionValue &value);
/// Why there is no value; "" where there is one.
std::string whyNotGiven(const ExpressionValue &value);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_METRICEXPRESSION_H
