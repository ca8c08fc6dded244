// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How metrics are computed: a table of names for what all outcomes have, and one for each kind of
// statement that finds more or other than a cost. What each is, is defined by ir/common/Metrics.
#ifndef PERFC_BACKENDS_CORE_OUTCOMEMETRICS_H
#define PERFC_BACKENDS_CORE_OUTCOMEMETRICS_H

#include "backends/core/Outcome.h"

namespace perfc {

struct MetricEntry {
  llvm::StringLiteral name;
  MetricValue (*compute)(const Outcome &);
};

/// What only outcomes of a kind have, or have in their own way.
struct StatementMetrics {
  llvm::ArrayRef<MetricEntry> own;
  /// The values of a metric that is a distribution; null for other names.
  const Distribution *(*distribution)(const Outcome &, llvm::StringRef name) = nullptr;
  /// Why an outcome does not have the metric of that name, or distribution; "" where it has.
  std::string (*unsaid)(const Outcome &, llvm::StringRef name) = nullptr;
};

StatementMetrics trainingMetrics();
StatementMetrics servingMetrics();

MetricValue metricNumber(Uncertain value);
MetricValue metricUnknown(std::string why);
/// `amount` per `seconds`.
MetricValue metricRate(const MetricValue &amount, const Uncertain &seconds);
/// `money` for each of `tokens`.
MetricValue metricPerToken(const MetricValue &money, double tokens);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_OUTCOMEMETRICS_H
