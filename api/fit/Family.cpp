// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Family.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Degrees of freedom of Student's t.
static constexpr double degrees = 4;

static double medianOf(VectorXd values) {
  double *middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  if (values.size() % 2)
    return *middle;
  return 0.5 * (*middle + *std::max_element(values.data(), middle));
}

namespace {
/// The logarithms of the times at some figures, and their derivatives: shares of the time.
struct Linearised {
  VectorXd logs;
  MatrixXd slopes;
  Linearised(const MatrixXd &amounts, const VectorXd &figures) {
    VectorXd each = figures.array().exp();
    VectorXd times = amounts * each;
    logs = times.array().log();
    slopes = times.cwiseInverse().asDiagonal() * amounts * each.asDiagonal();
  }
};
} // namespace

DevicePosterior api::devicePosterior(const DevicePrior &prior, const DeviceMeasurements &measured,
                                     unsigned steps, const VectorXd &start) {
  DevicePosterior found{prior.mean, prior.covariance, {}, {}};
  if (measured.logs.size() == 0)
    return found;
  constexpr double farthest = 4, longest = 1.5;
  bool isCold = start.size() == 0;
  VectorXd z = start;
  if (isCold) {
    VectorXd away = measured.logs - Linearised(measured.amounts, prior.mean).logs;
    z = prior.mean.array() + medianOf(away);
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
    if (step == steps) {
      found.mode = z;
      found.covariance = curvature.inverse();
      return found;
    }
    VectorXd descent =
        at.slopes.transpose() * found.weights.cwiseProduct(found.errors) / prior.variance -
        precision * (z - prior.mean);
    VectorXd move = curvature.ldlt().solve(descent);
    move *= std::min(1.0, longest / std::max(move.cwiseAbs().maxCoeff(), 1e-9));
    z = (z + move).cwiseMax(low).cwiseMin(high);
  }
}

PredictedLogs api::predictedLogs(const DevicePosterior &known, const MatrixXd &amounts) {
  Linearised at(amounts, known.mode);
  return {at.logs, (at.slopes * known.covariance).cwiseProduct(at.slopes).rowwise().sum()};
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

Family::Family(const std::vector<FamilyMember> &members, const VectorXd &start, double ridge) {
  // What a few members say is not taken for certain.
  constexpr double inflation = 1.3, leastError = 0.02;
  constexpr double priorWeight = 20, ownSpread = 0.4, fewMeasurements = 5;
  constexpr int rounds = 15, steps = 6;
  auto count = static_cast<Index>(members.size());
  Index kinds = start.size(), entries = members.front().sheet.size();
  if (entries > 0) { // a matrix without columns has no rows to take
    MatrixXd sheets(count, entries);
    for (Index i = 0; i < count; ++i)
      sheets.row(i) = members[static_cast<size_t>(i)].sheet;
    sheetMean = sheets.colwise().mean();
    sheetDeviation =
        (sheets.rowwise() - sheetMean.transpose()).colwise().squaredNorm() / double(count);
    sheetDeviation = sheetDeviation.cwiseSqrt().array() + 1e-9;
  }
  MatrixXd regressors(count, entries + 1);
  for (Index i = 0; i < count; ++i)
    regressors.row(i) = standardised(members[static_cast<size_t>(i)].sheet);
  coefficients = MatrixXd::Zero(entries + 1, kinds);
  coefficients.row(0) = start;
  spread = MatrixXd::Identity(kinds, kinds) * 0.5 + MatrixXd::Constant(kinds, kinds, 2);
  MatrixXd penalty =
      MatrixXd::Identity(entries + 1, entries + 1) * ridge * static_cast<double>(count);
  penalty(0, 0) = 1e-6;
  MatrixXd modes(count, kinds);
  std::vector<VectorXd> last(members.size());
  for (int round = 0; round < rounds; ++round) {
    MatrixXd uncertain = MatrixXd::Zero(kinds, kinds);
    double errors = 0;
    std::map<size_t, std::vector<double>> errorsOfWork;
    for (size_t i = 0; i < members.size(); ++i) {
      auto row = static_cast<Index>(i);
      VectorXd mean = (regressors.row(row) * coefficients).transpose();
      DevicePosterior known =
          devicePosterior({mean, spread, errorVariance}, members[i].measured, steps, last[i]);
      last[i] = known.mode;
      modes.row(row) = known.mode;
      uncertain += known.covariance;
      errors += known.weights.cwiseProduct(known.errors.cwiseAbs2()).mean();
      for (size_t j = 0; j < members[i].works.size(); ++j)
        errorsOfWork[members[i].works[j]].push_back(known.errors[static_cast<Index>(j)]);
    }
    for (auto &[work, all] : errorsOfWork) {
      auto often = static_cast<double>(all.size());
      biases[work] = medianOf(Eigen::Map<VectorXd>(all.data(), static_cast<Index>(all.size()))) *
                     often / (often + fewMeasurements);
    }
    coefficients = (regressors.transpose() * regressors + penalty)
                       .ldlt()
                       .solve(regressors.transpose() * modes);
    MatrixXd away = modes - regressors * coefficients;
    spread = (away.transpose() * away + uncertain + MatrixXd::Identity(kinds, kinds) * ownSpread) /
             (static_cast<double>(count) + priorWeight);
    errorVariance =
        std::max(inflation * errors / static_cast<double>(count), leastError * leastError);
  }
}

double Family::biasOf(size_t work) const {
  auto known = biases.find(work);
  return known == biases.end() ? 0 : known->second;
}

double Family::biasVariance() const {
  double sum = 0;
  for (const auto &[work, bias] : biases)
    sum += bias * bias;
  return biases.empty() ? 0 : sum / static_cast<double>(biases.size());
}

double Family::varianceOf(size_t work) const {
  constexpr double tails = 1.68; // of Student's t: its 95 % point over the normal one's, squared
  return tails * errorVariance + (biases.count(work) ? 0 : biasVariance());
}

VectorXd Family::standardised(const VectorXd &sheet) const {
  VectorXd all(sheet.size() + 1);
  all[0] = 1;
  all.tail(sheet.size()) = (sheet - sheetMean).cwiseQuotient(sheetDeviation);
  return all;
}

DevicePrior Family::prior(const VectorXd &sheet) const {
  return {(standardised(sheet).transpose() * coefficients).transpose(), spread, errorVariance};
}

double Family::constantOf(Index k) const {
  double constant = coefficients(0, k);
  for (Index entry = 0; entry < sheetMean.size(); ++entry)
    constant -= slopeOf(k, entry) * sheetMean[entry];
  return constant;
}

double Family::slopeOf(Index k, Index entry) const {
  return coefficients(entry + 1, k) / sheetDeviation[entry];
}
