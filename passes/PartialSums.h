// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Number formats of partial sums, which a chip or a memory names (`partial int32`), become bits by
// memory in the result of a nest.
#ifndef PERFC_PASSES_PARTIALSUMS_H
#define PERFC_PASSES_PARTIALSUMS_H

#include "ir/common/Diagnostics.h"
#include "passes/analysis/Chip.h"
#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

/// Format of a partial sum of what `statement` writes in the memory `place`; that of the result
/// where it adds nothing up or the chip gives no other format.
DType partialFormat(const Statement &statement, const Place &place);

/// A sum is never added up in fewer bits than it has in the end: PERF1056.
bool checkPartial(const Chip &chip, const Statement &statement, DiagnosticEngine &diagnostics);

/// Gives `tensor`, a loopnest.tensor for the result of `statement`, its `partial` where that
/// differs from the bits of the result.
void setPartial(ir::Operation &tensor, const Chip &chip, const Statement &statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_PARTIALSUMS_H
