// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values at which errors of many rows are smallest, in sum with what is known of the values before:
//     sum_i w_i loss(e_i(z)) + 1/2 sum_j (a_j z - b_j)^2,     low <= z <= high
//     robust:  loss(e) = (sqrt(e^2 + d^2) - d) / 2 d          squares:  loss(e) = e^2 / 2 d^2
// by Gauss-Newton steps on reweighted squares, damped as Levenberg and Marquardt do; derivatives
// are differences, which stay as long as steps gain half of what they promise. Both losses and the
// last sum are minus logarithms of densities, so that weights count measurements. The same input
// gives the same bytes. Sources: robust loss: Charbonnier et al., ICIP 1994; reweighting: Holland
// and Welsch, 1977; damping: Marquardt, 1963; covariance by clusters: Liang and Zeger, Biometrika
// 1986.
#ifndef PERFC_API_FIT_MINIMISE_H
#define PERFC_API_FIT_MINIMISE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <cstddef>
#include <functional>
#include <vector>

namespace perfc::api {

/// A value that is looked for.
struct Unknown {
  double start = 0, low = 0, high = 0;
  double step = 1e-4;       ///< of the differences
  std::vector<size_t> rows; ///< those whose errors depend on it
};

/// A term a z - b, in units of its standard deviation.
struct LinearTerm {
  std::vector<std::pair<size_t, double>> factors; ///< of unknowns
  double offset = 0;                              ///< b
};

struct FitProblem {
  std::vector<Unknown> unknowns;
  std::vector<LinearTerm> terms;
  std::vector<double> weights;  ///< of the rows
  std::vector<size_t> clusters; ///< of each row: rows of one may err together
  bool isRobust = true;
  double scale = 0.04; ///< d
  /// A row at the start: its error, and its slopes by unknown.
  struct Line {
    double error = 0;
    std::vector<double> slopes;
  };
  std::vector<Line> known; ///< of all rows, or none
  double leastGain = 1e-7; ///< of a step, as a share of 1 and the sum
  /// Is told how many steps are done, and how many these are at most; may be null.
  std::function<void(unsigned steps, unsigned most)> onStep;
};

struct FitSolution {
  std::vector<double> values;
  double objective = 0;
  bool isFound = false; ///< false when not even the start has errors that are numbers
  unsigned steps = 0;
  std::vector<FitProblem::Line> lines; ///< of the rows, at `values`
  /// Of the values, row by row. From how gradients differ between clusters, where there are three
  /// of them at least, else from the curvature alone. Values at a bound are taken as known.
  std::vector<double> covariance;
};

/// `errorsAt` gives the errors of some rows; one that is no number is of values that cannot be.
FitSolution minimise(const FitProblem &problem,
                     llvm::function_ref<std::vector<double>(llvm::ArrayRef<double> values,
                                                            llvm::ArrayRef<size_t> rows)>
                         errorsAt);

} // namespace perfc::api

#endif // PERFC_API_FIT_MINIMISE_H
