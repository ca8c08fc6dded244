// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What works amount to, of which nothing is known but how long they take on devices of a family:
//     log t = log(sum_k exp(a_k + z_k)) + e,     a ~ N(m, V) of a work, z of a device
// Works and devices have the same part in it, so that the works' a are found as the devices' z are,
// by turns (api/fit/Family.h); m and V come from all works. At the beginning long works spend their
// time on the first figures, short ones on the last.
#ifndef PERFC_API_FIT_LEARNTWORKS_H
#define PERFC_API_FIT_LEARNTWORKS_H

#include "api/fit/DevicePosterior.h"
#include <map>

namespace perfc::api {

class LearntWorks {
public:
  /// `start` is where the figures z of the devices begin.
  LearntWorks(const std::vector<FamilyMember> &members, const Eigen::VectorXd &start);

  /// With what is known of the z of each member, and the variance of errors.
  void fit(const std::vector<FamilyMember> &members, const std::vector<Eigen::VectorXd> &figures,
           double errorVariance);

  bool knows(size_t work) const { return works.count(work) != 0; }
  /// The amounts of the works, which are known: a row each.
  Eigen::MatrixXd amountsOf(const std::vector<size_t> &list) const;
  /// What is not known of the amounts' logarithms.
  const Eigen::MatrixXd &covarianceOf(size_t work) const { return works.at(work).covariance; }
  /// The mean over the works of the variance of their times, where all figures take as long.
  double meanVariance() const;

  struct Work {
    Eigen::VectorXd logs;
    Eigen::MatrixXd covariance;
  };
  const std::map<size_t, Work> &all() const { return works; }

private:
  std::map<size_t, Work> works;
  Eigen::VectorXd mean;
  Eigen::MatrixXd spread;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_LEARNTWORKS_H
