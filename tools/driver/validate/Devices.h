// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The chips of tables of measured kernels, and a program that has them with the libraries of
// kernels.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H
#define PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H

#include "llvm/ADT/StringRef.h"
#include <string>

namespace perfc::driver {

/// The chip of the library that is called `device` in tables; "" for none.
std::string chipOfDevice(llvm::StringRef device);

/// For api::KernelPrices.
std::string kernelProgram();

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_DEVICES_H
