// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is computed: kernels (the equations of an operator with all extents known) and graphs of
// their applications. An access is a dictionary {tensor = "I", map = [n, c, 2*p + r - 3]}; a
// subscript that depends on data is "any".
#ifndef PERFC_IR_OP_OPOPS_H
#define PERFC_IR_OP_OPOPS_H

#include "ir/core/Operation.h"

namespace perfc {
namespace op {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> opOps();

/// An operator with known extents: its tensors and statements.
struct KernelOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.kernel";
  llvm::StringRef declaration() const { return op->stringAttr("op"); }
  const ir::AttrDict &parameters() const { return op->dictAttr("parameters"); }
};

/// A tensor of a kernel.
struct OperandOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.operand";
  llvm::StringRef role() const { return op->stringAttr("role"); }
  std::vector<int64_t> shape() const { return op->intsAttr("shape"); }
  llvm::StringRef dtype() const { return op->stringAttr("dtype"); }
  bool isInPlace() const { return op->hasAttr("in_place"); }
  bool isHanded() const { return op->hasAttr("handed"); }
  /// How its values are spread over what they index; "" when nothing says so.
  llvm::StringRef draw() const { return op->stringAttr("draw"); }
  double theta() const;
  double most() const;
  /// The rank along which its values differ.
  llvm::Optional<int64_t> distinct() const;
  int64_t among() const { return op->intAttr("among", 1); }
};

/// One equation over an iteration domain.
struct StatementOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.statement";
  const ir::AttrDict &write() const { return op->dictAttr("write"); }
  const ir::AttrList &reads() const { return op->listAttr("reads"); }
  const ir::AttrDict &domain() const { return op->dictAttr("domain"); }
  llvm::StringRef reduce() const { return op->stringAttr("reduce"); }
  bool isMac() const { return op->hasAttr("mac"); }
  int64_t flops() const { return op->intAttr("flops"); }
  const ir::AttrDict &functions() const { return op->dictAttr("functions"); }
  llvm::StringRef text() const { return op->stringAttr("text"); }
  /// Conditions on the domain, each >= 0.
  std::vector<AffineExpr> constraints() const;
  /// Points of the domain without its constraints; nothing when that does not fit 64 bits.
  llvm::Optional<int64_t> boxPoints() const;
};

/// A workload: values and the kernels applied to them.
struct GraphOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.graph";
};

/// A tensor that comes from outside the graph.
struct TensorOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.tensor";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  llvm::StringRef label() const { return op->stringAttr("label"); }
  bool isExpert() const { return op->hasAttr("expert"); }
  bool isFrozen() const { return op->hasAttr("frozen"); }
  bool isAdapter() const { return op->hasAttr("adapter"); }
};

/// Keeps its operand for the backward pass.
struct SaveOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.save";
};

/// Its operand is the gradient of the weight `of`.
struct GradientOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.gradient";
};

/// A kernel applied to its tensor parameters.
struct ApplyOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.apply";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
};

/// Another graph applied to its inputs.
struct CallOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.call";
  llvm::StringRef graph() const { return op->symbolAttr("graph"); }
};

/// Its region, so many times; what it yields goes round.
struct RepeatOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.repeat";
  int64_t count() const { return op->intAttr("count"); }
  bool isKept() const { return op->hasAttr("kept"); }
};

/// A collective on a tensor that is spread over ranks.
struct CollectiveOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.collective";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  llvm::StringRef axis() const { return op->stringAttr("axis"); }
  int64_t ranks() const { return op->intAttr("ranks"); }
};

/// Applications whose intermediate tensors stay on the chip.
struct FusedOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.fused";
  /// The group as one kernel; "" before there is one.
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
};

/// The results of the region around it.
struct YieldOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.yield";
};

/// The results of a graph.
struct ReturnOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "op.return";
};

} // namespace op
} // namespace perfc

#endif // PERFC_IR_OP_OPOPS_H
