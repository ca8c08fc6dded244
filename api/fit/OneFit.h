// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One fit to some of the rows of a program. Errors are those of Calibration.h.
#ifndef PERFC_API_FIT_ONEFIT_H
#define PERFC_API_FIT_ONEFIT_H

#include "api/fit/Calibration.h"
#include "api/fit/Unknowns.h"

namespace perfc::api {

/// A figure of a row that a fit is to.
struct Observation {
  size_t row; ///< its number
  const ValidationRow *of;
  const Prediction *prediction; ///< as the program is written
};

/// One fit to some rows.
class OneFit {
public:
  OneFit(FitRows &rows, const Fit &fit, size_t firstConstant, ConstantValues &values)
      : rows(rows), fit(fit), unknowns(fit, firstConstant, values), values(values), before(values) {
  }

  /// `whole` has been fitted to all rows; null for the first.
  FitFindings run(llvm::function_ref<bool(size_t)> isKnown, const OneFit *whole, FitEffort effort);

private:
  void choose(llvm::function_ref<bool(size_t)> isKnown);
  void addUses();
  void begin(const OneFit &whole);
  void stayNear();
  double errorOf(double log) const;
  std::vector<double> linearErrors(llvm::ArrayRef<double> at,
                                   llvm::ArrayRef<size_t> positions) const;
  std::vector<double> errorsAt(llvm::ArrayRef<double> at, llvm::ArrayRef<size_t> positions);
  void showBest(llvm::ArrayRef<double> errors);
  FitFindings::Constant found(size_t constant, size_t begin, size_t end) const;
  bool isUnknown(const FitLine &line, size_t begin, size_t end) const;

  FitRows &rows;
  const Fit &fit;
  Unknowns unknowns;
  ConstantValues &values;
  ConstantValues before; ///< what the fits before have found
  FitProblem problem;
  std::vector<double> near; ///< the fit to all, where errors are taken as linear around it
  FitSolution solution;
  size_t count = 0;                  ///< of rows
  double least = 0;                  ///< mean error of all of them so far; 0 for none
  std::vector<Observation> observed; ///< in the order of rows
};

} // namespace perfc::api

#endif // PERFC_API_FIT_ONEFIT_H
