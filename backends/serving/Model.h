// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of a `serve` on its ranks: what batches take, and what its weights leave of the memory
// for the cache.
#ifndef PERFC_BACKENDS_SERVING_MODEL_H
#define PERFC_BACKENDS_SERVING_MODEL_H

#include "backends/core/RankNetwork.h"
#include "backends/serving/BatchCost.h"
#include "ir/study/ServeOps.h"

namespace perfc::serving {

/// What a rank of a stage holds, and what may be used.
struct StageRoom {
  double weights = 0;    ///< B
  double cacheToken = 0; ///< B of the cache of one token
  /// B that a long request has there beside these: states, and tokens of layers that keep a window.
  double cacheRequest = 0;
  double shortToken = 0; ///< B of the cache of one token of a request that fills no window
  double logits = 0;     ///< B of what the last stage makes of a token that comes out
};

class ServedModel {
public:
  ServedModel(const ir::Module &module, study::ServeOp serve, study::PoolOp pool,
              ProviderSet &providers, DiagnosticEngine &diagnostics);

  /// Leaves the kernels what they take in `other`, a model of the same pool that is built.
  void takeKernels(const ServedModel &other) {
    samples = other.samples;
    sources = other.sources;
  }
  /// Costs the samples, kernels only where they have not been taken; false after a report.
  bool build();
  /// Moves the costs of batches to an end that only costs of kernels depend on.
  void moveTo(const UncertainEnd &end) { makeCost(&end) && makeDraft(&end); }

  int64_t tensor = 1, stages = 1;
  int64_t groups = 1; ///< of ranks, which share experts and the batches of one scheduler
  int64_t copies = 1; ///< of the model, beside each other
  int64_t chips = 1;
  std::shared_ptr<BatchCost> cost;
  /// What guesses tokens, as a model of its own that runs after the last stage; null without.
  std::shared_ptr<BatchCost> draft;
  std::vector<StageRoom> rooms; ///< by stage
  double activationToken = 0;   ///< B of a rank for each token of a batch, at the worst kernel
  double capacity = 0;          ///< B of a chip; 0 when not given
  double matrixBytes = 0;       ///< B of matrices in the layers of a rank, without norms
  int64_t layerCount = 0;       ///< of the model
  std::shared_ptr<const study::OpTable> table; ///< the times of layers; null without
  std::string memory;                          ///< that holds them
  double peak = 0;                             ///< FLOP/s of a chip
  Figure area;                                 ///< of a chip, m2
  double boundaryBytes = 0;                    ///< of a token, between stages
  /// What it takes to pass so many tokens on from each stage to the next, in J of all ranks.
  Figure sendEnergy(double tokens) const;
  /// Fills the time of a batch of a copy on each stage, with what its draft takes.
  void timesOf(const BatchShape &shape, std::vector<double> &seconds);
  /// Chips of a stage of a copy.
  int64_t stageChips() const { return tensor * groups; }
  training::KernelSources sources;
  Figure energyOwners; ///< whose energy is not given
  MeasuredErrors errors;
  /// What results say of the networks; "" for nothing.
  std::string networkNote() const { return network->runtimeNote(); }

private:
  bool checkSystem();
  bool costKernels();
  bool costExchanges();
  bool makeCost(const UncertainEnd *end = nullptr);
  bool makeDraft(const UncertainEnd *end = nullptr);
  void holdDraft();
  double redundantBytes(const ir::Operation &graph) const;
  bool costCollectives(StepBlock &block);
  bool findRooms();
  void findActivations();
  /// A message of so many tokens from stage `stage` to the next; nothing after a report.
  llvm::Optional<RankNetwork::Handover> handOver(int64_t stage, double tokens) const;
  /// What it takes, in s.
  llvm::Optional<double> sendSeconds(int64_t stage, double tokens) const;

  const ir::Module &module;
  study::ServeOp serve;
  study::PoolOp pool;
  const ir::Operation &system;
  ProviderSet &providers;
  DiagnosticEngine &diagnostics;
  std::shared_ptr<RankNetwork> network;
  std::vector<Sample> samples;
};

} // namespace perfc::serving

#endif // PERFC_BACKENDS_SERVING_MODEL_H
