// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/fit/LearntWorks.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {
/// What was measured of a work: the figures of the devices, and logarithms of its times.
struct WorkTimes {
  std::vector<size_t> members;
  std::vector<double> logs;
};
} // namespace

static std::map<size_t, WorkTimes> timesOf(const std::vector<FamilyMember> &members) {
  std::map<size_t, WorkTimes> times;
  for (size_t i = 0; i < members.size(); ++i)
    for (size_t j = 0; j < members[i].works.size(); ++j) {
      WorkTimes &of = times[members[i].works[j]];
      of.members.push_back(i);
      of.logs.push_back(members[i].measured.logs[static_cast<Index>(j)]);
    }
  return times;
}

LearntWorks::LearntWorks(const std::vector<FamilyMember> &members, const VectorXd &start) {
  constexpr double apart = 4, each = 1;
  Index kinds = start.size();
  VectorXd order = VectorXd::LinSpaced(kinds, kinds > 1 ? 1 : 0, -1);
  std::map<size_t, WorkTimes> times = timesOf(members);
  std::map<size_t, double> typical;
  double sum = 0;
  for (const auto &[work, of] : times)
    sum += typical[work] = medianOf(of.logs);
  double middle = times.empty() ? 0 : sum / static_cast<double>(times.size());
  mean = VectorXd::Zero(kinds);
  for (const auto &[work, log] : typical) {
    VectorXd shares = ((log - middle) * order).array().exp();
    VectorXd logs = (shares / shares.sum()).array().log() + log - start.array();
    works[work] = {logs, MatrixXd::Zero(kinds, kinds)};
    mean += logs / static_cast<double>(typical.size());
  }
  spread = MatrixXd::Identity(kinds, kinds) * each + MatrixXd::Constant(kinds, kinds, apart);
}

void LearntWorks::fit(const std::vector<FamilyMember> &members,
                      const std::vector<VectorXd> &figures, double errorVariance) {
  constexpr unsigned steps = 6;
  constexpr double priorWeight = 20, ownSpread = 0.4;
  Index kinds = mean.size();
  MatrixXd squares = MatrixXd::Identity(kinds, kinds) * ownSpread;
  VectorXd sum = VectorXd::Zero(kinds);
  for (const auto &[work, of] : timesOf(members)) {
    DeviceMeasurements measured;
    auto count = static_cast<Index>(of.logs.size());
    measured.logs = Eigen::Map<const VectorXd>(of.logs.data(), count);
    measured.amounts.resize(count, kinds);
    for (Index i = 0; i < count; ++i)
      measured.amounts.row(i) = figures[of.members[static_cast<size_t>(i)]].array().exp();
    Work &known = works.at(work);
    DevicePosterior found =
        devicePosterior({mean, spread, errorVariance}, measured, steps, known.logs);
    known = {found.mode, found.covariance};
    squares += found.covariance;
    sum += found.mode;
  }
  auto count = static_cast<double>(works.size());
  mean = sum / count;
  for (const auto &[work, known] : works)
    squares += (known.logs - mean) * (known.logs - mean).transpose();
  spread = squares / (count + priorWeight);
}

MatrixXd LearntWorks::amountsOf(const std::vector<size_t> &list) const {
  MatrixXd amounts(static_cast<Index>(list.size()), mean.size());
  for (size_t i = 0; i < list.size(); ++i)
    amounts.row(static_cast<Index>(i)) = works.at(list[i]).logs.array().exp();
  return amounts;
}

double LearntWorks::meanVariance() const {
  double sum = 0;
  for (const auto &[work, known] : works)
    sum += known.covariance.mean();
  return works.empty() ? 0 : sum / static_cast<double>(works.size());
}
