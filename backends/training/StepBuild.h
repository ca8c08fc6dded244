// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step while StepModel puts it together: from layers to stages, to their times, to the schedule,
// to what is added behind it. Private to StepModel's files.
#ifndef PERFC_BACKENDS_TRAINING_STEPBUILD_H
#define PERFC_BACKENDS_TRAINING_STEPBUILD_H

#include "backends/training/StepModel.h"
#include "llvm/ADT/STLExtras.h"

namespace perfc::training {

/// The layers of one kind on a stage, or what stands before the first or behind the last layer.
struct StepModel::StagePart {
  const RegionCost &forward, &backward; ///< of one run
  std::vector<double> runs;             ///< by chunk, for each microbatch

  double count() const {
    double sum = 0;
    for (double some : runs)
      sum += some;
    return sum;
  }
};

struct StepModel::Build {
  const ModelCosts &costs;
  const passes::Strategy &strategy;
  Step step; ///< its stages have their layers first, then their chips
  double microbatches = 1;
  std::vector<RegionCost> forward, backward;
  std::vector<StageTime> times; ///< of the chunks of the first stage, then of the next
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

  size_t stageCount() const { return step.stages.size(); }
  /// Stretches of layers that a stage has.
  int64_t chunks() const {
    bool isCut = strategy.schedule == passes::ScheduleKind::Interleaved && strategy.pipeline > 1;
    return isCut ? strategy.chunks : 1;
  }
  double share() const { return 1.0 / static_cast<double>(stageCount()); }
  /// What stage `stage` runs on a kind of chip.
  std::vector<StagePart> partsOf(size_t stage, const ModelCosts::OnChip &graphs) const;
  /// Adds `time` to the chunks of a stage as often as they run `part`.
  void addTime(size_t stage, const StagePart &part, const StageTime &time);
  /// All chunks of stage `stage`.
  StageTime timeOf(size_t stage) const;
  int64_t stageRanks() const { return strategy.tensor * strategy.context * strategy.data; }
};

/// Bytes of optimizer state per element.
double stateBytes(const passes::Strategy &strategy);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPBUILD_H
