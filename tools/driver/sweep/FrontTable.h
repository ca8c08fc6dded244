// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the points of a sweep, or the mappings of a search, that no other beats are printed, and the
// points that are left out.
#ifndef PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H
#define PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H

#include "backends/emit/Json.h"
#include "backends/mapper/FoundMapping.h"
#include "backends/mapper/SweepRows.h"

namespace perfc::driver {

/// One table per sweep: what each point sets, and the values that were asked for.
void printFronts(llvm::raw_ostream &out, llvm::ArrayRef<mapper::Front> fronts, unsigned width,
                 bool color);

/// A line per sweep: how many of its results `require` has left out, and which conditions.
void printLeftOut(llvm::raw_ostream &out, llvm::ArrayRef<mapper::LeftOut> sweeps);
emit::Json leftOutJson(llvm::ArrayRef<mapper::LeftOut> sweeps);

/// The values of the mappings of a search; of many, `limit` of them, spread evenly.
void printFront(llvm::raw_ostream &out, const mapper::FoundFront &front, size_t limit,
                unsigned width, bool color);
/// The same as JSON, with the mappings as text: `proven` and `points`.
emit::Json frontJson(const mapper::FoundFront &front);

/// The fronts as JSON: `of` how many results, and `points` with `point`, `label` and each value.
emit::Json frontsJson(llvm::ArrayRef<mapper::Front> fronts);

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_SWEEP_FRONTTABLE_H
