// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the phases of a training step, or of a served model in one size, take on one rank: kernels
// by their provider, collectives as they stand between them. Equal layers stay one entry with a
// count, so the cost of a step does not depend on how many layers, microbatches or ranks there are.
#ifndef PERFC_BACKENDS_TRAINING_GRAPHCOST_H
#define PERFC_BACKENDS_TRAINING_GRAPHCOST_H

#include "backends/core/CostProvider.h"
#include "backends/core/StepProgram.h"
#include "backends/training/PowerLimit.h"
#include "backends/training/Runtime.h"
#include "ir/phase/PhaseOps.h"

namespace perfc::training {

/// A collective of one run of a region.
struct Communication {
  std::string kind;
  std::string axis;
  double bytes = 0; ///< the larger buffer of a rank
  double count = 1;
  double meanShare = 1; ///< of that what a mean rank moves: the busiest sets the time
};

/// A kernel of one run of a region.
struct KernelTime {
  std::string label;
  SourceRange location;
  std::string bound;
  double seconds = 0; ///< of all runs
  double count = 0;
  double flops = 0;
  double macs = 0;
  double peakSeconds = 0;              ///< what the products would take at the peak of their format
  Figure energy;                       ///< of all runs
  std::vector<std::string> alike = {}; ///< axes along which ranks run the same
};

/// One run of a stretch of a graph on one rank and one microbatch.
struct RegionCost {
  double seconds = 0;        ///< of kernels
  double weightsSeconds = 0; ///< of these, of kernels that only gradients of weights need
  PowerDemand power;         ///< without what is drawn at rest
  double macs = 0;
  double flops = 0;
  Figure energy;
  std::vector<Communication> communication;
  std::vector<KernelTime> kernels;
  double savedBytes = 0;
  /// What kernels that only gradients of weights need read and others make: inputs of products and
  /// gradients of their results.
  double waitingBytes = 0;
  double inputBytes = 0;      ///< of what goes in from the layer before
  double weightElements = 0;  ///< on this rank
  double expertElements = 0;  ///< of these, weights that the data choose
  double frozenElements = 0;  ///< of all, weights that are not trained
  double frozenExperts = 0;   ///< weights that are both
  double adapterElements = 0; ///< of adapters on all ranks together, each once
  double weightBytes = 0;     ///< of all weights, each in its own format
  double expertBytes = 0;     ///< of these, of weights that the data choose
  double dropped = 0;         ///< largest share of tokens that experts do not take
  double workingBytes = 0;    ///< the largest kernel's tensors
  /// Kernels and collectives in order; of a graph's parts only, `add` leaves it alone.
  StepBlock block;

  double denseElements() const { return weightElements - expertElements; }
  double denseBytes() const { return weightBytes - expertBytes; }
  /// What gradients and optimizer state belong to.
  double trainedDense() const { return denseElements() - (frozenElements - frozenExperts); }
  double trainedExperts() const { return expertElements - frozenExperts; }

  void add(const RegionCost &other, double times = 1);
};

/// Providers that answered for kernels, and what their costs say: each once.
struct KernelSources {
  std::vector<std::string> providers, notes, libraries;
  bool isEnergyPartial = false; ///< of some of them
  MeasuredErrors errors;

  explicit KernelSources(const Cost &kernel);
  KernelSources() = default;

  void add(const KernelSources &other);
};

/// A graph: what stands before the layers, the layers, and what stands behind them.
struct GraphCost {
  struct Layers {
    int64_t count;
    RegionCost one;
    bool isKept = false; ///< the layers before it are the same, and recompute
  };
  /// A weight that several parts read, such as the table of an embedding that is also that of the
  /// output: each stage with one of them holds it.
  struct SharedWeight {
    RegionCost weights; ///< its elements alone
    bool before = false, after = false;
    std::vector<bool> layers; ///< by kind
  };
  RegionCost before, after; ///< with the weights that only they read, and the shared ones that
                            ///< `before` reads, or `after` where it does not
  std::vector<Layers> layers;
  std::vector<SharedWeight> shared;

  int64_t layerCount() const;
};

/// Which kernels of a served model are costed: others take their places, and nothing else.
struct KernelsWanted {
  bool tokenWise = true; ///< all but those of a context
  bool ofContext = true;
};

/// What the shares of a runtime ask of a kernel.
struct KernelFacts {
  explicit KernelFacts(const ir::Operation &op); ///< an op.kernel

  int products = 0;        ///< 2 and more are attention, or chunks of state-space layers
  bool hasMaximum = false; ///< as softmax has of its scores
  /// Sets of weights among which the data choose; 0 where they choose none.
  int64_t experts = 0;
  /// Each product is with weights or of their gradients: no index runs over all of its tensors, as
  /// in products of activations in chunks of state-space layers.
  bool isOfWeights = true;
};

class GraphCoster {
public:
  GraphCoster(const ir::Module &module, const ir::Operation &chip, const Runtime &runtime,
              ProviderSet &providers, DiagnosticEngine &diagnostics);

  /// The cost of `graph`, of which lower-to-phase has made the parts; nothing after a report.
  llvm::Optional<GraphCost> run(llvm::StringRef graph, KernelsWanted kernels = {});
  /// Adds to `backward` what it takes to add up the gradients of the weights of `forward` over
  /// microbatches.
  void accumulate(const GraphCost &forward, GraphCost &backward) const;
  /// Of all graphs that ran.
  KernelSources sources;

private:
  bool region(const ir::Region &region, GraphCost &graph, RegionCost &cost);
  bool kernel(phase::KernelOp op, RegionCost &cost);
  void collective(phase::CollectiveOp op, RegionCost &cost);
  void record(const ir::Operation &op, StepItem item, llvm::Optional<StepItem> first = llvm::None);
  void timeOf(const Cost &cost, const ir::Operation &op, const KernelFacts &kernel,
              StepItem &item) const;
  double castSeconds(const ir::Operation &op) const;
  RegionCost sorting(const ir::Operation &op, double elements) const;
  double hostSeconds(const KernelFacts &kernel) const;
  PowerDemand demand(const Cost &cost, const ir::Operation &op, const KernelFacts &kernel,
                     double clocked) const;
  bool isLayerProduct(const KernelFacts &kernel) const;
  bool isChunked(const KernelFacts &kernel) const;

  const ir::Module &module;
  const ir::Operation &chip;
  const Runtime &runtime;
  ProviderSet &providers;
  DiagnosticEngine &diagnostics;
  double bandwidth = 0; ///< B/s of the outermost memory; 0 when not given
  PowerLimit power;
  bool isInLayer = false;
  int64_t runs = 1;            ///< of the region at hand in each run of its part
  StepBlock *block = nullptr;  ///< of the part at hand
  std::vector<uint32_t> items; ///< of the block, by the steps of the part
  HashCache hashes;
  std::vector<phase::SequenceOp> sequences; ///< the parts of all graphs on this chip
  KernelsWanted wanted;
};

} // namespace perfc::training

#endif // PERFC_BACKENDS_TRAINING_GRAPHCOST_H
