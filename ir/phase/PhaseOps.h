// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs one after another on one chip: kernels, repetitions and collectives, with the bytes
// that are live while each runs.
#ifndef PERFC_IR_PHASE_PHASEOPS_H
#define PERFC_IR_PHASE_PHASEOPS_H

#include "ir/core/Operation.h"

namespace perfc {
namespace phase {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> phaseOps();

/// The order in which a graph runs.
struct SequenceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.sequence";
  llvm::StringRef of() const { return op->symbolAttr("of"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  /// Of a model whose layers stages share out: "before", "layers" or "after"; "" for a whole graph.
  llvm::StringRef part() const { return op->stringAttr("part"); }
  bool isPart() const { return op->hasAttr("part"); }
  int64_t layers() const { return op->intAttr("layers"); }
  bool isKept() const { return op->hasAttr("kept"); }
  std::vector<int64_t> outputs() const { return op->intsAttr("outputs"); }
};

/// A weight that a rank holds.
struct WeightOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.weight";
  int64_t elements() const { return op->intAttr("elements"); }
  int64_t bytes() const { return op->intAttr("bytes"); }
  bool isExpert() const { return op->hasAttr("expert"); }
  bool isFrozen() const { return op->hasAttr("frozen"); }
  int64_t adapterElements() const { return op->intAttr("adapter"); } ///< 0 for no adapter
  std::vector<int64_t> readBy() const { return op->intsAttr("read_by"); }
};

/// What is kept until the backward pass, or until gradients of weights that are put off.
struct KeepOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.keep";
  int64_t bytes() const { return op->intAttr("bytes"); }
  bool isForWeights() const { return op->stringAttr("until") == "weights"; }
};

/// An operand of elementwise statements that finish the result of a nest. Each element is read
/// once.
struct FinishOperand {
  std::string tensor;
  std::string role; ///< "input", "weight", "intermediate", …
  int64_t words = 0;
  int64_t bytes = 0;

  ir::Attribute toAttribute() const;
};

/// One kernel, nest or tiled kernel, run `count` times.
struct KernelOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.kernel";
  llvm::StringRef run() const { return op->symbolAttr("run"); }
  llvm::StringRef label() const { return op->stringAttr("label"); }
  int64_t count() const { return op->intAttr("count"); }
  bool isJoined() const { return op->hasAttr("joined"); }
  int64_t liveBytes() const { return op->intAttr("live_bytes"); }
  int64_t inputBytes() const { return op->intAttr("input_bytes"); }
  int64_t outputBytes() const { return op->intAttr("output_bytes"); }
  int64_t weightBytes() const { return op->intAttr("weight_bytes"); }
};

/// What the nest of a phase.kernel lacks: the operands that only fused elementwise statements read.
/// None without a kernel.
std::vector<FinishOperand> finishOperands(const ir::Operation *kernel);
/// Their bytes together.
int64_t finishBytes(llvm::ArrayRef<FinishOperand> operands);

/// Its region, so many times.
struct RepeatOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.repeat";
  int64_t count() const { return op->intAttr("count"); }
};

/// A collective between the kernels.
struct CollectiveOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "phase.collective";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef label() const { return op->stringAttr("label"); }
  llvm::StringRef axis() const { return op->stringAttr("axis"); }
};

} // namespace phase
} // namespace perfc

#endif // PERFC_IR_PHASE_PHASEOPS_H
