// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Time on a chip: whole cycles of its clock where all figures are exact numbers (a transfer takes
// whole cycles, so it is rounded up), else seconds with their uncertainty.
#ifndef PERFC_BACKENDS_LOOPNEST_CHIPTIME_H
#define PERFC_BACKENDS_LOOPNEST_CHIPTIME_H

#include "ir/common/Quantity.h"
#include "llvm/ADT/Optional.h"

namespace perfc {
namespace loopnest {

struct ChipTime {
  Uncertain seconds;
  /// Where it is a whole number of the chip's cycles.
  llvm::Optional<int64_t> cycles = 0;
};

/// `amount` units of work at `rate` units per second, on a chip with `clock` (or none).
ChipTime timeFor(int64_t amount, const Quantity &rate, const llvm::Optional<Quantity> &clock);
/// The same for an amount of which a part takes as long as a whole unit; one that exceeds 64 bits
/// takes no whole number of cycles.
ChipTime timeFor(double amount, const Quantity &rate, const llvm::Optional<Quantity> &clock);

/// The later of the two.
ChipTime later(const ChipTime &a, const ChipTime &b);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_CHIPTIME_H
