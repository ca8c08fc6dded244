// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which layers each pipeline stage has, and in which order it runs microbatches: what
// schedule-pipeline writes down for a `train`, and what a search over strategies makes for each one
// that it tries. A stage's order is a few runs of passes: those that fill the pipeline, a forward
// and a backward pass in turn, those that drain it.
#ifndef PERFC_PASSES_TRAINING_STEPPLAN_H
#define PERFC_PASSES_TRAINING_STEPPLAN_H

#include "ir/collective/CollectiveOps.h"
#include "ir/core/Module.h"
#include "ir/phase/PhaseOps.h"
#include "passes/training/Strategy.h"

namespace perfc {
namespace passes {

/// Layers of one kind, one behind the other.
struct LayerKind {
  int64_t count = 0;
  bool isKept = false; ///< the layers before it are the same, and recompute
};

/// `forward` forward passes, then `backward` backward ones; that `times` times.
struct TaskRun {
  int64_t forward = 0, backward = 0, times = 1;
};

/// One pass of a microbatch through the layers of a chunk.
struct StageTask {
  bool isBackward = false;
  int64_t microbatch = 0;
  int64_t chunk = 0;
};

/// In which order the stages of a pipeline run their passes.
struct PipelineOrder {
  ScheduleKind kind = ScheduleKind::OneFOneB;
  int64_t microbatches = 1;
  int64_t chunks = 1;
  std::vector<std::vector<TaskRun>> runs; ///< by stage

  int64_t stages() const { return static_cast<int64_t>(runs.size()); }
  /// The passes of `stage` one by one. Chunks of an interleaved schedule take turns in rounds of as
  /// many microbatches as there are stages (Narayanan et al., SC 2021, section 2.2).
  std::vector<StageTask> tasksOf(int64_t stage) const;
};

/// The order that `kind` gives `stages` stages.
PipelineOrder orderOf(ScheduleKind kind, int64_t stages, int64_t microbatches, int64_t chunks);
/// True unless the rounds of p microbatches of an interleaved schedule leave a rest, which has no
/// order.
bool hasWholeRounds(ScheduleKind kind, int64_t stages, int64_t microbatches, int64_t chunks);

struct StepPlan {
  /// By stage and chunk: the kinds of its layers, in order.
  std::vector<std::vector<std::vector<uint32_t>>> layers;
  PipelineOrder order;
};

/// As many layers for each stage of `strategy`; embedding and output layer may count as one layer
/// each where that makes it even (as in Llama 3, section 3.3.2). Empty where it does not.
std::vector<int64_t> evenStages(const Strategy &strategy, int64_t layers);

/// The layers that `stage` has at least: one for each chunk, but for what stands before the layers,
/// on the first, and behind them, on the last.
int64_t leastLayers(const Strategy &strategy, int64_t stage);

/// The plan for a model of `kinds`; nothing where layers and stages do not go together (`problem`
/// says why).
llvm::Optional<StepPlan> planStep(const Strategy &strategy, llvm::ArrayRef<LayerKind> kinds,
                                  std::string &problem);

/// The layers of `graph` on `chip`, by kind.
std::vector<phase::SequenceOp> layerSequences(const ir::Module &module, llvm::StringRef graph,
                                              llvm::StringRef chip);
/// The plan that the program of a `train` holds.
StepPlan readPlan(const ir::Module &module, collective::ProgramOp program);
/// How many layers of each kind the stages of a program have, as far as they have any.
std::vector<std::vector<int64_t>> layerCounts(const ir::Module &module,
                                              collective::ProgramOp program);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_STEPPLAN_H
