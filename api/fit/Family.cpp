// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/Family.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What a round finds of the members.
struct Family::Round {
  MatrixXd regressors;           ///< a row per member
  std::vector<VectorXd> figures; ///< modes of z, which the next round begins with
  MatrixXd uncertain;            ///< sum of what is not known of them
  double squares = 0;            ///< mean square of errors, summed over the members
  std::vector<VectorXd> errors;  ///< of each member's measurements
  std::map<size_t, std::vector<double>> errorsOfWork;
};

Family::Family(const std::vector<FamilyMember> &members, const VectorXd &start,
               const FamilyOptions &options) {
  constexpr int rounds = 15;
  standardise(members);
  auto count = static_cast<Index>(members.size());
  Index kinds = start.size(), entries = sheetMean.size();
  Round round;
  round.regressors.resize(count, entries + 1);
  for (Index i = 0; i < count; ++i)
    round.regressors.row(i) = standardised(members[static_cast<size_t>(i)].sheet);
  round.figures.resize(members.size());
  coefficients = MatrixXd::Zero(entries + 1, kinds);
  coefficients.row(0) = start;
  spread = MatrixXd::Identity(kinds, kinds) * 0.5 + MatrixXd::Constant(kinds, kinds, 2);
  if (options.learnsWork)
    learnt = std::make_shared<LearntWorks>(members, start);
  for (int i = 0; i < rounds; ++i) {
    learnFigures(members, round);
    if (!learnt)
      learnBiases(round);
    learnSpread(options, round);
    if (learnt)
      learnt->fit(members, round.figures, errorVariance);
  }
  keepErrors(members, round);
}

void Family::standardise(const std::vector<FamilyMember> &members) {
  auto count = static_cast<Index>(members.size());
  Index entries = members.front().sheet.size();
  if (entries == 0) // a matrix without columns has no rows to take
    return;
  MatrixXd sheets(count, entries);
  for (Index i = 0; i < count; ++i)
    sheets.row(i) = members[static_cast<size_t>(i)].sheet;
  sheetMean = sheets.colwise().mean();
  sheetDeviation =
      (sheets.rowwise() - sheetMean.transpose()).colwise().squaredNorm() / double(count);
  sheetDeviation = sheetDeviation.cwiseSqrt().array() + 1e-9;
}

void Family::learnFigures(const std::vector<FamilyMember> &members, Round &round) {
  constexpr unsigned steps = 6;
  round.uncertain = MatrixXd::Zero(spread.rows(), spread.cols());
  round.squares = 0;
  round.errorsOfWork.clear();
  round.errors.clear();
  for (size_t i = 0; i < members.size(); ++i) {
    VectorXd mean = (round.regressors.row(static_cast<Index>(i)) * coefficients).transpose();
    DeviceMeasurements measured = members[i].measured;
    if (learnt)
      measured.amounts = learnt->amountsOf(members[i].works);
    DevicePosterior known =
        devicePosterior({mean, spread, errorVariance}, measured, steps, round.figures[i]);
    round.figures[i] = known.mode;
    round.uncertain += known.covariance;
    round.squares += known.weights.cwiseProduct(known.errors.cwiseAbs2()).mean();
    for (size_t j = 0; j < members[i].works.size(); ++j)
      round.errorsOfWork[members[i].works[j]].push_back(known.errors[static_cast<Index>(j)]);
    round.errors.push_back(known.errors);
  }
}

void Family::learnBiases(const Round &round) {
  constexpr double fewMeasurements = 5;
  for (const auto &[work, all] : round.errorsOfWork) {
    auto often = static_cast<double>(all.size());
    biases[work] = medianOf(all) * often / (often + fewMeasurements);
  }
}

void Family::learnSpread(const FamilyOptions &options, const Round &round) {
  // What a few members say is not taken for certain.
  constexpr double inflation = 1.3, priorWeight = 20, ownSpread = 0.02;
  auto count = static_cast<double>(round.figures.size());
  Index kinds = spread.rows(), regressors = coefficients.rows();
  MatrixXd modes(static_cast<Index>(round.figures.size()), kinds);
  for (size_t i = 0; i < round.figures.size(); ++i)
    modes.row(static_cast<Index>(i)) = round.figures[i];
  MatrixXd penalty = MatrixXd::Identity(regressors, regressors) * options.ridge * count;
  penalty(0, 0) = 1e-6;
  coefficients = (round.regressors.transpose() * round.regressors + penalty)
                     .ldlt()
                     .solve(round.regressors.transpose() * modes);
  MatrixXd away = modes - round.regressors * coefficients;
  MatrixXd expected = MatrixXd::Identity(kinds, kinds) * ownSpread +
                      MatrixXd::Constant(kinds, kinds, options.apart * options.apart);
  spread =
      (away.transpose() * away + round.uncertain + expected * priorWeight) / (count + priorWeight);
  errorVariance =
      std::max(inflation * round.squares / count, options.leastError * options.leastError);
}

void Family::keepErrors(const std::vector<FamilyMember> &members, const Round &round) {
  constexpr double outlier = 4, fewMembers = 8;
  double most = outlier * std::sqrt(errorVariance);
  VectorXd none = VectorXd::Zero(static_cast<Index>(members.size()));
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = 0; j < members[i].works.size(); ++j) {
      size_t work = members[i].works[j];
      double error = round.errors[i][static_cast<Index>(j)] - biasOf(work);
      errors.try_emplace(work, none).first->second[static_cast<Index>(i)] =
          std::clamp(error, -most, most);
    }
  // As if some more members had errors as large that have nothing to do with each other.
  for (auto &[work, logs] : errors)
    if (auto runs = static_cast<double>((logs.array() != 0).count()); runs > 0)
      logs *= std::sqrt(runs / (runs + fewMembers)) / logs.norm();
}

MatrixXd Family::errorCorrelation(const std::vector<size_t> &of,
                                  const std::vector<size_t> &with) const {
  MatrixXd found = MatrixXd::Zero(static_cast<Index>(of.size()), static_cast<Index>(with.size()));
  for (size_t i = 0; i < of.size(); ++i)
    for (size_t j = 0; j < with.size(); ++j)
      if (auto one = errors.find(of[i]), other = errors.find(with[j]);
          one != errors.end() && other != errors.end())
        found(static_cast<Index>(i), static_cast<Index>(j)) = one->second.dot(other->second);
  return found;
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
  return errorTails * errorVariance + (biases.count(work) ? 0 : biasVariance());
}

double Family::newVariance() const {
  return varianceOf(SIZE_MAX) + (learnt ? learnt->meanVariance() : 0);
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
