// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compute side of a kernel: how long the units of a chip are busy with given work, and what
// energy that takes. Multiply-accumulates are spread over all units that do them; an element
// function runs on the fastest unit that lists it. Different units follow each other, which is
// right for kernels whose equations depend on each other and pessimistic by at most the number of
// units.
#ifndef PERFC_BACKENDS_CORE_COMPUTETIME_H
#define PERFC_BACKENDS_CORE_COMPUTETIME_H

#include "backends/core/Chip.h"
#include "backends/core/KernelWork.h"

namespace perfc {

/// Work on one compute unit.
struct UnitTime {
  std::string unit;
  SourceRange location;
  Uncertain latency;
  Figure energy;
};

struct ComputeTime {
  std::vector<UnitTime> units; ///< in the order of the chip
  Uncertain latency;           ///< their sum
  Uncertain macLatency;        ///< of the multiply-accumulates alone
  Figure energy;
  std::vector<std::string> notes;

  /// The unit that is busy longest, "" when there is no work.
  llvm::StringRef slowestUnit() const;
};

/// `work` on all of `chip`. Nothing when no unit can do a part of it (reported at `op`).
llvm::Optional<ComputeTime> computeTime(const Chip &chip, const KernelWork &work,
                                        const ir::Operation &op, DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_COMPUTETIME_H
