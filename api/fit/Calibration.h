// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fits of a program, one after the other, each with what those before it have found; and how
// well they predict rows that were left out. An error is the logarithm of predicted over measured.
// Constants are fitted in logarithms or, on a linear scale, as shares of the way between their
// bounds. The terms of what is minimised are in docs/calibration.md.
#ifndef PERFC_API_FIT_CALIBRATION_H
#define PERFC_API_FIT_CALIBRATION_H

#include "api/fit/FitRows.h"

namespace perfc::api {

/// What one fit has found.
struct FitFindings {
  const Fit *fit = nullptr;
  size_t rows = 0;
  double objective = 0;
  bool isFound = false;
  struct Constant {
    size_t index = 0; ///< in FitRows::constants
    double value = 0;
    double halfWidth = 0; ///< of the 90 % interval
    bool isLog = true;
    bool isHeld = false;    ///< by a bound
    bool isUnknown = false; ///< no row and no prior says anything about it
  };
  std::vector<Constant> constants; ///< with the means of lines
  /// A constant with the interval that rows have which the fit has not seen.
  struct Interval {
    const FitConstant *constant;
    double halfWidth = 0; ///< of the 90 % interval, as a share; 0 of fewer than 9 rows
    size_t rows = 0;
  };
  std::vector<Interval> intervals;
  /// Of logarithms, or of linear constants as shares of the way between bounds; without means.
  std::vector<double> covariance;
};

class OneFit;

/// What is spared where rows take long.
struct FitEffort {
  /// The fit to all rows starts from what is written, not from the priors, and ends once a step
  /// gains less than 10^-4; one without a group takes the errors of its rows as linear around it.
  bool isSmall = false;
};

class Calibration {
public:
  explicit Calibration(FitRows &rows, FitEffort effort = {});
  ~Calibration();

  /// Whether the rows have all groups that the fits name, and `others`; false after a report.
  bool check(DiagnosticEngine &diagnostics, llvm::ArrayRef<std::string> others);

  /// Fits to the rows that `isKnown`; `values` are then those of all constants.
  std::vector<FitFindings> fit(llvm::function_ref<bool(size_t)> isKnown, ConstantValues &values);
  /// The predicted rows of each group by `label` as a fit to all other rows predicts them, which
  /// starts from what `fit` has found last. A row is skipped with a reason where no other says
  /// anything about one of its constants.
  std::vector<ValidationRow> leaveOut(llvm::StringRef label);
  /// For `shots` rows of each group by `label`, chosen by a hash of their names, whether each row
  /// is one of them.
  std::vector<bool> shots(llvm::StringRef label, size_t shots) const;
  /// Finds the intervals that fits declare, from `fitted`, the rows as the fits predict them, and
  /// `leftOut`, as fits to other rows do. With misses max(measured / predicted, its inverse) - 1 of
  /// the n rows that the fit has not seen, the ceil(0.9 (n + 1))-th smallest: one more row of the
  /// kind keeps it with a probability of at least 90 % (split conformal prediction; Lei et al.,
  /// JASA 113, 2018).
  static void findIntervals(llvm::MutableArrayRef<FitFindings> findings,
                            llvm::ArrayRef<ValidationRow> fitted,
                            llvm::ArrayRef<ValidationRow> leftOut);
  /// These rows with `values`.
  std::vector<ValidationRow> predicted(const ConstantValues &values, llvm::ArrayRef<size_t> numbers,
                                       llvm::ArrayRef<FitFindings> findings);

private:
  std::vector<std::unique_ptr<OneFit>> fitAll(llvm::function_ref<bool(size_t)> isKnown,
                                              ConstantValues &values,
                                              std::vector<FitFindings> &findings);

  FitRows &rows;
  FitEffort effort;
  std::vector<std::unique_ptr<OneFit>> wholes; ///< that `fit` has made last
};

/// Whether there is such a number, and a logarithm of it.
bool isAboveZero(const llvm::Optional<Number> &number);
/// Of `numbers` at most `most` of each group by `label`, those that come first in the order of a
/// hash of their names; in rising order.
std::vector<size_t> someOfGroups(llvm::ArrayRef<ValidationRow> rows, llvm::ArrayRef<size_t> numbers,
                                 llvm::StringRef label, size_t most);
/// Whether anything of the row is predicted.
bool isPredicted(const ValidationRow &row);
/// Whether the row is of these groups.
bool isOf(const ValidationRow &row, const RowGroups &groups);
/// Whether `fit` is to the metric of that prediction.
bool isFitted(const Prediction &prediction, const Fit &fit);
/// What is fitted of a row, whether it is predicted and measured or not; null where there is none.
const Prediction *fittedOf(const ValidationRow &row, const Fit &fit);
Prediction *fittedOf(ValidationRow &row, const Fit &fit);
/// The same; null as well where it has no prediction or nothing to hold it against.
const Prediction *predictionOf(const ValidationRow &row, const Fit &fit);
/// The value of a row's group by `label`; "" where it has none.
llvm::StringRef groupOf(const ValidationRow &row, llvm::StringRef label);

} // namespace perfc::api

#endif // PERFC_API_FIT_CALIBRATION_H
