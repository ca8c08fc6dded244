// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One training step (docs/training.md) from what its graphs cost on one rank: layers are given to
// pipeline stages, the schedule is played, and what the data-parallel ranks exchange and the
// optimizer does is added.
#ifndef PERFC_BACKENDS_TRAINING_STEPMODEL_H
#define PERFC_BACKENDS_TRAINING_STEPMODEL_H

#include "backends/core/Chip.h"
#include "backends/core/RankNetwork.h"
#include "backends/core/Training.h"
#include "backends/training/GraphCost.h"
#include "backends/training/Schedule.h"
#include "backends/training/StageBalance.h"
#include "passes/training/StepPlan.h"
#include "passes/training/StrategyPlace.h"
#include "passes/training/WeightExchanges.h"
#include <map>

namespace perfc::training {

/// What the graphs of one division of the model take; pipeline, data, schedule and sharding of the
/// state may still be chosen.
struct ModelCosts {
  struct OnChip {
    std::string chip; ///< its symbol: searches cost copies of the module
    GraphCost forward, backward;
  };
  std::vector<OnChip> kinds; ///< on each kind of chip, in the order of the system
  const GraphCost &forward() const { return kinds.front().forward; }
  const GraphCost &backward() const { return kinds.front().backward; }
  const OnChip &on(const ir::Operation *chip) const {
    for (const OnChip &kind : kinds)
      if (kind.chip == chip->symbol())
        return kind;
    return kinds.front();
  }
  double modelMacs = 0;     ///< of the forward pass of one sample, undivided
  double modelStepMacs = 0; ///< of both passes
  double parameters = 0;    ///< of the model
  double trainedParameters = 0, parameterBytes = 0;
  int64_t batch = 1;    ///< samples in the graph
  int64_t sequence = 0; ///< tokens of a sample; 0 where it has none
  KernelSources sources;
};

/// The share of a chip's memory that a search fills at the most. What the model does not know, the
/// allocator, libraries and buffers of the network, takes the rest; serving systems plan with the
/// same share (vLLM's `gpu_memory_utilization` is 0.9 by default).
inline constexpr double plannedShare = 0.9;

/// What stages send to each other, as tables call it.
inline constexpr llvm::StringLiteral sendName = "send pipeline";

/// The layers of a stage, and the chip that sets its pace.
struct StagePlan {
  /// Of each chunk the kinds of its layers in order, as GraphCost::layers counts them.
  std::vector<std::vector<uint32_t>> chunks;
  const ir::Operation *chip = nullptr; ///< the slowest kind of the stage
  double slowdown = 1;                 ///< of its slowest chip
  /// How much longer the power limit lets parts of graphs take, where it does.
  std::map<const RegionCost *, double> stretch;
  passes::ChipSet chips; ///< where it stands
  /// Weights that it reads and another stage, too, as far as they are not counted with what stands
  /// before or behind its layers.
  RegionCost sharedWeights;

  int64_t layers(uint32_t kind) const;
};

/// The step of a strategy.
struct Step {
  std::vector<StagePlan> stages;
  std::vector<StageRing> rings; ///< stages that hold the same weights
  TrainingSummary summary;
  RegionCost work; ///< of a microbatch on all stages, with a timeline
  Figure energy;
  Figure optimizerEnergy; ///< of these
  bool fits = true;
  double fill = 0; ///< the largest share of a chip's memory that is used
  /// The stage that does not fit and by how much (B).
  size_t worstStage = 0;
  double missing = 0;
  double capacity = 0;            ///< of a chip of that stage
  std::string memory;             ///< its name
  std::vector<std::string> notes; ///< of its collectives, with a timeline
  MeasuredErrors errors;          ///< the same
};

/// What a step takes and needs at the least.
struct StepBound {
  double time = 0;   ///< s
  double memory = 0; ///< B of the fullest stage
  bool fits = true;  ///< false where no division of the layers fits into the planned share
};

/// What passes know of the layers of `graph`.
std::vector<passes::LayerKind> layerKinds(const GraphCost &graph);
/// Forgets kernels and their order, which only timelines and tables need.
void dropKernels(ModelCosts &costs);
/// What a microbatch of `share` of the samples (at most 1) takes at the least, for bounds alone:
/// without energy. Each sample takes as long as in the larger microbatch or longer, and
/// keeps as much: what grows with samples is s + b x with s at least 0, or the larger of such.
ModelCosts leastCosts(const ModelCosts &costs, double share);

class StepModel {
public:
  /// `train` names system and settings; `costs` are of a strategy with the same tensor, context,
  /// expert and sequence parallelism, microbatch and recompute.
  StepModel(const ir::Module &module, const ir::Operation &train, RankNetwork &network);

  /// The step that runs by `plan`, or nothing after a report. `withEvents` fills the timeline and
  /// `work`.
  llvm::Optional<Step> evaluate(const ModelCosts &costs, const passes::Strategy &strategy,
                                const passes::StepPlan &plan, bool withEvents = false);
  /// The same by the plan that a search makes; nothing, too, where layers and stages do not go
  /// together.
  llvm::Optional<Step> evaluate(const ModelCosts &costs, const passes::Strategy &strategy);
  /// What each stage of `strategy` takes by its layers, for a search; no more than in any of
  /// `variants`, of which `strategy` is the last. Nothing where only some layers of a stage
  /// recompute, or after a report.
  llvm::Optional<std::vector<MixedStage>>
  mixedStages(const ModelCosts &costs, const passes::Strategy &strategy,
              const passes::StrategyVariants *variants = nullptr);
  /// What the step of `strategy`, or of any of `variants`, does not fall below, however its layers
  /// are divided among the stages. Nothing where that is not known, or after a report.
  llvm::Optional<StepBound> leastStep(const ModelCosts &costs, const passes::Strategy &strategy,
                                      const passes::StrategyVariants *variants = nullptr);
  double capacity() const { return first.capacity; }
  /// What the runtime makes of the time that the model gives.
  double measured() const { return runtime.measured; }
  /// Of a chip of the first kind, m2.
  const Figure &chipArea() const { return first.area; }
  /// The most that a chip of any kind holds; 0 when one does not say.
  double largestCapacity() const {
    double most = first.capacity;
    for (const auto &[chip, one] : facts) {
      if (one.capacity <= 0)
        return 0;
      most = std::max(most, one.capacity);
    }
    return most;
  }
  llvm::StringRef memoryName() const { return first.memory; }

private:
  struct Build;     ///< a step under construction
  struct StagePart; ///< what a stage runs as often as it has layers of a kind
  /// A collective among the ranks of an axis: s of one, J of those of all ranks of the system.
  struct Exchange {
    double seconds = 0;
    Figure energy;
    double bytes = 0; ///< of a rank's buffer; 0 where it is alone
  };

  bool stageTimes(Build &build);
  bool addSends(Build &build);
  void chooseChip(Build &build, size_t stage);
  void limitPower(Build &build, size_t stage, const StagePart &part, StageTime &time);
  void setInFlight(Build &build) const;
  double exposedTime(Build &build, size_t stage, const RegionCost &cost, double count);
  bool pipeline(Build &build, bool withEvents);
  bool shareParameters(Build &build);
  bool shareGradients(Build &build);
  llvm::SmallVector<StageRing, 1> stageRings(const Build &build) const;
  bool shareAmongStages(Build &build);
  Exchange amongReplicas(Build &build, size_t stage, const passes::WeightExchange &one);
  passes::WeightExchanges exchangesOf(const Build &build, const RegionCost &part) const;
  /// What a stage adds up across shard groups, behind the last microbatch.
  struct StageSums {
    CommunicationTime time;
    Figure energy;
  };
  void gatherPart(Build &build, size_t stage, const StagePart &part, StageSums &across);
  void optimizerStep(Build &build);
  void stateMemory(const Build &build, const RegionCost &forward, StageMemory &use);
  static double gatheredBytes(const Build &build, size_t stage);
  void memoryOf(Build &build);
  bool probe(Build &build, llvm::ArrayRef<uint32_t> layers);
  void finish(Build &build);
  /// Among the ranks of stage `stage`.
  Exchange collective(Build &build, llvm::StringRef kind, llvm::StringRef axis, double bytes,
                      int64_t stage);
  Exchange sendToNext(Build &build, int64_t stage, double bytes);
  Exchange leastOfAll(Build &build, llvm::StringRef kind, llvm::StringRef axis, double bytes);
  void note(Build &build, llvm::StringRef name, double bytes, double count, double total,
            double exposed, const Figure &energy);
  double checkpointBytes(const Build &build) const;

  /// What the step needs to know of a kind of chip.
  struct ChipFacts {
    std::string memory;
    llvm::Optional<ChipMemory> outermost;
    double capacity = 0, bandwidth = 0; ///< of the outermost memory; 0 when not given
    double peak = 0;
    Figure area;
    llvm::Optional<PowerLimit> power;
  };
  static ChipFacts factsOf(const ir::Operation &chip, DType format);
  const ChipFacts &factsAt(const Build &build, size_t stage) const;

  const ir::Operation &train;
  RankNetwork &network;
  Runtime runtime;
  passes::ElementBytes bytes;
  std::map<const ir::Operation *, ChipFacts> facts;
  ChipFacts first; ///< of the first kind
  double peak = 0; ///< mean of all chips
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_STEPMODEL_H
