// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Predictions beside references, as kinds of `perfc validate` and the statement `validate` make
// them, and their agreement: rows that are equal, the absolute percentage error
// |predicted - reference| / |reference| (mean, median, 90th percentile), and Spearman's rank
// correlation with mean ranks for ties; how many intervals have the reference in them. Rows whose
// reference is 0 have no percentage error.
#ifndef PERFC_API_AGREEMENT_H
#define PERFC_API_AGREEMENT_H

#include "backends/emit/Json.h"
#include "ir/common/Uncertain.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include <string>
#include <vector>

namespace perfc::api {

/// A figure: exact when it is whole, else real.
struct Number {
  Number(int64_t whole) : real(static_cast<double>(whole)), whole(whole) {}
  static Number fromReal(double value);
  /// Equal integers, or reals that differ by at most 1e-9 of the larger.
  bool equals(const Number &other) const;
  std::string text() const;

  double real;
  llvm::Optional<int64_t> whole;

private:
  Number(double value, llvm::Optional<int64_t> whole) : real(value), whole(whole) {}
};

using Labels = std::vector<std::pair<std::string, std::string>>;

/// One metric of a row.
struct Prediction {
  std::string metric;
  llvm::Optional<Number> predicted;
  llvm::Optional<Number> reference;
  /// Why there is no prediction, "" when there is one.
  std::string skipped;
  /// Set for a second reference of the same metric: it forms groups of its own, outside the others.
  Labels apart;
  /// What of the row this is about where a metric occurs several times: "GLB.W"; "" for all of it.
  std::string part;
  /// Half of the prediction's 90 % interval; 0 for none.
  double halfWidth = 0;
  /// By source, what the interval is made of.
  std::vector<Uncertain::Contribution> contributions = {};
};

/// One row of the table: its labels make the groups.
struct ValidationRow {
  std::string name;
  Labels labels;
  std::vector<Prediction> predictions;
  bool isLeftOut = false; ///< the program skips it
};

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

/// Adds "rows" and "groups" to an object (docs/output.md).
emit::Json withAgreement(emit::Json object, llvm::ArrayRef<ValidationRow> rows);

/// Adds "figures", how many have a prediction and a reference, and "predictions": the row, the
/// metric, the prediction, the reference and the row's labels of these, or, of many, of at most
/// `most` that stand evenly among them.
emit::Json withPredictions(emit::Json object, llvm::ArrayRef<ValidationRow> rows, size_t most);

/// A figure that may not exist.
emit::Json orNull(const llvm::Optional<double> &value);

/// Spearman's rank correlation; nothing for fewer than two pairs or when one side is constant.
llvm::Optional<double> spearman(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b);
/// The q-quantile by linear interpolation; nothing when there are no values.
llvm::Optional<double> quantile(std::vector<double> values, double q);

} // namespace perfc::api

#endif // PERFC_API_AGREEMENT_H
