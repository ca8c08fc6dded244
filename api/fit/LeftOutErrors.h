// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Errors of predictions of parts of a table, each left out of what predicts it.
#ifndef PERFC_API_FIT_LEFTOUTERRORS_H
#define PERFC_API_FIT_LEFTOUTERRORS_H

#include "api/fit/Calibration.h"

namespace perfc::api {

class LeftOutErrors {
public:
  /// The next part; rows without a prediction count for nothing.
  void add(llvm::ArrayRef<ValidationRow> rows, const Fit &fit);

  bool empty() const { return means.empty(); }
  /// The mean over parts of the mean error of each, as a logarithm; 0 without a part.
  double mean() const;
  /// Whether that is below the mean of the same parts otherwise predicted by more than three times
  /// the standard error of the difference, of seven parts and more. By Student's t this has a
  /// chance of 1.2 % of seven parts where nothing is better, and a little more since they share
  /// devices.
  bool areSignificantlyBelow(const LeftOutErrors &other) const;
  /// By which factor intervals have to be wider for a tenth of the errors to be outside.
  double widening() const;

private:
  std::vector<double> means;  ///< of each part
  std::vector<double> errors; ///< all, over their deviations
};

} // namespace perfc::api

#endif // PERFC_API_FIT_LEFTOUTERRORS_H
