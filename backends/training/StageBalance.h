// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many layers each pipeline stage gets. A stage with n layers takes t(n) = fixed + n * perLayer
// for a microbatch (the first also embeds, the last has the output layer, slow chips have a larger
// slope) and holds at most `most` of them. Giving each layer to the stage that is then the fastest
// makes the slowest stage as fast as any division does (a separable min-max problem: greedy is
// exact). No division of p stages runs m microbatches in less than, over k and S,
//     sum of t before stage k + m t_k + max(0, 2 S - (p - k) t_k),  S the sum of t behind k
// under one_f_one_b, where k waits for the first microbatch to come back with p - k others to work
// on, and for the last one likewise; under other schedules in less than m t_k.
//
// Layers of several kinds (dense ones, then experts) stay in their order, so a stage has a stretch
// of them. For a given pace, stages that each take as many layers as they can, from the last to the
// first, cover all layers if any division does; the least such pace is found by bisection.
#ifndef PERFC_BACKENDS_TRAINING_STAGEBALANCE_H
#define PERFC_BACKENDS_TRAINING_STAGEBALANCE_H

#include "passes/training/Strategy.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace perfc::training {

/// A stage by its layers: s of a microbatch forward and backward, and how many fit.
struct StageLine {
  double fixed = 0, perLayer = 0;
  int64_t most = INT64_MAX;
  int64_t least = 1; ///< layers that it needs for its chunks: the first and last have others to run

  double at(int64_t layers) const { return fixed + perLayer * static_cast<double>(layers); }
};

/// A stage by its layers where these are of several kinds: s and B of each, and B that it holds.
struct MixedStage {
  double fixed = 0;
  std::vector<double> perLayer; ///< s, by kind
  double memory = 0;
  std::vector<double> layerMemory; ///< B, by kind
  double capacity = 0;             ///< B; 0 for any
  int64_t least = 1;               ///< as in StageLine
  double emptyMemory = 0;          ///< B that it holds without layers, where it needs none
};

/// Stages whose layers are all of one kind.
std::vector<StageLine> linesOf(llvm::ArrayRef<MixedStage> stages);

/// The division of `layers` with the fastest slowest stage, each with as many layers as it needs;
/// empty when they do not fit. Ties go to later stages, which hold fewer microbatches.
std::vector<int64_t> balancedStages(llvm::ArrayRef<StageLine> lines, int64_t layers);

std::vector<int64_t> balancedStages(llvm::ArrayRef<MixedStage> stages,
                                    llvm::ArrayRef<int64_t> layers);

/// What a pipeline whose stages have so many layers each takes at the least, and what its fullest
/// stage holds (B).
std::pair<double, double> leastOfDivision(llvm::ArrayRef<MixedStage> stages,
                                          llvm::ArrayRef<int64_t> layers,
                                          llvm::ArrayRef<int64_t> counts, int64_t microbatches,
                                          passes::ScheduleKind schedule);
/// What the fullest stage holds at the least, B, however the layers are divided.
double leastMemory(llvm::ArrayRef<MixedStage> stages, int64_t layers);

/// What no division of `layers` is faster than; infinity when none fits. With several kinds
/// `layers` has the number of each, in their order.
double leastPipelineTime(llvm::ArrayRef<StageLine> lines, int64_t layers, int64_t microbatches,
                         passes::ScheduleKind schedule);
double leastPipelineTime(llvm::ArrayRef<MixedStage> stages, llvm::ArrayRef<int64_t> layers,
                         int64_t microbatches, passes::ScheduleKind schedule);

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STAGEBALANCE_H
