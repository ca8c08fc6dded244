// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step while StepModel puts it together: from layers to stages, to their times, to the schedule,
// to what is added behind it. Private to StepModel's files.
#ifndef PERFC_BACKENDS_TRAINING_STEPBUILD_H
#define PERFC_BACKENDS_TRAINING_STEPBUILD_H

#include "backends/training/StepModel.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

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
  /// Where set, the step is to be no longer and to need no less than that of any of these.
  const passes::StrategyVariants *variants = nullptr;
  const passes::PipelineOrder *order = nullptr; ///< of a step that is played
  Step step; ///< its stages have their layers first, then their chips
  double microbatches = 1;
  std::vector<RegionCost> forward, backward;
  std::vector<StageTime> times; ///< of the chunks of the first stage, then of the next
  std::vector<double> inFlight; ///< microbatches that wait for their backward pass, by stage
  std::vector<double> waiting;  ///< those behind it that wait for their gradients of weights
  Figure networkEnergy;
  bool withEvents = false;
  bool failed = false;
  struct Least {
    std::string kind, axis;
    double bytes, seconds;
  };
  std::vector<Least> least; ///< of all variants, by collective
  /// What one probe knows that the next one asks again, where the network is uniform: exposed s of
  /// the collectives of a part, and what a stage sends in.
  struct Probe {
    std::map<const RegionCost *, double> exposed;
    std::map<int64_t, Exchange> sends;
  };
  Probe *probe = nullptr;

  /// Keeps what the network says of a collective, each thing once.
  void keepNotes(const Cost &collective) {
    for (const std::string &note : collective.notes)
      if (withEvents && !llvm::is_contained(step.notes, note))
        step.notes.push_back(note);
    if (withEvents)
      step.errors.add(collective.errors);
  }

  size_t stageCount() const { return step.stages.size(); }
  int64_t chunks() const { return strategy.chunksOfStages(); }
  double share() const { return 1.0 / static_cast<double>(stageCount()); }
  /// True where stage `stage` reads a weight of several parts.
  bool reads(const GraphCost::SharedWeight &shared, size_t stage) const;
  void findSharedWeights();
  /// What stage `stage` runs on a kind of chip.
  std::vector<StagePart> partsOf(size_t stage, const ModelCosts::OnChip &graphs) const;
  /// Adds `time` to the chunks of a stage as often as they run `part`.
  void addTime(size_t stage, const StagePart &part, const StageTime &time);
  /// All chunks of stage `stage`.
  StageTime timeOf(size_t stage) const;
  int64_t stageRanks() const { return strategy.tensor * strategy.context * strategy.data; }
  /// The chips of a stage.
  passes::ChipSet chipsAt(size_t stage) {
    if (pipelineStride == 0)
      pipelineStride = strategy.pipeline > 1 ? placeOf(strategy, "pipeline").stride() : 1;
    auto number = static_cast<int64_t>(stage);
    return strategy.pipeline == 1 ? passes::stageChips(strategy, number)
                                  : passes::ChipSet{number * pipelineStride, pipelineStride,
                                                    strategy.pipeline * pipelineStride};
  }
  int64_t pipelineStride = 0; ///< once it is asked for
  /// Ranks among which a stage's state is divided: experts have fewer than the rest.
  double sharers(bool ofExperts) const {
    double &known = sharersOf[ofExperts];
    if (known == 0)
      known = static_cast<double>(placeOf(strategy, ofExperts ? "expert_shard" : "shard").ranks());
    return known;
  }
  mutable double sharersOf[2] = {0, 0}; ///< once they are asked for
};

/// Bytes of optimizer state per element.
double stateBytes(const passes::Strategy &strategy);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPBUILD_H
