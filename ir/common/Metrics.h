// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metrics of results: a table per statement, with one definition for each name. What `expect`
// and `report` may name, what `perfc doc metrics` prints and what backends/core/Metrics computes
// all come from here.
#ifndef PERFC_IR_COMMON_METRICS_H
#define PERFC_IR_COMMON_METRICS_H

#include "ir/common/Quantity.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace perfc {

/// Statements whose results have metrics of their own; those of `compare` and `search` are of
/// evaluations.
enum class ResultKind : uint8_t { Evaluation, Training, Serving, Replay };

enum class MetricForm : uint8_t {
  Number,
  Share,        ///< at most 1
  Distribution, ///< its name alone is the mean; it has `p50`, `p99`, …
  Family,       ///< one by a name after the point: traffic.DRAM
  Text,         ///< a word
};

struct MetricSpec {
  llvm::StringLiteral name;
  Dimension dimension;
  llvm::StringLiteral unit;
  llvm::StringLiteral definition;
  MetricForm form = MetricForm::Number;
  bool needsTokens = false; ///< not listed for a workload without `token` tensors
};

/// The metrics of the results of a statement, in the order of documentation.
llvm::ArrayRef<MetricSpec> metricsOf(ResultKind kind);
const MetricSpec *findMetric(ResultKind kind, llvm::StringRef name);
/// That of the first statement that has it: a name has one dimension in all of them. Null for none.
const MetricSpec *findMetric(llvm::StringRef name);
/// The metric that `path` is or begins with, `ttft` of `ttft.p99`, of any statement; null for none.
const MetricSpec *findMetricOf(llvm::StringRef path);

/// What follows the point in the name of a metric that is a distribution: its mean and ends,
/// percentiles, and halves of intervals of the mean and of percentiles.
llvm::ArrayRef<llvm::StringRef> distributionMembers();

/// "`evaluate`, `compare`, `search`": whose results they are.
llvm::StringRef statementsOf(ResultKind kind);
/// The statements whose results have the metric: "`train`, `serve`".
std::string statementsWith(llvm::StringRef metric);

inline constexpr ResultKind resultKinds[] = {ResultKind::Evaluation, ResultKind::Training,
                                             ResultKind::Serving, ResultKind::Replay};

} // namespace perfc

#endif // PERFC_IR_COMMON_METRICS_H
