// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `perfc calibrate` and `perfc validate` say of fits to families of devices.
#ifndef PERFC_TOOLS_DRIVER_FAMILYREPORT_H
#define PERFC_TOOLS_DRIVER_FAMILYREPORT_H

#include "api/fit/ChipFit.h"
#include "tools/driver/Command.h"

namespace perfc::driver {

/// How rows were predicted, and of what they were left out: a line of the table.
struct PredictedDevices {
  std::string family;
  std::string leftOut;          ///< "device, network"
  llvm::Optional<size_t> shots; ///< none are all measurements of a device
  api::DeviceStatistics found;
  llvm::Optional<api::Correction> correction;
};

/// The rows of `fit` by the program's chips, or with the groups by `labels` left out by families of
/// the others, and `shots` measurements of each device, or all others without a number; adds what
/// is said of them to `lines`.
std::vector<api::ValidationRow> predictedBy(const api::FamilyFit &fit,
                                            llvm::ArrayRef<std::string> labels,
                                            llvm::Optional<size_t> shots,
                                            std::vector<PredictedDevices> &lines);

void printPredicted(Session &session, llvm::ArrayRef<PredictedDevices> all);
/// How many rows have no prediction, by the reason.
void printSkipped(Session &session, llvm::ArrayRef<llvm::ArrayRef<api::ValidationRow>> tables);
emit::Json predictedJson(llvm::ArrayRef<PredictedDevices> all);
/// Figures of a chip before and after its measurements, the errors of these, and what to measure
/// next.
void printChip(Session &session, llvm::StringRef chip, const api::ChipFit &fit, size_t next);
emit::Json chipJson(llvm::StringRef chip, const api::ChipFit &fit, size_t next);
/// The figures of a family, where it has devices: their median, and how far 90 % of them are at
/// most from it.
void printFamily(Session &session, const api::FamilyFit &fit,
                 const llvm::Optional<api::Family> &family);
emit::Json familyJson(const api::FamilyFit &fit, const llvm::Optional<api::Family> &family);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_FAMILYREPORT_H
