// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop nests on a chip. A mapping is what the user asked for: loops at places, outermost first; a
// dataflow asks for the same by directives (ir/loopnest/Dataflow.h). A nest is one statement with
// all its loops: below `loopnest.at` a place's loops step through the tile that the place holds; a
// parallel loop of factor F maps its lane l in [0, F) to index i as l * step.
#ifndef PERFC_IR_LOOPNEST_LOOPNESTOPS_H
#define PERFC_IR_LOOPNEST_LOOPNESTOPS_H

#include "ir/core/Operation.h"

namespace perfc {
namespace loopnest {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> loopnestOps();

/// Loops at places, as the user wrote them.
struct MappingOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.mapping";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  llvm::StringRef source() const { return op->stringAttr("source"); }
  llvm::Optional<int64_t> statement() const {
    return op->hasAttr("statement") ? llvm::Optional<int64_t>(op->intAttr("statement"))
                                    : llvm::None;
  }
};

/// Tensors that a memory keeps or passes by under a mapping.
struct KeepOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.keep";
  llvm::StringRef place() const { return op->stringAttr("at"); }
  std::vector<std::string> tensors() const { return op->stringsAttr("tensors"); }
  bool bypasses() const { return op->hasAttr("bypass"); }
  /// Of a mapspace: every tensor that the memory may keep is kept or not; "" at all memories.
  bool isOpen() const { return op->hasAttr("any"); }
};

/// Intermediates that never leave a memory under a mapping.
struct FuseOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.fuse";
  llvm::StringRef place() const { return op->stringAttr("at"); }
  std::vector<std::string> tensors() const { return op->stringsAttr("tensors"); }
  bool retains() const { return op->hasAttr("retain"); }
};

/// Statements that run together, tile by tile: one nest each.
struct FusedOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.fused";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
  llvm::StringRef mapping() const { return op->stringAttr("mapping"); }
  llvm::StringRef place() const { return op->stringAttr("at"); }
  std::vector<std::string> tensors() const { return op->stringsAttr("tensors"); }
  int64_t blocks() const { return op->intAttr("blocks", 1); }
};

/// The loops at one memory, array axis or unit.
struct PlaceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.place";
  llvm::StringRef place() const { return op->stringAttr("at"); }
};

/// One loop of a mapping; a loop without a factor is a hole.
struct LoopOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.loop";
  std::vector<std::string> indices() const { return op->stringsAttr("indices"); }
  llvm::Optional<int64_t> factor() const {
    return op->hasAttr("factor") ? llvm::Optional<int64_t>(op->intAttr("factor")) : llvm::None;
  }
  llvm::StringRef axis() const { return op->stringAttr("axis"); }
};

/// A mapping in MAESTRO's directives, outermost first.
struct DataflowOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.dataflow";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  llvm::StringRef source() const { return op->stringAttr("source"); }
  int64_t statement() const { return op->intAttr("statement"); }
};

/// A directive: `size` values of what `coefficients` * `indices` takes per step, `offset` apart.
/// One index is a plain map, two are a window of a tensor's rank.
struct DirectiveOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.directive";
  llvm::StringRef name() const { return op->stringAttr("of"); }
  std::vector<std::string> indices() const { return op->stringsAttr("indices"); }
  std::vector<int64_t> coefficients() const { return op->intsAttr("coefficients"); }
  int64_t size() const { return op->intAttr("size"); }
  int64_t offset() const { return op->intAttr("offset"); }
  bool isSpatial() const { return op->hasAttr("spatial"); }
};

/// The directives that follow are about the sub-clusters of groups of `size`.
struct ClusterOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.cluster";
  int64_t size() const { return op->intAttr("size"); }
};

/// One statement of a kernel with all its loops.
struct NestOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.nest";
  llvm::StringRef kernel() const { return op->symbolAttr("kernel"); }
  int64_t statement() const { return op->intAttr("statement"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  llvm::StringRef mapping() const { return op->stringAttr("mapping"); }
  llvm::StringRef domain() const { return op->stringAttr("domain"); }
};

/// A tensor of the statement and how it is accessed.
struct TensorOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.tensor";
  llvm::StringRef role() const { return op->stringAttr("role"); }
  int64_t bits() const { return op->intAttr("bits"); }
  /// Elements that share a scale, of `scale` bits; 0 where they have none.
  int64_t block() const { return op->intAttr("block", 0); }
  int64_t scale() const { return op->intAttr("scale", 8); }
  bool isOutput() const { return op->hasAttr("output"); }
  const ir::AttrList &map() const { return op->listAttr("map"); }
  std::vector<int64_t> shape() const { return op->intsAttr("shape"); }
  /// Bits of a partial sum, by memory, where these are others than those of a finished word.
  const ir::AttrDict &partial() const { return op->dictAttr("partial"); }
  llvm::StringRef access() const { return op->stringAttr("access"); }
};

/// The loops that step through the tile at a memory.
struct AtOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.at";
  llvm::StringRef place() const { return op->stringAttr("place"); }
  /// Names of the tensors that the memory keeps, where the mapping decides it; else their roles do.
  llvm::Optional<std::vector<std::string>> keep() const {
    return op->hasAttr("keep") ? llvm::Optional<std::vector<std::string>>(op->stringsAttr("keep"))
                               : llvm::None;
  }
};

/// A loop in time: index = factor steps of `step`.
struct ForOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.for";
  llvm::StringRef index() const { return op->stringAttr("index"); }
  int64_t factor() const { return op->intAttr("factor"); }
  int64_t step() const { return op->intAttr("step"); }
};

/// A loop in space along an array axis.
struct ParallelOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.parallel";
  llvm::StringRef axis() const { return op->stringAttr("axis"); }
  std::vector<std::string> indices() const { return op->stringsAttr("indices"); }
  int64_t factor() const { return op->intAttr("factor"); }
  std::vector<int64_t> steps() const { return op->intsAttr("steps"); }
};

/// One point of the iteration space.
struct ComputeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "loopnest.compute";
  llvm::StringRef unit() const { return op->stringAttr("unit"); }
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_IR_LOOPNEST_LOOPNESTOPS_H
