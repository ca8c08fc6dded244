// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a `train` says, as typed parts inside its study.train: the strategy, the optimizer, experts,
// adapters, the runtime, failures and checkpoints. A part that is missing says what its declared
// values say. A degree of 0 is a hole (`tensor = any`) that a search fills.
#ifndef PERFC_IR_STUDY_TRAINOPS_H
#define PERFC_IR_STUDY_TRAINOPS_H

#include "ir/common/DType.h"
#include "ir/study/StudyOps.h"

namespace perfc {
namespace study {

/// The declarations of the parts, and of study.train.
std::vector<ir::OpDecl> trainDecls();

/// Which activations are computed again in the backward pass instead of kept.
enum class Recompute : uint8_t {
  None,
  /// What grows with the square of the sequence: the scores of attention and what is made of them
  /// (Korthikanti et al., MLSys 2023, section 5). Where nothing does, see Cheap.
  Selective,
  /// What no product with weights makes: norms, activation functions, attention stays.
  Cheap,
  Full, ///< each layer as a whole, from its input
  Any,  ///< a hole
};
llvm::StringRef recomputeName(Recompute mode);

/// What the ranks of a step differ in. Ranks of `sequence` are those of `tensor`; ranks of experts
/// are a part of the others' unless `order` gives them a place of their own.
enum class RankAxis : uint8_t { Tensor, Context, Expert, Data, Pipeline };
llvm::StringRef axisName(RankAxis axis);
/// Nothing for other names, such as `any`.
llvm::Optional<RankAxis> parseAxis(llvm::StringRef name);

enum class ScheduleKind : uint8_t { GPipe, OneFOneB, Interleaved, ZeroBubble };
llvm::StringRef scheduleName(ScheduleKind kind);
/// `name` is one of them.
ScheduleKind parseSchedule(llvm::StringRef name);

enum class RoutingKind : uint8_t { Balanced, Uniform, Zipf };

/// How ranks divide the model and the batch.
struct StrategyOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.strategy";
  /// Ranks along "tensor", "pipeline", "data", "context", "expert" or "sequence".
  int64_t degree(llvm::StringRef axis) const { return op->intAttr(axis); }
  const ir::AttrDict &over() const { return op->dictAttr("over"); }
  std::vector<std::string> order() const { return op->stringsAttr("order"); }
  /// Of the subject, as its parameter `batch` says; 0 where it has none.
  int64_t samples() const { return op->intAttr("samples", 0); }
  int64_t microbatch() const { return op->intAttr("microbatch"); }
  ScheduleKind schedule() const;
  int64_t chunks() const { return op->intAttr("chunks"); }
  Recompute recompute() const;
  /// Layers of each stage that recompute; -1 for all.
  int64_t recomputeLayers() const { return op->intAttr("recompute_layers", -1); }
  std::vector<int64_t> stages() const { return op->intsAttr("stages"); }
  std::vector<std::string> shard() const { return op->stringsAttr("shard"); }
  /// -1 for all data-parallel ranks.
  int64_t shardRanks() const { return op->intAttr("shard_ranks", -1); }
};

struct OptimizerOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.optimizer";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  llvm::Optional<DType> master() const { return parseDType(op->stringAttr("master")); }
  /// Where its state lives; "" for on the chip.
  llvm::StringRef offload() const { return op->stringAttr("offload"); }
};

/// How tokens choose among the experts of a layer.
struct ExpertsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.experts";
  RoutingKind routing() const;
  double theta() const { return op->realAttr("theta"); }
  int64_t seed() const { return op->intAttr("seed"); }
  double imbalance() const { return op->realAttr("imbalance"); } ///< 0 for what the routing gives
  double capacity() const { return op->realAttr("capacity"); }   ///< 0 for all
};

struct AdaptersOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.adapters";
  int64_t rank() const { return op->intAttr("rank"); } ///< 0 where there are none
  bool ofAttention() const { return op->hasAttr("of_attention"); }
};

/// A software stack; without attributes the ideal one.
struct RuntimeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.runtime";
  llvm::StringRef label() const { return op->stringAttr("label"); }
};

/// How many times the bytes of a tensor of `bits` a collective of `kind` among ranks along `axis`
/// moves, where sums have elements of at least `sumBytes`; 1 for what is no sum.
double sumWidening(llvm::StringRef kind, llvm::StringRef axis, double bits, double sumBytes);

struct CheckpointOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.checkpoint";
};

/// An algorithm of the collectives of a step.
struct AlgorithmOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.algorithm";
  llvm::StringRef name() const { return op->stringAttr("name"); }
  bool isRing() const { return op->hasAttr("ring"); }
  bool isDefault() const { return op->hasAttr("default"); }
  std::vector<std::string> kinds() const { return op->stringsAttr("kinds"); }
  std::vector<std::string> schedules() const { return op->symbolsAttr("schedules"); }
  const ir::AttrDict &formulas() const { return op->dictAttr("formulas"); }
  const ir::AttrDict &refused() const { return op->dictAttr("refused"); }
};

/// The most ranks of `tensor` and of `context`, and of `expert`, that holes of a `train` stand for.
inline constexpr int64_t mostSearchedRanks = 64, mostSearchedExperts = 512;

/// Training a model.
struct TrainOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "study.train";
  llvm::StringRef subject() const { return op->symbolAttr("subject"); }
  llvm::StringRef on() const { return op->symbolAttr("on"); }
  DType dtype() const { return *parseDType(op->stringAttr("dtype")); }
  int64_t batch() const { return op->intAttr("batch"); }
  llvm::Optional<DType> products() const { return parseDType(op->stringAttr("products")); }
  bool usesTiles() const;
  /// Algorithms in the order in which they are asked.
  std::vector<AlgorithmOp> algorithms() const;
};

} // namespace study
} // namespace perfc

#endif // PERFC_IR_STUDY_TRAINOPS_H
