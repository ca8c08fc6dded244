// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which units of a chip run a statement: those of one block, which stand together in each element
// of the same arrays. Products run on the fastest unit without `ops`; an element function runs on
// the fastest unit that lists it, else on the fastest without `ops`. Of several blocks the one that
// lists most of the functions is taken, and of these the fastest, all copies together. A mapping
// that spreads a statement over the lanes of an array leaves the blocks inside of it.
#ifndef PERFC_PASSES_UNITCHOICE_H
#define PERFC_PASSES_UNITCHOICE_H

#include "passes/NestPlan.h"
#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

/// The fastest unit of `chip` for multiply-accumulates in `format`; null when it has none.
target::ComputeOp macUnit(const Chip &chip, DType format);

/// The unit of `chip` that runs `statement`, or takes longest of those that do, of the blocks
/// inside all of `arrays`; null when none can.
target::ComputeOp unitFor(const Chip &chip, const Statement &statement,
                          llvm::ArrayRef<const ir::Operation *> arrays = {});

/// The same, reported at the statement when no unit of the chip can run it (PERF0801).
target::ComputeOp unitOrReport(const Chip &chip, const Statement &statement,
                               DiagnosticEngine &diagnostics);

/// Gives `plan` the unit that runs it, and leaves the places on the way to it. False when none can
/// run it (PERF0801) inside of the arrays over which the plan is spread (PERF0681), or when loops
/// stand at another place (PERF0691); reported at the loop, else at `written`.
bool assignUnit(NestPlan &plan, SourceRange written, DiagnosticEngine &diagnostics);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_UNITCHOICE_H
