// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a step goes with the memory of its chips and its run with their failures.
#include "backends/training/Reliability.h"
#include "backends/training/Train.h"
#include "ir/common/diagnostics/Training.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace perfc;
using namespace perfc::training;
using passes::Strategy;

/// The part of the memory that is largest, and what makes it smaller.
static std::string knobFor(const StageMemory &use, const Strategy &strategy) {
  double state = use.parameters + use.gradients + use.optimizer;
  if (use.activations + use.temporary >= state) {
    if (use.temporary > use.activations)
      return fmt::format("what a microbatch has at a time takes most: {} it",
                         strategy.microbatch > 1
                             ? "a smaller `microbatch` shrinks"
                             : "more `tensor` or `context` parallelism divides");
    if (strategy.recompute != passes::Recompute::Full)
      return "activations take most: `recompute full` keeps only the input of each layer";
    if (strategy.tensor > 1 && !strategy.sequence)
      return fmt::format("activations take most: `parallel sequence = {}` divides them",
                         strategy.tensor);
    if (strategy.microbatch > 1)
      return "activations take most: a smaller `microbatch` shrinks them";
    return "activations take most: more `tensor` or `context` parallelism divides them";
  }
  if (strategy.data * strategy.context > 1 && strategy.shard.names().empty())
    return "weights and their state take most: `shard optimizer` divides the optimizer's part "
           "among "
           "the data-parallel ranks";
  if (strategy.data * strategy.context > 1 && !strategy.shard.parameters)
    return "parameters and gradients take most: `shard parameters` divides them among the "
           "data-parallel ranks";
  if (strategy.shardGroups() > 1)
    return "weights and their state take most: `shard` among more `ranks` divides them further";
  return "weights and their state take most: more `tensor` or `pipeline` parallelism divides them";
}

/// False, reported with what helps, when the step does not fit into the memory.
bool training::checkMemory(const ir::Operation &train, const Step &step, const Strategy &strategy,
                           DiagnosticEngine &diagnostics) {
  if (step.fits)
    return true;
  SizeBase base = writtenBase(step.capacity);
  auto bytes = [&](double value) { return formatSize(std::round(value), base); };
  const StageMemory &use = step.summary.stages[step.worstStage];
  diagnostics
      .report(train.range(), diag::TrainingDoesNotFit, step.worstStage, bytes(use.total()),
              step.memory, bytes(step.capacity), bytes(step.missing))
      .note(fmt::format("parameters {}, gradients {}, optimizer {}, activations {}, temporary {}",
                        bytes(use.parameters), bytes(use.gradients), bytes(use.optimizer),
                        bytes(use.activations), bytes(use.temporary)))
      .help(knobFor(use, strategy));
  return false;
}

bool training::checkRun(const ir::Operation &train, const TrainingSummary &summary,
                        DiagnosticEngine &diagnostics) {
  if (summary.availability > Reliability::leastAvailability)
    return true;
  Reliability reliability = Reliability::read(train, summary.chips);
  auto seconds = [](double value) { return formatEngineering(value, BaseUnit::Second); };
  diagnostics.report(passes::rangeOf(train, "checkpoint", diagnostics), diag::BadTrainValue,
                     fmt::format("a run gets nowhere: failures come every {}, but a checkpoint "
                                 "after {} of work takes {} and a restart {}",
                                 seconds(reliability.mtbf), seconds(summary.checkpointInterval),
                                 seconds(summary.checkpointTime), seconds(reliability.restart)));
  return false;
}
