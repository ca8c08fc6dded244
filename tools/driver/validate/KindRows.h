// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a table of any kind, predicted: by a program of the library or by a kind in
// Kinds.cpp.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_KINDROWS_H
#define PERFC_TOOLS_DRIVER_VALIDATE_KINDROWS_H

#include "tools/driver/FamilyReport.h"
#include "tools/driver/validate/Kind.h"
#include "tools/driver/validate/TableFile.h"

namespace perfc::driver {

/// The kind of that name in Kinds.cpp; null for a program and for no kind.
const TableKind *findKind(llvm::StringRef name);

/// Rows of families of devices that are predicted, and how well: a line for each family.
struct PredictedRows {
  std::vector<ValidationRow> rows;
  std::vector<PredictedDevices> families;
  /// Those with none of the metrics that families predict: as the program predicts them.
  std::vector<ValidationRow> ofNoFamily;
  std::vector<ValidationRow> leftOut; ///< that the program skips

  /// All that have a prediction, or a reason for none.
  std::vector<ValidationRow> all() const;
};

/// Devices of families, as their chips and `shots` measurements of each predict the other rows:
/// by the program, or with the groups by `labels` left out by a family of all others. Nothing where
/// the program has no families, and after a report.
llvm::Optional<PredictedRows> predictFamilies(Session &session, const TableFile &table,
                                              llvm::ArrayRef<std::string> labels, size_t shots,
                                              unsigned threads);

/// Predicts each row of the table `path` of that kind as `perfc validate` does, devices of families
/// with so many measurements of each; false when it cannot be read or there is no such kind
/// (reported).
bool predictRows(Session &session, llvm::StringRef kind, llvm::StringRef path, size_t shots,
                 unsigned threads, std::vector<ValidationRow> &rows);

/// Each group's rows by `label` as a fit of the program's `calibrate` statements to all others
/// predicts them; nothing after a report.
llvm::Optional<std::vector<ValidationRow>> leaveOutRows(Session &session, const TableFile &table,
                                                        llvm::StringRef label, unsigned threads);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_KINDROWS_H
