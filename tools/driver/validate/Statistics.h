// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Agreement of predictions with references: rows that are equal, the absolute percentage error
// |predicted - reference| / |reference| (mean, median, 90th percentile), and Spearman's rank
// correlation with mean ranks for ties; how many intervals have the reference in them. Rows whose
// reference is 0 have no percentage error.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_STATISTICS_H
#define PERFC_TOOLS_DRIVER_VALIDATE_STATISTICS_H

#include "tools/driver/validate/Kind.h"

namespace perfc::driver {

/// The agreement of one metric over the rows that `by` selects.
struct GroupStatistics {
  Labels by;
  std::string metric;
  size_t rows = 0;      ///< with a prediction and a reference
  size_t exact = 0;     ///< of these, equal
  size_t skipped = 0;   ///< without a prediction
  size_t intervals = 0; ///< of these, predicted with an interval
  size_t covered = 0;   ///< whose interval has the reference in it
  llvm::Optional<double> mape, medianApe, p90Ape, spearman;
};

/// Per metric: all rows, then each value of each label; what stands apart comes last.
std::vector<GroupStatistics> groupStatistics(llvm::ArrayRef<ValidationRow> rows);

/// Spearman's rank correlation; nothing for fewer than two pairs or when one side is constant.
llvm::Optional<double> spearman(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);
/// The q-quantile by linear interpolation; nothing when there are no values.
llvm::Optional<double> quantile(std::vector<double> values, double q);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_STATISTICS_H
