// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fit to a family of devices (api/fit/Family.h), and how well it predicts devices that it has
// not seen, from a few measurements of each: these are chosen by what is known before any is made.
#ifndef PERFC_API_FIT_FAMILYFIT_H
#define PERFC_API_FIT_FAMILYFIT_H

#include "api/fit/DeviceRows.h"

namespace perfc::api {

/// How rows of devices are predicted: of each device the mean of its errors, in percent, and of
/// these the median and the 90th percentile. Without a row, or a device whose rows have ranks,
/// there is no such figure.
struct DeviceStatistics {
  size_t rows = 0, devices = 0;
  size_t skipped = 0; ///< rows without a prediction
  llvm::Optional<double> median, p90;
  llvm::Optional<double> rank;    ///< the mean of Spearman's rank correlation
  llvm::Optional<double> covered; ///< share of the rows that are in their intervals
};

/// How many rows the errors of their device's measurements correct (api/fit/ErrorProcess.h), and
/// the cross-validated errors, as logarithms, by which that is decided.
struct Correction {
  size_t rows = 0;
  double without = 0, with = 0;
};

struct LeftOutRows {
  std::vector<ValidationRow> rows;
  llvm::Optional<Correction> correction; ///< where it is tried
};

class FamilyFit {
public:
  /// False after a report.
  bool read(FitRows &rows, const Fit &fit, DiagnosticEngine &diagnostics, unsigned threads);

  const Fit &fit() const { return *ofFit; }
  const DeviceRows &deviceRows() const { return measured; }
  /// Fitted to all devices; nothing where there are none.
  llvm::Optional<Family> all() const;

  /// The rows of each device as a family of the devices in other groups by the first label
  /// predicts them, with `shots` measurements of the device, or all without a number; of a second
  /// label, of works, groups are left out as well, from the family and the measurements. Where
  /// groups by the only label differ within a device it is one of works: all devices are in the
  /// family. Rows are skipped where no device is left. Groups leave one by one, more than 24 of
  /// them in eight parts, and those of works in at most seven; rows without a group are never left
  /// out. Whether errors of the measurements correct other rows, which needs that no works are left
  /// out, and how wide intervals are, is what parts want that are left out of that family in turn.
  LeftOutRows leaveOut(llvm::ArrayRef<std::string> labels, llvm::Optional<size_t> shots) const;
  /// The rows of each device as its chip in the program and `shots` measurements predict them.
  std::vector<ValidationRow> withShots(size_t shots) const;

  DeviceStatistics statistics(llvm::ArrayRef<ValidationRow> predicted) const;

private:
  llvm::Optional<Family> familyOf(llvm::function_ref<bool(const Device &)> isIn,
                                  llvm::function_ref<bool(const DeviceRow &)> isKnown) const;
  /// The groups by a label in parts; one part without a label.
  struct Parts {
    std::string label;
    std::map<std::string, size_t> parts;
    size_t count = 1;

    bool leave() const { return !label.empty(); }
  };
  struct Labels {
    Parts devices, works;
  };
  /// Which parts are left out: the last ones are predicted.
  struct LeftOut {
    std::vector<size_t> devices, works;
  };
  Labels partsOf(llvm::ArrayRef<std::string> labels) const;
  Parts partsBy(llvm::StringRef label, size_t most) const;
  /// Whether the rows of some device are in several groups by this label.
  bool differsWithinDevices(llvm::StringRef label) const;
  /// Whether the row is in one of these parts, where there are any.
  bool isIn(llvm::ArrayRef<size_t> out, const Parts &parts, const DeviceRow &row) const;
  llvm::Optional<Family> familyWithout(const Labels &labels, const LeftOut &out) const;

  /// How rows are predicted beside the figures.
  struct Tuning {
    bool corrects = false; ///< by errors of the measurements (api/fit/ErrorProcess.h)
    double wider = 1;      ///< intervals, by this factor
  };
  /// What other parts want that are left out as well, and the errors that decide it, without a
  /// count of rows.
  std::pair<Tuning, llvm::Optional<Correction>> tuningOf(const Labels &labels, const LeftOut &out,
                                                         size_t shots) const;
  std::vector<ValidationRow> predictParts(const Labels &labels, const LeftOut &out,
                                          const llvm::Optional<Family> &family, size_t shots,
                                          const Tuning &tuning) const;

  /// Which rows of a device may be measured, and which are predicted where they are not.
  struct Choice {
    llvm::function_ref<bool(const DeviceRow &)> isKnown, isWanted;
    bool isNew; ///< what is predicted has never been measured
    size_t shots;
    Tuning tuning;
  };
  void addUnusable(std::vector<ValidationRow> &into) const;
  void predict(const Device &device, const DevicePrior &prior, const Family *family,
               const Choice &choice, std::vector<ValidationRow> &into) const;

  FitRows *rows = nullptr;
  const Fit *ofFit = nullptr;
  unsigned threads = 1;
  DeviceRows measured;
};

} // namespace perfc::api

#endif // PERFC_API_FIT_FAMILYFIT_H
