// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A `train` statement: its graphs (autodiff, shard) are costed on one rank, its strategy is checked
// against system and batch, and its step (StepModel.h) becomes a cost.
#ifndef PERFC_BACKENDS_TRAINING_TRAIN_H
#define PERFC_BACKENDS_TRAINING_TRAIN_H

#include "backends/core/Outcome.h"
#include "backends/training/StepModel.h"

namespace perfc::training {

/// Costs the lowered graphs of `train` in `module`; nothing after a report.
llvm::Optional<ModelCosts> modelCosts(const ir::Module &module, const ir::Operation &train,
                                      ProviderSet &providers, DiagnosticEngine &diagnostics);

/// False, reported with what helps, when the step does not fit into the memory.
bool checkMemory(const ir::Operation &train, const Step &step, const passes::Strategy &strategy,
                 DiagnosticEngine &diagnostics);

/// False, reported, when failures leave a run no time for its steps.
bool checkRun(const ir::Operation &train, const TrainingSummary &summary,
              DiagnosticEngine &diagnostics);

/// The step as a cost: kernels of a mean stage, collectives that are exposed, waiting, optimizer.
Outcome stepOutcome(const ir::Operation &train, const ModelCosts &costs, Step step,
                    const StepModel &model, const passes::Strategy &strategy);

/// Evaluates `train`, which has no holes; nothing after a report. A step that does not fit into the
/// memory is an error unless `beyondMemory` is set.
llvm::Optional<Outcome> evaluateTraining(const ir::Module &module, const ir::Operation &train,
                                         ProviderSet &providers, DiagnosticEngine &diagnostics,
                                         bool beyondMemory = false);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_TRAIN_H
