// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the ranks of a training step run, node by node. Ranks of one pipeline stage run the same
// nodes, on groups and with peers of their own; so a step is kept as blocks (a layer forward, a
// layer backward, what stands before and behind the layers) and the order in which a stage runs
// them, and is laid out stage by stage when it is written.
#ifndef PERFC_BACKENDS_CORE_STEPPROGRAM_H
#define PERFC_BACKENDS_CORE_STEPPROGRAM_H

#include "ir/common/Uncertain.h"
#include "passes/analysis/AxisPlace.h"
#include "passes/training/StepPlan.h"
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace perfc {

/// A kernel, or a collective, of a block.
struct StepItem {
  std::string name;
  double seconds = 0;             ///< of one run
  double flops = 0;               ///< of a kernel
  double compute = 0, memory = 0; ///< s of a kernel's parts, of which the longer one counts
  double launch = 0;              ///< s of a kernel's start
  double energy = -1;             ///< J of a kernel; below 0 when not given
  std::vector<Uncertain::Contribution> timeMoves, energyMoves; ///< of the two, by source
  double bytes = 0;      ///< that a kernel moves; of a collective the larger buffer of a rank
  std::string kind;      ///< of a collective, "all_gather"; "" for a kernel
  std::string axis;      ///< of a collective, "tensor"
  int64_t count = 1;     ///< runs, one after the other
  bool isJoined = false; ///< a kernel that the host does not start
  bool isPromptAttention = false; ///< of an engine
  bool isOfContext = false;       ///< of a batch that is served: what it does depends on contexts
  std::vector<std::string> alike = {}; ///< axes along which ranks run the same kernel
  /// Items of the block whose results it reads; none for what goes into the block.
  std::vector<uint32_t> after;

  /// `seconds` have the contributions of `latency`, in proportion.
  void setTimeMoves(const Uncertain &latency) {
    if (latency.central() > 0)
      for (const Uncertain::Contribution &part : latency.contributions())
        timeMoves.push_back({part.source, part.delta * seconds / latency.central()});
  }
  void setEnergy(const Uncertain &joules, bool isGiven) {
    energy = isGiven ? joules.central() : -1;
    energyMoves.assign(joules.contributions().begin(), joules.contributions().end());
  }
};

/// Items in an order that respects what they read.
struct StepBlock {
  std::vector<StepItem> items;
  /// Items that make what goes out of the block; none where the pass ends.
  std::vector<uint32_t> outputs;
  /// On a rank, in elements of the format of the run: of all weights forward, of the trained ones
  /// backward.
  double weights = 0;       ///< that all data-parallel ranks share
  double expertWeights = 0; ///< that only ranks with the same experts share

  /// Kernels without communication between them as one: shorter, and as long in time.
  StepBlock merged() const;
};

struct StepAxis {
  std::string name;
  AxisPlace place; ///< of its groups
};

struct StepStage {
  std::vector<passes::StageTask> tasks; ///< in the order in which the stage runs them
  /// Of each chunk: indices of the blocks of its forward and backward pass.
  std::vector<std::vector<uint32_t>> forward, backward;
};

/// What happens to gradients and parameters among data-parallel ranks: along the axis "data" (and
/// for experts "expert_data"), or, where there are such axes, "shard" with an all_reduce of each
/// rank's part along "replica" behind the last microbatch.
enum class GradientExchange : uint8_t {
  None,
  AllReduce, ///< behind the last microbatch
  Scatter,   ///< the same, and parameters are gathered behind the optimizer (ZeRO-1, -2)
  PerLayer,  ///< parameters are gathered for each layer, gradients scattered behind it (ZeRO-3)
};

/// Stages that hold the same weights and add up their gradients in a ring.
struct StageRing {
  std::vector<int64_t> stages;
  double bytes = 0; ///< of a rank
};

/// A node of a stage, as it is written.
struct StepNode {
  enum class Kind : uint8_t { Compute, Collective, Send, Receive };
  Kind kind = Kind::Compute;
  std::string name;
  double seconds = 0, flops = 0;
  double bytes = 0;            ///< a collective's larger buffer of a rank, or a message
  std::string collective;      ///< "all_gather"
  uint32_t axis = 0;           ///< of a collective, index into StepProgram::axes
  int64_t peer = 0;            ///< the stage of the other end of a message
  int64_t tag = 0;             ///< of a message
  std::vector<uint32_t> after; ///< nodes that come before, by index; all smaller
};

struct StepProgram {
  int64_t ranks = 1;
  int64_t stageStride = 1; ///< from a rank to the one of the next stage
  int64_t microbatches = 1;
  double lastMicrobatch = 1; ///< size of the last one, in microbatches
  std::vector<StepAxis> axes;
  std::vector<StepBlock> blocks;
  std::vector<StepStage> stages;
  std::vector<StageRing> rings;
  GradientExchange exchange = GradientExchange::None;
  double elementBytes = 2, gradientBytes = 2;
  double boundaryBytes = 0; ///< of a message between stages
  double sendSeconds = 0;   ///< of such a message
  /// Each tensor-parallel rank sends a part of it, and those of the next stage gather the parts.
  bool sendsParts = false;
  double optimizerSeconds = 0; ///< of the update of a rank's share
  /// Gradients of weights wait until nothing else can run (zero-bubble schedules).
  bool defersWeights = false;
  /// A stage begins no pass before what the one before it made is with the next stage.
  bool waitsForSends = false;

  /// The nodes of stage `stage`.
  std::vector<StepNode> nodesOf(size_t stage) const;
  /// The axis `name` as an index into `axes`, where it has several ranks; else -1.
  int64_t axisNamed(const std::string &name) const;
  /// The axis along which gradients and what else is sharded are exchanged.
  std::string sharingAxis() const { return isInGroups() ? "shard" : "data"; }
  /// Whether several groups of ranks hold what is sharded.
  bool isInGroups() const;
  /// The collectives of all stages: kinds ("all_gather") and axes of several ranks, each pair once.
  std::set<std::pair<std::string, uint32_t>> collectives() const;
  /// About how many nodes all ranks have together.
  double nodeCount() const;
  /// Makes blocks shorter (StepBlock::merged).
  void mergeKernels();
};

} // namespace perfc

#endif // PERFC_BACKENDS_CORE_STEPPROGRAM_H
