// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Families of devices that are drawn from known distributions: figures, errors and what a data
// sheet says are found again.
#include "api/fit/Family.h"
#include "api/fit/ErrorProcess.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <random>

using namespace perfc;
using namespace perfc::api;

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr Index kinds = 3;

/// Amounts of a few kinds of work, far apart.
MatrixXd someAmounts(std::mt19937 &random, Index rows) {
  std::normal_distribution<double> normal;
  MatrixXd amounts(rows, kinds);
  for (Index i = 0; i < rows; ++i)
    for (Index k = 0; k < kinds; ++k)
      amounts(i, k) = std::exp(2 * normal(random));
  return amounts;
}

VectorXd logsOf(const MatrixXd &amounts, const VectorXd &z) {
  return (amounts * z.array().exp().matrix()).array().log();
}

TEST(Family, KnowsThePriorWithoutMeasurements) {
  DevicePrior prior{VectorXd::Constant(kinds, 0.5), MatrixXd::Identity(kinds, kinds), 0.01};
  DevicePosterior known = devicePosterior(prior, {});
  EXPECT_EQ(known.mode, prior.mean);
  EXPECT_EQ(known.covariance, prior.covariance);
}

TEST(Family, FindsFiguresFarFromThePriorInSpiteOfAnOutlier) {
  std::mt19937 random(7);
  MatrixXd amounts = someAmounts(random, 12);
  VectorXd z = VectorXd::Constant(kinds, 2.5);
  z[1] = 1.5;
  DeviceMeasurements measured{amounts, logsOf(amounts, z)};
  measured.logs[3] += 3; // one in twenty of what it should be
  DevicePrior prior{VectorXd::Zero(kinds), MatrixXd::Identity(kinds, kinds), 1e-4};
  DevicePosterior known = devicePosterior(prior, measured, 40);
  for (Index k = 0; k < kinds; ++k)
    EXPECT_NEAR(known.mode[k], z[k], 0.05);
  EXPECT_LT(known.weights[3], 0.01);
}

TEST(Family, MeasuresWhatSaysMostFirst) {
  // The last row alone has the third kind, which is known least.
  MatrixXd amounts(3, kinds);
  amounts << 1, 1, 1e-9, 1, 2, 1e-9, 1e-9, 1e-9, 1;
  DevicePrior prior{VectorXd::Zero(kinds), MatrixXd::Identity(kinds, kinds), 0.01};
  prior.covariance(2, 2) = 4;
  std::vector<size_t> chosen = measurementsToMake(prior, amounts, 2);
  ASSERT_EQ(chosen.size(), 2U);
  EXPECT_EQ(chosen[0], 2U);
  EXPECT_EQ(measurementsToMake(prior, amounts, 9).size(), 3U);
}

TEST(Family, FindsWhatASheetSaysAndWhatGoesTogether) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<FamilyMember> members;
  for (int i = 0; i < 80; ++i) {
    FamilyMember member;
    double clock = normal(random), common = normal(random);
    member.sheet = VectorXd::Constant(1, clock);
    VectorXd z(kinds);
    for (Index k = 0; k < kinds; ++k)
      z[k] = double(k) - clock + 0.5 * common + 0.1 * normal(random);
    MatrixXd amounts = someAmounts(random, 12);
    member.measured = {amounts, logsOf(amounts, z)};
    for (Index row = 0; row < 12; ++row) {
      member.measured.logs[row] += 0.05 * normal(random);
      member.works.push_back(static_cast<size_t>(row));
    }
    members.push_back(std::move(member));
  }
  Family family(members, VectorXd::Zero(kinds), {.ridge = 0.001});
  DevicePrior prior = family.prior(VectorXd::Constant(1, 1.0));
  for (Index k = 0; k < kinds; ++k) {
    EXPECT_NEAR(family.slopeOf(k, 0), -1, 0.15);
    EXPECT_NEAR(family.constantOf(k), double(k), 0.2);
    EXPECT_NEAR(prior.mean[k], double(k) - 1, 0.3);
    EXPECT_NEAR(prior.covariance(k, (k + 1) % kinds), 0.25, 0.12);
  }
  EXPECT_NEAR(std::sqrt(family.prior(prior.mean.head(1)).variance), 0.05, 0.02);
}

TEST(Family, ShrinksBiasesOfWhatFewHaveMeasured) {
  std::vector<FamilyMember> members;
  std::mt19937 random(3);
  MatrixXd amounts = someAmounts(random, 10);
  for (size_t i = 0; i < 20; ++i) {
    FamilyMember member;
    member.sheet = VectorXd::Zero(0);
    member.measured = {amounts, logsOf(amounts, VectorXd::Zero(kinds))};
    member.measured.logs[0] += 0.2;
    for (size_t row = 0; row < 10; ++row)
      member.works.push_back(row == 1 ? 100 + i : row);
    members.push_back(std::move(member));
  }
  Family family(members, VectorXd::Zero(kinds));
  EXPECT_GT(family.biasOf(0), 0.05);
  EXPECT_LT(family.biasOf(0), 0.2);
  EXPECT_NEAR(family.biasOf(105), 0, 0.02);
  EXPECT_EQ(family.biasOf(999), 0);
  EXPECT_GT(family.varianceOf(999), family.varianceOf(0));
}

TEST(Family, KnowsWhichErrorsGoTogether) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  MatrixXd amounts = someAmounts(random, 10);
  std::vector<FamilyMember> members;
  for (size_t i = 0; i < 200; ++i) {
    FamilyMember member{VectorXd::Zero(0), {amounts, logsOf(amounts, VectorXd::Zero(kinds))}, {}};
    double both = 0.1 * normal(random);
    member.measured.logs[0] += both;
    member.measured.logs[1] -= both;
    for (size_t row = 0; row < 10; ++row) {
      member.measured.logs[static_cast<Index>(row)] += 0.05 * normal(random);
      member.works.push_back(row);
    }
    members.push_back(std::move(member));
  }
  Family family(members, VectorXd::Zero(kinds));
  MatrixXd correlation = family.errorCorrelation({0, 1, 999}, {0, 1, 2});
  EXPECT_GT(correlation(0, 0), 0.9);
  EXPECT_LT(correlation(0, 1), -0.5);
  EXPECT_LT(std::fabs(correlation(0, 2)), 0.4);
  EXPECT_EQ(correlation(2, 0), 0);
}

TEST(Family, CarriesErrorsOver) {
  // Figures are known, and a work of the first kind took 1 % longer. The first three are of that
  // kind, and the last of another one that went with it on other devices.
  DevicePrior prior{VectorXd::Zero(kinds), MatrixXd::Identity(kinds, kinds) * 1e-9, 0.01};
  MatrixXd one(1, kinds), amounts(4, kinds);
  one << 1, 1e-9, 1e-9;
  amounts << 2, 1e-9, 1e-9, 2, 1e-9, 1e-9, 2, 1e-9, 1e-9, 1e-9, 1, 1e-9;
  DeviceMeasurements measured{one, VectorXd::Constant(1, 0.01)};
  SeenErrors seen{MatrixXd::Identity(1, 1), MatrixXd(4, 1)};
  seen.between << 1, 0, -1, 1;
  PredictedLogs plain = predictedLogs(devicePosterior(prior, measured), amounts);
  PredictedLogs found =
      correctedLogs(prior, measured, devicePosterior(prior, measured), amounts, seen);
  VectorXd carried = found.logs - plain.logs;
  double all = 0.01 * 0.75 / (0.75 + 0.25 / 1.25); // the weight of what is no outlier is 1.25
  EXPECT_NEAR(carried[0], all, 1e-4);
  EXPECT_NEAR(carried[1], 0.3 * all, 1e-4);
  EXPECT_NEAR(carried[2], -0.4 * all, 1e-4);
  EXPECT_NEAR(carried[3], 0.7 * all, 1e-4);
  // What is left of the variance of errors, with the weight a little more than their own part.
  double left = errorTails * prior.variance + found.variances[0];
  EXPECT_GT(left, 0.25 * errorTails * prior.variance);
  EXPECT_LT(left, 0.5 * errorTails * prior.variance);
  EXPECT_GT(found.variances[1], found.variances[0]);
}

TEST(Family, LearnsWhatWorksAmountTo) {
  // No device has run all works, and nobody says what these are.
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  constexpr Index count = 30;
  MatrixXd amounts = someAmounts(random, count);
  auto device = [&] {
    VectorXd z(kinds);
    double common = normal(random);
    for (Index k = 0; k < kinds; ++k)
      z[k] = 0.5 * common + 0.3 * normal(random);
    return logsOf(amounts, z);
  };
  std::vector<FamilyMember> members;
  for (size_t i = 0; i < 24; ++i) {
    FamilyMember member;
    member.sheet = VectorXd::Zero(0);
    VectorXd logs = device();
    std::vector<double> measured;
    for (Index work = 0; work < count; ++work)
      if ((static_cast<size_t>(work) + i) % 4 != 0 && work != 7) {
        member.works.push_back(static_cast<size_t>(work));
        measured.push_back(logs[work] + 0.01 * normal(random));
      }
    member.measured.logs =
        Eigen::Map<VectorXd>(measured.data(), static_cast<Index>(measured.size()));
    members.push_back(std::move(member));
  }
  Family family(members, VectorXd::Zero(kinds), {.learnsWork = true});
  ASSERT_NE(family.works(), nullptr);
  EXPECT_TRUE(family.works()->knows(8));
  EXPECT_FALSE(family.works()->knows(7));
  VectorXd logs = device();
  std::vector<size_t> shots{0, 4, 9, 13, 17, 22, 26, 28}, others;
  for (size_t work = 0; work < count; ++work)
    if (work != 7 && std::find(shots.begin(), shots.end(), work) == shots.end())
      others.push_back(work);
  DeviceMeasurements known{family.works()->amountsOf(shots), VectorXd(8)};
  for (Index i = 0; i < 8; ++i)
    known.logs[i] = logs[static_cast<Index>(shots[static_cast<size_t>(i)])];
  DevicePosterior found = devicePosterior(family.prior(VectorXd::Zero(0)), known);
  PredictedLogs predicted = predictedLogs(found, family.works()->amountsOf(others));
  double error = 0;
  for (size_t i = 0; i < others.size(); ++i)
    error += std::abs(predicted.logs[static_cast<Index>(i)] - logs[static_cast<Index>(others[i])]);
  EXPECT_LT(error / static_cast<double>(others.size()), 0.06);
}

} // namespace
