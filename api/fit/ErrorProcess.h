// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Correlated errors of one device, so that those of its measurements tell those of its other
// works: a Gaussian process (Rasmussen and Williams, 2006). Three quarters of their variance v are
// shared,
//     cov(e_i, e_j) = 3/4 v (0.7 r_ij + 0.3 exp(-|p_i - p_j|^2 / 2 0.35^2))
// with the correlation r of both works' errors on other devices, and the roots p of the shares of
// kinds of work in a time; the rest each work has on its own.
#ifndef PERFC_API_FIT_ERRORPROCESS_H
#define PERFC_API_FIT_ERRORPROCESS_H

#include "api/fit/DevicePosterior.h"

namespace perfc::api {

/// Correlations of errors on other devices, between what was measured, and between what is
/// predicted (rows) and that.
struct SeenErrors {
  Eigen::MatrixXd measured, between;
};

/// As `predictedLogs`, by the figures and the errors of the measurements together, which are taken
/// for linear where the posterior `known` has its mode. Variances are less what the measurements
/// tell of errors.
PredictedLogs correctedLogs(const DevicePrior &prior, const DeviceMeasurements &measured,
                            const DevicePosterior &known, const Eigen::MatrixXd &amounts,
                            const SeenErrors &seen);

} // namespace perfc::api

#endif // PERFC_API_FIT_ERRORPROCESS_H
