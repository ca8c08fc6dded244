// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rate at which a compute unit runs a number format: its own, else that of the fastest format
// that holds every value exactly.
#ifndef PERFC_IR_TARGET_UNITRATES_H
#define PERFC_IR_TARGET_UNITRATES_H

#include "ir/target/TargetOps.h"

namespace perfc::target {

/// The formats that represent every value of `dtype`, so that running in them changes no result.
llvm::ArrayRef<DType> exactContainers(DType dtype);

/// Operations per second (multiply-accumulates or element functions) of one copy of a unit.
struct UnitRate {
  DType format; ///< what runs
  bool forAll;  ///< the unit has one rate for all formats
  Quantity rate;
};

/// The rate of `unit` in `dtype`, or else in the fastest format that holds it; nothing when it has
/// neither.
llvm::Optional<UnitRate> unitRate(ComputeOp unit, DType dtype);

/// Of units that stand together, the one for an element function: the fastest that lists it, else
/// the fastest without `ops`; null when there is none. One without a rate is the slowest.
ComputeOp unitForFunction(llvm::ArrayRef<ComputeOp> units, llvm::StringRef function, DType dtype);

/// Of units that stand together, the fastest for multiply-accumulates; null when there is none.
ComputeOp unitForMacs(llvm::ArrayRef<ComputeOp> units, DType dtype);

} // namespace perfc::target

#endif // PERFC_IR_TARGET_UNITRATES_H
