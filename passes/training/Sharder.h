// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Divides the graphs of one training step, as Shard.cpp describes. Each value has a state: what its
// ranks stand for, by how much each is divided, and whether it is a part of a sum.
#ifndef PERFC_PASSES_TRAINING_SHARDER_H
#define PERFC_PASSES_TRAINING_SHARDER_H

#include "passes/Pass.h"
#include "passes/training/RankLabels.h"
#include "passes/training/Routing.h"
#include "passes/training/ShardKernel.h"
#include "passes/training/Strategy.h"
#include "llvm/ADT/DenseSet.h"

namespace perfc {
namespace passes {

/// How a value is spread over the ranks.
struct ShardState {
  RankLabels::Labels labels;
  llvm::SmallVector<int64_t, 6> feature; ///< division by tensor or expert parallelism
  llvm::SmallVector<bool, 6> split;      ///< divided along the sequence
  bool isSequenceParallel = false;       ///< and that by the tensor-parallel ranks as well
  int64_t partial = 1;                   ///< ranks that each hold a part of the sum
  bool isAtExperts = false;              ///< tokens stand where their experts are
  int64_t copies = 1;                    ///< of each token: choices that the type does not show
  llvm::Optional<unsigned> choiceRank;   ///< at the experts: the rank of a token's choices
  ExpertLoad load;                       ///< of what is at the experts

  explicit ShardState(size_t ranks = 0)
      : labels(ranks, RankLabel::Feature), feature(ranks, 1), split(ranks, false) {}
  bool hasSplit() const { return llvm::is_contained(split, true); }
};

class Sharder {
public:
  Sharder(ir::Module &module, PassContext &context, const Strategy &strategy,
          const RankLabels &labels);

  /// Divides `graph`; the forward graph comes first. False after a report.
  bool run(ir::Operation &graph);

  /// Forgets what the forward pass keeps and the divided backward pass does not read.
  void dropUnusedSaves(ir::Operation &forward, ir::Operation &backward);

private:
  using Factors = std::vector<int64_t>;
  /// One application while it is divided.
  struct Use {
    ir::Operation &op;
    const KernelClasses &classes;
    std::vector<op::OperandOp> inputs, outputs;
    Factors feature, total;
    std::vector<RankLabel> labels; ///< by class
    std::vector<bool> split;       ///< by class
    bool isSequenceParallel = false;
    bool isPartial = false;          ///< results are parts of sums, as operands are
    llvm::Optional<unsigned> expert; ///< the class that data choose
    llvm::Optional<unsigned> choice; ///< the class of a token's choices
    bool isAtExperts = false;
    int64_t copies = 1; ///< of tokens that were at the experts before
    ExpertLoad load;
  };

  bool region(ir::Region &region);
  bool apply(ir::Operation &op);
  void tensor(ir::Operation &op);
  void repeat(ir::Operation &op);
  void finishRecomputed(ir::Operation &op, ir::Operation &before);

  void readLabels(Use &use);
  void chooseSequence(Use &use);
  void readFeatures(Use &use);
  void readTables(Use &use);
  llvm::StringRef weightOf(const ir::Value &gradient) const;
  bool chooseFeatures(Use &use);
  bool checkHeads(const Use &use);
  bool isColumn(const Use &use, unsigned cls);
  void findChoices(ir::Operation &graph);
  void findExperts(Use &use);
  void findChoiceClass(Use &use);
  bool runsAtExperts(const Use &use);
  static llvm::Optional<unsigned> choiceRankOf(const Use &use, op::OperandOp tensor);
  bool placeExperts(Use &use);
  void meetExperts(Use &use);
  int64_t copiesOf(const Use &use, llvm::StringRef tensor) const;
  void dropMovedCasts();
  ir::Value *castSource(const ir::Value &value);
  ir::Value *castBehind(ir::Operation &before, ir::Value &value, const ShardState &state);
  ir::Value &exchange(ir::Operation &before, ir::Value &value, const ShardState &state);
  ir::Value &keptBehind(ir::Operation &before, ir::Value &value, const ShardState &state);
  static void writeLoad(ir::Operation &op, const ShardState &state);
  ir::Value &atHome(ir::Operation &before, ir::Value &value);
  ir::Value &ownTokens(ir::Operation &before, ir::Value &tokens);
  void gatherInputs(Use &use);
  void decideWeights(Use &use);
  struct AxisExchange {
    llvm::StringRef kind, axis;
    int64_t ranks;
  };
  void addUp(ir::Operation &before, ir::Value &value, llvm::ArrayRef<AxisExchange> exchanges,
             const ShardState &state);
  void writeResults(Use &use);
  void noteAlike(const Use &use);
  static bool sumsPositions(const Use &use, llvm::StringRef output);
  int64_t partialRanks(const Use &use, llvm::StringRef output) const;

  bool isKept(const ir::Value &value, unsigned rank, unsigned depth, bool isCached = false);
  bool addsUpBefore(const Use &use);
  bool staysPartial(const Use &use);
  ShardState &stateOf(const ir::Value &value);
  RankLabel labelOf(const ir::Value &value, unsigned rank) const;
  ir::Type typeOf(const ir::Value &value, const ShardState &state);
  ir::Value &collective(ir::Operation &before, ir::Value &value, llvm::StringRef kind,
                        llvm::StringRef axis, int64_t ranks, ShardState state);
  ir::Value &reduced(ir::Operation &before, ir::Value &value);
  ir::Value &ownPositions(ir::Operation &before, ir::Value &value);
  ir::Value &normal(ir::Operation &before, ir::Value &value);
  const KernelClasses &classesOf(const ir::Operation &apply);

  DiagnosticEngine &diagnostics;
  ir::Builder builder;
  const Strategy &strategy;
  const RankLabels &graphLabels;
  ShardedKernels kernels;
  ir::Operation *graph = nullptr;
  llvm::DenseMap<const ir::Value *, ShardState> states;
  llvm::DenseMap<const ir::Value *, ir::Type> whole; ///< types before the division
  llvm::DenseMap<const ir::Value *, std::vector<std::pair<ir::Operation *, unsigned>>> users;
  llvm::StringMap<ShardState> kept; ///< of weights and saved values, by symbol
  llvm::StringMap<std::string>
      keptExchanged; ///< saved values, and what is kept of them behind an exchange
  /// What collectives made, by the value, region and kind.
  std::map<std::tuple<const ir::Value *, const ir::Region *, std::string>, ir::Value *> made;
  std::vector<ir::Operation *> movedCasts;   ///< what an exchange has left behind
  llvm::DenseSet<const ir::Value *> choices; ///< what says which experts a product reads
  llvm::DenseSet<const ir::Value *> decided; ///< inputs of layers that a use has divided
  int64_t batchFactor = 1;
};

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_TRAINING_SHARDER_H
