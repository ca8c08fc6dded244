// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `train` comes to: one step of a model on the ranks of a system. Figures are in SI units;
// docs/training.md has the formulas.
#ifndef PERFC_BACKENDS_CORE_TRAINING_H
#define PERFC_BACKENDS_CORE_TRAINING_H

#include "backends/core/StepProgram.h"
#include <functional>
#include <memory>

namespace perfc {

/// Bytes that a rank of a pipeline stage holds at the worst time.
struct StageMemory {
  int64_t layers = 0;
  double parameters = 0;
  double gradients = 0;
  double optimizer = 0;
  double activations = 0; ///< kept for the backward pass, of all microbatches under way
  double temporary = 0;   ///< the largest working set of a kernel, and gathered parameters
  double total() const { return parameters + gradients + optimizer + activations + temporary; }
};

/// One kind of communication of a step.
struct CommunicationTime {
  std::string name; ///< "all_gather tensor"
  double bytes = 0; ///< buffer of one
  double count = 0; ///< per rank and step
  double total = 0; ///< s per step
  double exposed = 0;
  double energy = 0; ///< J of all ranks; below 0 when the network does not give it
};

/// A task of one rank of a pipeline stage, as it was played.
struct ScheduledTask {
  int stage;
  char kind; ///< F, B or W (gradients of weights that were put off)
  int64_t microbatch;
  int64_t chunk;
  double start, end; ///< s
};

/// A strategy that no other beats in step time and memory, of those that a search tried.
struct StrategyPoint {
  std::string strategy;
  double stepTime = 0;
  double memory = 0;
  double energy = -1; ///< J of a step; below 0 when not given
};

struct TrainingSummary {
  double stepTime = 0;
  double samples = 0;       ///< per step
  double tokens = 0;        ///< per step; 0 of a model that reads none
  double modelFlops = 0;    ///< per step, without what is computed again
  double executedFlops = 0; ///< with what is computed again
  double peak = 0;          ///< FLOP/s of one chip in the format of the products
  int64_t chips = 1;
  int64_t microbatches = 1; ///< per data-parallel rank
  double bubble = 0;        ///< share of the step in which a stage waits for others
  double forward = 0;       ///< s of a microbatch on the slowest stage
  double backward = 0;
  double pipelineTime = 0; ///< s of all microbatches
  double optimizerTime = 0;
  double powerTime = 0;  ///< s of pipelineTime that the power limit adds to kernels, a mean stage
  double otherTime = 0;  ///< checkpoints, what the runtime adds to each step
  double parameters = 0; ///< of the model
  std::string strategy;  ///< in words
  std::vector<StageMemory> stages;
  std::vector<CommunicationTime> communication;
  /// Plays the schedule, which a timeline asks for; not given where there are too many tasks.
  std::function<std::vector<ScheduledTask>()> tasks;
  double droppedTokens = 0;      ///< share of the choices that experts at capacity drop
  double availability = 1;       ///< share of the time that failures and checkpoints leave
  double checkpointTime = 0;     ///< s to write one
  double checkpointInterval = 0; ///< s between two
  double steps = 1;              ///< of the run
  double runTime = 0;            ///< s of the run, with what is lost
  std::vector<StrategyPoint> front;

  double exposed() const {
    double sum = 0;
    for (const CommunicationTime &entry : communication)
      sum += entry.exposed;
    return sum;
  }
  /// s of a step with its share of failures and checkpoints.
  double effectiveStep() const { return stepTime / availability; }
  double mfu() const { return modelFlops / (peak * static_cast<double>(chips) * stepTime); }
  double hfu() const { return executedFlops / (peak * static_cast<double>(chips) * stepTime); }
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_TRAINING_H
