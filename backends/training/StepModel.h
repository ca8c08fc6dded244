// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One training step (docs/training.md) from what its graphs cost on one rank: layers are given to
// pipeline stages, the schedule is played, and what the data-parallel ranks exchange and the
// optimizer does is added.
#ifndef PERFC_BACKENDS_TRAINING_STEPMODEL_H
#define PERFC_BACKENDS_TRAINING_STEPMODEL_H

#include "backends/training/AxisNetwork.h"
#include "backends/training/GraphCost.h"
#include "backends/training/Schedule.h"

namespace perfc::training {

/// What the graphs of one division of the model take; pipeline, data, schedule and sharding of the
/// state may still be chosen.
struct ModelCosts {
  GraphCost forward, backward;
  double modelMacs = 0;  ///< of the forward pass of one sample, undivided
  double parameters = 0; ///< of the model
  int64_t batch = 1;     ///< samples in the graph
  int64_t sequence = 1;  ///< tokens of a sample
  std::vector<std::string> providers;
};

/// The step of a strategy.
struct Step {
  TrainingSummary summary;
  Figure energy;
  bool fits = true;
  /// The stage that does not fit and by how much (B).
  size_t worstStage = 0;
  double missing = 0;
};

class StepModel {
public:
  /// `train` names system and settings; `costs` are of a strategy with the same tensor, context,
  /// expert and sequence parallelism, microbatch and recompute.
  StepModel(const ir::Module &module, const ir::Operation &train, AxisNetwork &network);

  /// The step, or nothing when layers and stages do not go together (`problem` says why) or after
  /// a report. `withEvents` fills the timeline.
  llvm::Optional<Step> evaluate(const ModelCosts &costs, const passes::Strategy &strategy,
                                std::string &problem, bool withEvents = false);
  double capacity() const { return memoryCapacity; }
  llvm::StringRef memoryName() const { return memory; }
  /// FLOP/s of a chip in products.
  double peakRate() const { return peak; }

private:
  struct Build; ///< a step under construction

  bool divideLayers(Build &build, std::string &problem);
  void dealLayers(Build &build, llvm::ArrayRef<int64_t> counts);
  bool stageTimes(Build &build);
  double exposedTime(Build &build, const RegionCost &cost, double times, double share);
  bool pipeline(Build &build, bool withEvents);
  bool shareParameters(Build &build);
  bool shareGradients(Build &build);
  double amongReplicas(Build &build, const char *kind, double denseBytes, double expertBytes);
  void gatherLayer(Build &build, const RegionCost &forward, const RegionCost &backward,
                   double layers, StageTime &time);
  void optimizerStep(Build &build);
  void stateMemory(const Build &build, const RegionCost &forward, StageMemory &use);
  void memoryOf(Build &build);
  void finish(Build &build);
  llvm::Optional<double> collective(Build &build, llvm::StringRef kind, llvm::StringRef axis,
                                    double bytes);
  void note(Build &build, llvm::StringRef name, double bytes, double count, double total,
            double exposed);

  const ir::Operation &train;
  AxisNetwork &network;
  Runtime runtime;
  double memoryCapacity = 0, memoryBandwidth = 0;
  std::string memory;
  double peak = 0;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPMODEL_H
