// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions over metrics in prefix form: `throughput / chips > 130TFLOP/s/chip` becomes
// [">", ["/", "throughput", "chips"], 130…]. What does not mention a metric is evaluated.
#ifndef PERFC_FRONTEND_BUILD_METRICEXPR_H
#define PERFC_FRONTEND_BUILD_METRICEXPR_H

#include "frontend/build/BuildContext.h"
#include "ir/common/Metrics.h"

namespace perfc {

/// Where a metric expression stands: in a statement's block metrics are plain names; elsewhere they
/// go by a result's name.
struct MetricScope {
  const Scope *scope;
  bool inStatement = true;
  llvm::Optional<ResultKind> kind = llvm::None; ///< of the statement's results, where there is one
};

/// The expression in prefix form; nothing after a report (or when something is unknown).
llvm::Optional<ir::Attribute> metricExpr(BuildContext &context, const ast::Expr &expr,
                                         const MetricScope &where);
/// The same for a condition (`expect`, `require`): a comparison whose sides have one dimension.
llvm::Optional<ir::Attribute> metricCondition(BuildContext &context, const ast::Expr &expr,
                                              const MetricScope &where);
/// A metric expression, or another constant, and what it is compared with, of one dimension, as a
/// pair. An empty string as the latter is a figure that is not there: the pair is then the
/// expression alone. The expression is "" where a string stands in its place. Nothing after a
/// report.
llvm::Optional<ir::AttrList> measuredMetric(BuildContext &context, const ast::Expr &metric,
                                            const ast::Expr &measured, const MetricScope &where);
/// Defines the metrics of the file that lines at file level ask of `result`, `e.m`, beside its
/// statement, where what a sweep around it sets is known. What cannot be defined is reported where
/// it is used.
void defineAskedMetrics(BuildContext &context, ResultName &result, const MetricScope &where);
/// The string that stands in place of a metric and says why there is none; "" for none.
std::string reasonInstead(BuildContext &context, const ast::Expr &metric, const MetricScope &where);
/// Whether the expression asks for a metric, of the library or of the file.
bool mentionsMetric(BuildContext &context, const ast::Expr &expr, const MetricScope &where);
/// Whether a path of metrics begins with this name.
bool beginsMetric(llvm::StringRef name);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_METRICEXPR_H
