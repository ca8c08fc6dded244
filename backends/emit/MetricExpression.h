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
  const Cost *cost = nullptr;
  /// The result of a name given by `as`; null when there is none.
  std::function<const emit::Result *(llvm::StringRef)> result;
  /// Where metrics that the file defines are found; may be null.
  const ir::Module *module = nullptr;
};

ExpressionValue evaluateExpression(const ir::Attribute &expr, const MetricNames &names);
/// A metric or result member by its written name: "latency", "traffic.HBM", "nlp.energy", "edap".
ExpressionValue evaluateName(llvm::StringRef name, const MetricNames &names);

/// True when `expr` names an end of an interval, `latency.upper`, also by a metric of the file.
bool asksForEnds(const ir::Attribute &expr, const MetricNames &names);

/// "61.20 ms", "0.583", "memory HBM", "not given: …".
std::string describe(const ExpressionValue &value);

} // namespace perfc::emit

#endif // PERFC_BACKENDS_EMIT_METRICEXPRESSION_H
