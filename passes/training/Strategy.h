// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a model is trained, in plain values that a search varies: what the parts of a study.train say
// (ir/study/TrainOps.h). A degree of 0 is a hole (`tensor = any`); passes leave such a statement
// alone.
#ifndef PERFC_PASSES_TRAINING_STRATEGY_H
#define PERFC_PASSES_TRAINING_STRATEGY_H

#include "ir/study/TrainOps.h"

namespace perfc {
namespace passes {

using study::axisName;
using study::parseAxis;
using study::parseSchedule;
using study::RankAxis;
using study::Recompute;
using study::recomputeName;
using study::ScheduleKind;
using study::scheduleName;

/// Axes from the nearest ranks outward.
using AxisOrder = llvm::SmallVector<RankAxis, 5>;

/// What the data-parallel ranks have in common and divide among themselves (ZeRO), or among the
/// nearest `ranks` of them, with copies in all such groups (MiCS: Zhang et al., VLDB 2022; hybrid
/// sharding of PyTorch FSDP: Zhao et al., VLDB 2023).
struct Sharding {
  bool optimizer = false, gradients = false, parameters = false;
  int64_t ranks = -1; ///< -1 for all; 0 is a hole

  /// Its words in `shard`.
  std::vector<llvm::StringRef> names() const;
};

/// How tokens choose among the experts of a layer.
struct Routing {
  using enum study::RoutingKind;
  study::RoutingKind kind = Balanced;
  double theta = 0;      ///< of Zipf: expert i is chosen in proportion to 1 / i^theta
  int64_t seed = 0;      ///< of Zipf: which expert stands where
  double imbalance = 0;  ///< load of the busiest rank over the mean; 0 for what `kind` gives
  double capacity = 0;   ///< tokens that an expert takes at most, over the mean; 0 for all
  int64_t redundant = 0; ///< experts, those chosen most, that have two places
};

struct Strategy {
  int64_t tensor = 1, pipeline = 1, data = 1, context = 1, expert = 1;
  bool sequence = false; ///< activations between tensor-parallel parts are split along the sequence
  bool anySequence = false; ///< a hole
  /// The group or dimension of the network that an axis stays inside.
  llvm::StringMap<std::string> over;
  AxisOrder order; ///< the axes that `order` names; those that it does not are outside of them
  bool anyOrder = false; ///< a hole
  /// How all axes are nested, as `order` and `over` ask. Where it has the experts' axis, that is a
  /// part of the data axis with a place of its own.
  AxisOrder nesting = {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline};
  /// The same as factors, where an axis has several places; empty where each has one.
  llvm::SmallVector<std::pair<RankAxis, int64_t>, 6> factors;
  int64_t batch = 1;      ///< sequences (samples) of a step
  int64_t samples = 0;    ///< of the subject, as its parameter `batch` says; 0 where it has none
  int64_t microbatch = 1; ///< sequences that a rank runs at a time
  ScheduleKind schedule = ScheduleKind::OneFOneB;
  int64_t chunks = 1; ///< model chunks per rank of an interleaved schedule
  Recompute recompute = Recompute::None;
  int64_t recomputeLayers = -1; ///< layers of each stage that recompute; -1 for all
  std::vector<int64_t> stages;  ///< layers of each stage; empty for even
  Sharding shard;
  std::string optimizer = "adam";
  llvm::Optional<DType> master; ///< format of the master weights
  std::string offload;          ///< where the optimizer's state lives; "" for on the chip
  DType dtype = DType::BF16;
  Routing routing;
  int64_t adapterRank = 0;          ///< of LoRA; 0 to train the weights themselves
  bool adaptersOfAttention = false; ///< only beside the products that attention reads

  bool hasHoles() const {
    return tensor == 0 || pipeline == 0 || data == 0 || context == 0 || expert == 0 ||
           microbatch == 0 || shard.ranks == 0 || recompute == Recompute::Any || anySequence ||
           anyOrder;
  }
  /// Ranks along `axis` of the nesting.
  int64_t degreeOf(RankAxis axis) const;
  /// All axes and their ranks from the nearest ranks outward.
  llvm::SmallVector<std::pair<RankAxis, int64_t>, 6> nested() const;
  /// Ranks of the whole model: without expert parallelism, which divides the others' ranks.
  int64_t ranks() const { return tensor * pipeline * data * context; }
  /// Ranks of a stage among which experts are divided. With sequence parallelism each
  /// tensor-parallel rank has tokens of its own and whole experts; without, all have the same and a
  /// part of each.
  int64_t expertDomain() const { return data * context * (wholeExperts() ? tensor : 1); }
  /// Ranks among which positions are divided.
  int64_t sequenceRanks() const { return context * (sequence ? tensor : 1); }
  /// Whether `parts` share out a rank: with padding, where less than 1 % of it is lost.
  static bool sharesOut(int64_t extent, int64_t parts) {
    int64_t padded = (extent + parts - 1) / parts * parts;
    return padded == extent || 100 * (padded - extent) < padded;
  }
  /// Groups of data-parallel ranks that each hold all of what is sharded.
  int64_t shardGroups() const { return shard.ranks > 0 ? data * context / shard.ranks : 1; }
  /// Layers of all stages, of `layers`, that recompute with `recompute MODE(layers = n)`.
  int64_t recomputedLayers(int64_t layers) const;
  bool wholeExperts() const { return sequence && expert > 1; }
  /// Stretches of layers that a stage has.
  int64_t chunksOfStages() const {
    return schedule == ScheduleKind::Interleaved && pipeline > 1 ? chunks : 1;
  }
};

Strategy readStrategy(study::TrainOp train);
/// The degrees and places that a study.strategy says, all else as it is without one.
Strategy readDegrees(study::StrategyOp strategy);
/// The pipeline stages among which the subject of `evaluate` was divided, 1 without any.
int64_t pipelineStages(study::EvaluateOp evaluate);
/// Writes the degrees and choices of `strategy` into the study.strategy of `train`.
void writeStrategy(const Strategy &strategy, ir::Operation &train);

/// Where `train` says the word that `text` begins with ("data = 3", "`order` has …"), or has it as
/// a name; the statement where it does not.
SourceRange rangeOf(const ir::Operation &train, llvm::StringRef text,
                    const DiagnosticEngine &diagnostics);

/// The graphs that autodiff makes for a statement.
std::string forwardSymbol(llvm::StringRef train);
std::string backwardSymbol(llvm::StringRef train);
/// What the ranks of a `train` or `serve` run, as schedule-pipeline makes it.
std::string stepSymbol(llvm::StringRef statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_STRATEGY_H
