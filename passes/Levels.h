// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At which level an evaluation computes its kernels, and on which chip.
#ifndef PERFC_PASSES_LEVELS_H
#define PERFC_PASSES_LEVELS_H

#include "ir/common/Providers.h"
#include "ir/core/Module.h"
#include "ir/study/ServeOps.h"
#include "ir/target/TargetOps.h"

namespace perfc {
namespace passes {

using Level = KernelLevel;

/// The level of the provider that `using` names. Without it: LoopNest with a mapping, on a chip
/// that dispatches no blocks, and for an accelerator, which has an array that is not dispatched
/// with a compute unit inside, and a memory on the chip with a capacity or an energy; Whole for
/// everything else, such as a part of a chip whose elements hold the tensors among them, so that no
/// memory hands them out.
Level levelFor(study::EvaluateOp evaluate, target::ChipOp chip);
/// That of the batches of `serve`: what its `costs` names. Without it, and without a table of
/// times: Tile on a chip whose generation has libraries, else Whole.
Level levelFor(study::ServeOp serve, target::ChipOp chip);

/// True when kernels run as loop nests: at loop-nest level, and at tile level on a chip that does
/// not dispatch blocks, where a block is a pass of a nest. It depends on nothing but the
/// evaluation, since other evaluations of the module may have made nests of the same kernels.
bool runsAsNests(Level level, target::ChipOp chip);

/// The chip that `on` names, or the first chip in that system; null when there is none.
target::ChipOp chipOf(const ir::Module &module, llvm::StringRef on);
/// The same for an evaluation; when there is none, reports it.
target::ChipOp chipOf(study::EvaluateOp evaluate, DiagnosticEngine &diagnostics);

/// The part of the chip that runs `kernel` in `evaluate` (see `place`); the chip itself where the
/// evaluation has no parts.
target::ChipOp chipFor(study::EvaluateOp evaluate, llvm::StringRef kernel, target::ChipOp chip);
/// The parts of its chip that `evaluate` runs on, each once; the chip itself where it has none.
std::vector<target::ChipOp> chipsOf(study::EvaluateOp evaluate, target::ChipOp chip);

/// The kinds of chips in the system or chip `on`.
std::vector<target::ChipOp> chipsOf(const ir::Module &module, llvm::StringRef on);
/// True when the chip runs kernels as blocks that it hands to its units.
bool dispatchesBlocks(target::ChipOp chip);

/// Chips in the system or chip `on`; 1 for a chip.
int64_t chipCount(const ir::Module &module, llvm::StringRef on);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_LEVELS_H
