// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The figures z of a device, from a few measurements of it and what is known before these:
//     log t = log(sum_k amount_k exp z_k) + e,     e ~ Student's t, 4 degrees, s
// The mode of the posterior, by Gauss-Newton steps on reweighted squares (Lange et al., 1989) whose
// first ones take s to be larger, so that a device far from the mean is not taken for errors.
// Which measurements: greedily those that leave the least variance of all that may be measured
// (Chaloner and Verdinelli, 1995), by what is known before alone.
#ifndef PERFC_API_FIT_DEVICEPOSTERIOR_H
#define PERFC_API_FIT_DEVICEPOSTERIOR_H

#include <Eigen/Dense>
#include <cstddef>
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

/// The logarithms of times at some figures, and their derivatives: shares of the times.
struct Linearised {
  Linearised(const Eigen::MatrixXd &amounts, const Eigen::VectorXd &figures);
  Eigen::VectorXd logs;
  Eigen::MatrixXd slopes;
};

/// Variance of the normal distribution that is as wide as Student's t with s = 1: the square of
/// its 95 % point over the normal one's.
constexpr double errorTails = 1.68;

/// With `start` for a mode from before, where it is not empty. Without measurements the prior.
DevicePosterior devicePosterior(const DevicePrior &prior, const DeviceMeasurements &measured,
                                unsigned steps = 12, const Eigen::VectorXd &start = {});

/// Logarithms of times, their variances, without those of errors, and in each row the shares of
/// the figures in a time.
struct PredictedLogs {
  Eigen::VectorXd logs, variances;
  Eigen::MatrixXd shares;
};
PredictedLogs predictedLogs(const DevicePosterior &known, const Eigen::MatrixXd &amounts);

/// Numbers of the `count` rows of `amounts` to measure, the most telling first.
std::vector<size_t> measurementsToMake(const DevicePrior &prior, const Eigen::MatrixXd &amounts,
                                       size_t count);

/// Of one value at least.
double medianOf(std::vector<double> values);

struct FamilyMember {
  Eigen::VectorXd sheet; ///< f without the constant
  DeviceMeasurements measured;
  std::vector<size_t> works; ///< of each measurement, by number, what was run
};

} // namespace perfc::api

#endif // PERFC_API_FIT_DEVICEPOSTERIOR_H
