// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step while StepModel puts it together: from layers to stages, to their times, to the schedule,
// to what is added behind it. Private to StepModel's files.
#ifndef PERFC_BACKENDS_TRAINING_STEPBUILD_H
#define PERFC_BACKENDS_TRAINING_STEPBUILD_H

#include "backends/training/StepModel.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::training {

struct StepModel::Build {
  const ModelCosts &costs;
  const passes::Strategy &strategy;
  Step step;
  double microbatches = 1;
  std::vector<std::vector<double>> layers; ///< by stage, then by kind of layer
  std::vector<RegionCost> forward, backward;
  std::vector<const ir::Operation *> chips; ///< the slowest kind of each stage
  std::vector<StageTime> times;
  std::vector<double> inFlight; ///< microbatches that wait for their backward pass, by stage
  std::vector<double> waiting;  ///< those behind it that wait for their gradients of weights
  Figure networkEnergy;
  bool withEvents = false;
  bool failed = false;

  /// Keeps what the network says of a collective, each thing once.
  void keepNotes(const Cost &collective) {
    for (const std::string &note : collective.notes)
      if (withEvents && !llvm::is_contained(step.notes, note))
        step.notes.push_back(note);
    if (withEvents)
      step.errors.add(collective.errors);
  }

  double share() const { return 1.0 / static_cast<double>(layers.size()); }
  int64_t stageRanks() const { return strategy.tensor * strategy.context * strategy.data; }
};

/// Bytes of optimizer state per element.
double stateBytes(const passes::Strategy &strategy);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPBUILD_H
