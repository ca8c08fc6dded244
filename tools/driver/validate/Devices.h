// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chips of tables of measured kernels, and a program that has them with the libraries of
// kernels.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H
#define PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H

#include "ir/common/Uncertain.h"
#include "tools/driver/validate/Csv.h"

namespace perfc::driver {

/// What the library calls the `device` of a table.
std::string chipOfDevice(llvm::StringRef device);

/// For api::KernelPrices.
std::string kernelProgram();

/// Reads counts from the columns of a row; `problem` says which cell is none.
void readCounts(Session &session, const CsvTable &table, const CsvTable::Row &row,
                llvm::ArrayRef<std::pair<llvm::StringRef, int64_t *>> columns,
                std::string &problem);

/// The prediction of the column `latency_us`; skipped with `problem` where there are no `seconds`.
Prediction latencyOf(const CsvTable &table, const CsvTable::Row &row,
                     const llvm::Optional<Uncertain> &seconds, std::string problem);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H
