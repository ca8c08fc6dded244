// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/ErrorProcess.h"

using namespace perfc;
using namespace perfc::api;

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Correlations of what works share, by the shares of the figures in their times.
static MatrixXd correlations(const MatrixXd &rows, const MatrixXd &columns, const MatrixXd &seen) {
  constexpr double reach = 0.35, ofOthers = 0.7;
  // Roots of shares have length 1.
  MatrixXd squares = 2 - 2 * (rows.cwiseSqrt() * columns.cwiseSqrt().transpose()).array();
  MatrixXd alike = (squares / (-2 * reach * reach)).array().exp();
  return ofOthers * seen + (1 - ofOthers) * alike;
}

PredictedLogs api::correctedLogs(const DevicePrior &prior, const DeviceMeasurements &measured,
                                 const DevicePosterior &known, const MatrixXd &amounts,
                                 const SeenErrors &seen) {
  constexpr double share = 0.75, leastWeight = 0.05;
  double shared = share * errorTails * prior.variance;
  double own = (1 - share) * errorTails * prior.variance;
  Linearised shots(measured.amounts, known.mode), wanted(amounts, known.mode);
  MatrixXd reached = prior.covariance * shots.slopes.transpose();
  MatrixXd errors = shared * correlations(shots.slopes, shots.slopes, seen.measured);
  errors.diagonal() = shared + own * known.weights.array().max(leastWeight).inverse();
  MatrixXd between =
      wanted.slopes * reached + shared * correlations(wanted.slopes, shots.slopes, seen.between);
  MatrixXd gain = (shots.slopes * reached + errors).ldlt().solve(between.transpose()).transpose();
  VectorXd offset = prior.mean - known.mode;
  VectorXd logs =
      wanted.logs + wanted.slopes * offset + gain * (known.errors - shots.slopes * offset);
  VectorXd variances =
      (wanted.slopes * prior.covariance).cwiseProduct(wanted.slopes).rowwise().sum() -
      gain.cwiseProduct(between).rowwise().sum();
  return {logs, variances, wanted.slopes};
}
