// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the points of a sweep that no other beats are printed, and those that are left out.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H
#define PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H

#include "backends/mapper/SweepRows.h"

namespace perfc::driver {

/// One table per sweep: what each point sets, and the values that were asked for.
void printFronts(llvm::raw_ostream &out, llvm::ArrayRef<mapper::Front> fronts, unsigned width,
                 bool color);

/// A line per sweep: how many of its results `require` has left out, and which conditions.
void printLeftOut(llvm::raw_ostream &out, llvm::ArrayRef<mapper::LeftOut> sweeps);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H
