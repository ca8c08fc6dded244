// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family of devices whose times are sums over kinds of work, by figures that differ between them:
//     log t = log(sum_k amount_k exp z_k) + e,     z ~ N(B f, S),   e ~ Student's t, 4 degrees, s
// with what a data sheet says of a device in f. B (by ridge regression), S (with all covariances)
// and s come from the measurements of the family's members: expectation maximisation, with
// Laplace's approximation of what is known of each member's z (Dempster et al., 1977; an empirical
// Bayes method). A new member is known by a few measurements (api/fit/DevicePosterior.h).
#ifndef PERFC_API_FIT_FAMILY_H
#define PERFC_API_FIT_FAMILY_H

#include "api/fit/LearntWorks.h"
#include <memory>

namespace perfc::api {

struct FamilyOptions {
  double ridge = 0.03; ///< how much coefficients are shrunk, as a share of what a member counts
  double apart = 0;    ///< what S has of all figures at once where members say nothing
  double leastError = 0.02; ///< s at least
  bool learnsWork = false;  ///< amounts are learnt with the figures
};

class Family {
public:
  /// Fits it to `members`, of which there is one at least; `start` is where figures begin.
  Family(const std::vector<FamilyMember> &members, const Eigen::VectorXd &start,
         const FamilyOptions &options = {});

  /// What works amount to, where that is learnt; else null.
  const LearntWorks *works() const { return learnt.get(); }

  /// How much longer than its sum what was run takes on all devices, as a logarithm: the median of
  /// its errors, shrunk where few have measured it; 0 where none has.
  double biasOf(size_t work) const;
  /// The variance of that for what nothing has run: the mean square of those that are known.
  double biasVariance() const;
  /// The variance that is left where the bias is known.
  double varianceOf(size_t work) const;

  /// Correlations of the errors of works over the members, biases apart: a row for each of `of`,
  /// shrunk where few members have run one, 0 where none has run both.
  Eigen::MatrixXd errorCorrelation(const std::vector<size_t> &of,
                                   const std::vector<size_t> &with) const;

  /// Of a device with this data sheet.
  DevicePrior prior(const Eigen::VectorXd &sheet) const;
  const Eigen::MatrixXd &covariance() const { return spread; }
  /// Of figure `k` the constant and, by number of the entry, what one unit of the sheet adds.
  double constantOf(Eigen::Index k) const;
  double slopeOf(Eigen::Index k, Eigen::Index entry) const;
  const Eigen::VectorXd &meanSheet() const { return sheetMean; }
  /// The variance of errors where a device's figures are known: of what nothing has run, or with
  /// what is not known of works that are learnt.
  double newVariance() const;

private:
  void standardise(const std::vector<FamilyMember> &members);
  Eigen::VectorXd standardised(const Eigen::VectorXd &sheet) const;
  /// One round: the members' figures, then what they have in common.
  struct Round;
  void learnFigures(const std::vector<FamilyMember> &members, Round &round);
  void learnBiases(const Round &round);
  void learnSpread(const FamilyOptions &options, const Round &round);
  void keepErrors(const std::vector<FamilyMember> &members, const Round &round);

  Eigen::VectorXd sheetMean, sheetDeviation;
  Eigen::MatrixXd coefficients; ///< B: a row for the constant and for each entry
  Eigen::MatrixXd spread;       ///< S
  double errorVariance = 0.01;
  std::map<size_t, double> biases; ///< by what was run
  /// Of each work the errors on the members, 0 where one has not run it, in units whose products
  /// are correlations.
  std::map<size_t, Eigen::VectorXd> errors;
  std::shared_ptr<LearntWorks> learnt;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_FAMILY_H
