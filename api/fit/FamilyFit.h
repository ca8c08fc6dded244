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
  /// predicts them, with `shots` measurements of the device; of a second label, groups are left
  /// out as well, from the family and the measurements. They are skipped where no device is left.
  /// Groups leave one by one, more than 24 of
  /// them in eight parts, and those of the second label in at most seven; rows without a group are
  /// never left out. Whether errors of the measurements correct other rows, which need no second
  /// label, and how wide intervals are, is what devices want that are left out of that family in
  /// turn.
  LeftOutRows leaveOut(llvm::ArrayRef<std::string> labels, size_t shots) const;
  /// The rows of each device as its chip in the program and `shots` measurements predict them.
  std::vector<ValidationRow> withShots(size_t shots) const;

  DeviceStatistics statistics(llvm::ArrayRef<ValidationRow> predicted) const;

private:
  llvm::Optional<Family> familyOf(llvm::function_ref<bool(const Device &)> isIn,
                                  llvm::function_ref<bool(const DeviceRow &)> isKnown) const;
  /// The groups of one or two labels in parts, and which of these are left out: the last ones are
  /// predicted.
  struct Parts {
    std::map<std::string, size_t> ofDevices, ofWorks;
    std::vector<std::string> labels;
    size_t devices, works; ///< how many
  };
  struct LeftOut {
    std::vector<size_t> devices, works;
  };
  Parts partsOf(llvm::ArrayRef<std::string> labels) const;
  std::map<std::string, size_t> partsBy(llvm::StringRef label, size_t most) const;
  size_t partOf(const std::map<std::string, size_t> &parts, llvm::StringRef label,
                const DeviceRow &row) const;
  /// Whether what the row ran is in one of these parts, where works are in any.
  bool isIn(llvm::ArrayRef<size_t> works, const Parts &parts, const DeviceRow &row) const;
  llvm::Optional<Family> familyWithout(const Parts &parts, const LeftOut &out) const;

  /// How rows are predicted beside the figures.
  struct Tuning {
    bool corrects = false; ///< by errors of the measurements (api/fit/ErrorProcess.h)
    double wider = 1;      ///< intervals, by this factor
  };
  /// What other parts want that are left out as well, and the errors that decide it, without a
  /// count of rows.
  std::pair<Tuning, llvm::Optional<Correction>> tuningOf(const Parts &parts, const LeftOut &out,
                                                         size_t shots) const;
  std::vector<ValidationRow> predictParts(const Parts &parts, const LeftOut &out,
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
