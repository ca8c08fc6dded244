// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/DevicePosterior.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Degrees of freedom of Student's t.
static constexpr double degrees = 4;

double api::medianOf(std::vector<double> values) {
  auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2)
    return *middle;
  return 0.5 * (*middle + *std::max_element(values.begin(), middle));
}

Linearised::Linearised(const MatrixXd &amounts, const VectorXd &figures) {
  VectorXd each = figures.array().exp();
  VectorXd times = amounts * each;
  logs = times.array().log();
  slopes = times.cwiseInverse().asDiagonal() * amounts * each.asDiagonal();
}

DevicePosterior api::devicePosterior(const DevicePrior &prior, const DeviceMeasurements &measured,
                                     unsigned steps, const VectorXd &start) {
  DevicePosterior found{prior.mean, prior.covariance, {}, {}};
  if (measured.logs.size() == 0)
    return found;
  constexpr double farthest = 4, longest = 1.5, settled = 1e-6;
  bool isCold = start.size() == 0;
  VectorXd z = start;
  if (isCold) {
    VectorXd away = measured.logs - Linearised(measured.amounts, prior.mean).logs;
    z = prior.mean.array() + medianOf({away.begin(), away.end()});
  }
  VectorXd reach = farthest * prior.covariance.diagonal().cwiseSqrt();
  VectorXd low = prior.mean.cwiseMin(z) - reach, high = prior.mean.cwiseMax(z) + reach;
  MatrixXd precision = prior.covariance.inverse();
  for (unsigned step = 0;; ++step) {
    Linearised at(measured.amounts, z);
    found.errors = measured.logs - at.logs;
    double wide = isCold ? std::max(1.0, 16 / std::pow(4.0, step)) : 1;
    found.weights =
        (degrees + 1) / (degrees + found.errors.array().square() / (prior.variance * wide));
    MatrixXd curvature =
        at.slopes.transpose() * found.weights.asDiagonal() * at.slopes / prior.variance + precision;
    VectorXd descent =
        at.slopes.transpose() * found.weights.cwiseProduct(found.errors) / prior.variance -
        precision * (z - prior.mean);
    VectorXd move = curvature.ldlt().solve(descent);
    if (step == steps || (wide == 1 && move.cwiseAbs().maxCoeff() < settled)) {
      found.mode = z;
      found.covariance = curvature.inverse();
      return found;
    }
    move *= std::min(1.0, longest / std::max(move.cwiseAbs().maxCoeff(), 1e-9));
    z = (z + move).cwiseMax(low).cwiseMin(high);
  }
}

PredictedLogs api::predictedLogs(const DevicePosterior &known, const MatrixXd &amounts) {
  Linearised at(amounts, known.mode);
  return {at.logs, (at.slopes * known.covariance).cwiseProduct(at.slopes).rowwise().sum(),
          at.slopes};
}

std::vector<size_t> api::measurementsToMake(const DevicePrior &prior, const MatrixXd &amounts,
                                            size_t count) {
  MatrixXd slopes = Linearised(amounts, prior.mean).slopes;
  MatrixXd left = prior.covariance;
  std::vector<size_t> chosen;
  while (chosen.size() < std::min(count, static_cast<size_t>(amounts.rows()))) {
    MatrixXd reached = left * slopes.transpose();
    VectorXd own =
        slopes.cwiseProduct(reached.transpose()).rowwise().sum().array() + prior.variance;
    VectorXd gains = (slopes * reached).array().square().colwise().sum().transpose() / own.array();
    for (size_t known : chosen)
      gains[static_cast<Index>(known)] = -1;
    Index best = 0;
    gains.maxCoeff(&best);
    chosen.push_back(static_cast<size_t>(best));
    left -= reached.col(best) * reached.col(best).transpose() / own[best];
  }
  return chosen;
}
