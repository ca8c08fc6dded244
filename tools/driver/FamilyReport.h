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
  std::string leftOut; ///< "device, network"
  size_t shots;
  api::DeviceStatistics found;
};

void printPredicted(Session &session, llvm::ArrayRef<PredictedDevices> all);
/// How many rows have no prediction, by the reason.
void printSkipped(Session &session, llvm::ArrayRef<llvm::ArrayRef<api::ValidationRow>> tables);
emit::Json predictedJson(llvm::ArrayRef<PredictedDevices> all);
/// Figures of a chip before and after its measurements, the errors of these, and what to measure
/// next.
void printChip(Session &session, llvm::StringRef chip, const api::ChipFit &fit, size_t next);
/// The figures of a family: the median of its devices, and how far 90 % of them are at most from
/// it.
void printFamily(Session &session, const api::FamilyFit &fit, const api::Family &family);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_FAMILYREPORT_H
