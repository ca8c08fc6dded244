// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of devices whose times are sums over kinds of work, by figures that differ between them:
//     log t = log(sum_k amount_k exp z_k) + e,     z ~ N(B f, S),   e ~ Student's t, 4 degrees, s
// with what a data sheet says of a device in f. B (by ridge regression), S (with all covariances)
// and s come from the measurements of the family's members: expectation maximisation, with
// Laplace's approximation of what is known of each member's z (Dempster et al., 1977; an empirical
// Bayes method). A new member is known by a few measurements: the mode of its posterior, by
// Gauss-Newton steps on reweighted squares (Lange et al., 1989) whose first steps take s to be
// larger, so that a device far from the mean is not taken for errors. Which measurements: greedily
// those that leave the least variance of all that may be measured (Chaloner and Verdinelli, 1995),
// by S alone.
#ifndef PERFC_API_FIT_FAMILY_H
#define PERFC_API_FIT_FAMILY_H

#include <Eigen/Dense>
#include <cstddef>
#include <map>
#include <vector>

namespace perfc::api {

/// What was measured of a device: a row of `amounts` per measurement, and the logarithm of its
/// time.
struct DeviceMeasurements {
  Eigen::MatrixXd amounts;
  Eigen::VectorXd logs;
};

/// What is known of the figures z of a device before it is measured.
struct DevicePrior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
  double variance = 0.01; ///< s^2, of errors
};

/// What is known of them after that.
struct DevicePosterior {
  Eigen::VectorXd mode;
  Eigen::MatrixXd covariance;
  Eigen::VectorXd errors;  ///< of the measurements, in logarithms
  Eigen::VectorXd weights; ///< of these: small for outliers
};

/// With `start` for a mode from before, where it is not empty. Without measurements the prior.
DevicePosterior devicePosterior(const DevicePrior &prior, const DeviceMeasurements &measured,
                                unsigned steps = 12, const Eigen::VectorXd &start = {});

/// Logarithms of times, and their variances, without those of errors.
struct PredictedLogs {
  Eigen::VectorXd logs, variances;
};
PredictedLogs predictedLogs(const DevicePosterior &known, const Eigen::MatrixXd &amounts);

/// Numbers of the `count` rows of `amounts` to measure, the most telling first.
std::vector<size_t> measurementsToMake(const DevicePrior &prior, const Eigen::MatrixXd &amounts,
                                       size_t count);

struct FamilyMember {
  Eigen::VectorXd sheet; ///< f without the constant
  DeviceMeasurements measured;
  std::vector<size_t> works; ///< of each measurement, by number, what was run
};

class Family {
public:
  /// Fits it to `members`, of which there is one at least; `start` is where figures
  /// begin, `ridge` how much coefficients are shrunk, as a share of what a member counts.
  Family(const std::vector<FamilyMember> &members, const Eigen::VectorXd &start, double ridge);

  /// How much longer than its sum what was run takes on all devices, as a logarithm: the median of
  /// its errors, shrunk where few have measured it; 0 where none has.
  double biasOf(size_t work) const;
  /// The variance of that for what nothing has run: the mean square of those that are known.
  double biasVariance() const;
  /// The variance that is left where the bias is known.
  double varianceOf(size_t work) const;

  /// Of a device with this data sheet.
  DevicePrior prior(const Eigen::VectorXd &sheet) const;
  const Eigen::MatrixXd &covariance() const { return spread; }
  /// Of figure `k` the constant and, by number of the entry, what one unit of the sheet adds.
  double constantOf(Eigen::Index k) const;
  double slopeOf(Eigen::Index k, Eigen::Index entry) const;
  const Eigen::VectorXd &meanSheet() const { return sheetMean; }
  /// The variance of errors of what nothing has run.
  double newVariance() const { return varianceOf(SIZE_MAX); }

private:
  Eigen::VectorXd standardised(const Eigen::VectorXd &sheet) const;

  Eigen::VectorXd sheetMean, sheetDeviation;
  Eigen::MatrixXd coefficients; ///< B: a row for the constant and for each entry
  Eigen::MatrixXd spread;       ///< S
  double errorVariance = 0.01;
  std::map<size_t, double> biases; ///< by what was run
};

} // namespace perfc::api

#endif // PERFC_API_FIT_FAMILY_H
