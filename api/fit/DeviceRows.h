// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a table as measurements of devices: sums of amounts by kinds of work, each times a
// figure of the chip's `layers`. Amounts follow from one evaluation of a row with figures that are
// sources of intervals; rows of the same work share it. A row whose time is no such sum is an
// error, but where works are learnt.
#ifndef PERFC_API_FIT_DEVICEROWS_H
#define PERFC_API_FIT_DEVICEROWS_H

#include "api/fit/Family.h"
#include "api/fit/FitRows.h"
#include <map>

namespace perfc::api {

/// A figure of `layers` as z: the logarithm of ms for 10^6 multiply-accumulates, 4 MB or a kernel.
struct LayerFigure {
  std::string key; ///< "pointwise.int8"
  Dimension dimension;

  double logOf(double figure) const;
  double figureOf(double z) const;
  /// A value as the program writes it, "12.5GFLOP/s".
  std::string text(double value, unsigned digits) const;
  /// Of the logarithm of an amount of its work: multiply-accumulates, bytes or kernels.
  double countOf(double log) const;
};

/// A row with what was measured.
struct DeviceRow {
  size_t number;                  ///< in FitRows
  const Eigen::VectorXd *amounts; ///< null where they are learnt, and the program knows none
  double log;
  size_t work = 0; ///< what was run, by number
};

/// One device as it was set up: a group of rows that have figures of their own.
struct Device {
  std::string name;
  Eigen::VectorXd sheet;
  std::vector<DeviceRow> rows;
  std::vector<DeviceRow> open; ///< not measured yet

  DeviceMeasurements measured(llvm::ArrayRef<size_t> places) const;
};

/// Puts a prediction, by its logarithm and variance, into what is fitted of `row`.
void setPredicted(ValidationRow &row, const Fit &fit, double log, double variance);
/// Takes it away, for a reason.
void setSkipped(ValidationRow &row, const Fit &fit, llvm::StringRef reason);

class DeviceRows {
public:
  /// The rows that `fit`, which has a family, is fitted to, which may be none; false after a
  /// report.
  bool read(FitRows &rows, const Fit &fit, DiagnosticEngine &diagnostics);

  const Fit &fit() const { return *ofFit; }
  llvm::ArrayRef<LayerFigure> figures() const { return list; }
  const std::vector<Device> &devices() const { return members; }
  /// Rows, by number, whose measurement is 0: it has no logarithm.
  llvm::ArrayRef<size_t> unusable() const { return notAboveZero; }
  /// The chip of the first device.
  const FitRows::LayeredChip &chip() const { return chips.front(); }
  /// Where fits of families begin.
  const Eigen::VectorXd &begin() const { return start; }
  /// The names of works, by number.
  llvm::ArrayRef<std::string> works() const { return namesOfWorks; }
  /// What the chip of the device says before it is measured, by its intervals.
  DevicePrior writtenPrior(const Device &device) const;

private:
  bool readDevices(DiagnosticEngine &diagnostics);
  bool readFigures(DiagnosticEngine &diagnostics);
  bool readAmounts(DiagnosticEngine &diagnostics);

  FitRows *rows = nullptr;
  const Fit *ofFit = nullptr;
  std::vector<LayerFigure> list;
  std::vector<Device> members;
  std::vector<FitRows::LayeredChip> chips; ///< of each device
  std::vector<size_t> notAboveZero;
  std::vector<std::string> namesOfWorks;
  std::map<std::string, Eigen::VectorXd> amountsOfWork;
  Eigen::VectorXd start;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_DEVICEROWS_H
