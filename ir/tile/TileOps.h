// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel cut into blocks (thread blocks, PE passes) that run on the units of a chip in waves.
// Bytes and operations are those of one block.
#ifndef PERFC_IR_TILE_TILEOPS_H
#define PERFC_IR_TILE_TILEOPS_H

#include "ir/core/Operation.h"

namespace perfc {
namespace tile {

/// The declarations of this level.
llvm::ArrayRef<ir::OpDecl> tileOps();

/// A grid of blocks.
struct KernelOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.kernel";
  llvm::StringRef run() const { return op->symbolAttr("run"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  const ir::AttrDict &grid() const { return op->dictAttr("grid"); }
  const ir::AttrDict &tile() const { return op->dictAttr("tile"); }
  int64_t blocks() const { return op->intAttr("blocks"); }
  int64_t units() const { return op->intAttr("units"); }
  int64_t waves() const { return op->intAttr("waves"); }
  /// "" for blocks that no library has made.
  llvm::StringRef library() const { return op->symbolAttr("library"); }
};

/// Bytes of a tensor that one block reads.
struct LoadOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.load";
  llvm::StringRef tensor() const { return op->stringAttr("tensor"); }
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef from() const { return op->stringAttr("from"); }
};

/// Work of one block.
struct ComputeOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.compute";
  int64_t macs() const { return op->intAttr("macs"); }
  int64_t flops() const { return op->intAttr("flops"); }
  llvm::StringRef unit() const { return op->stringAttr("unit"); }
};

/// Bytes of a tensor that one block writes.
struct StoreOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.store";
  llvm::StringRef tensor() const { return op->stringAttr("tensor"); }
  int64_t bytes() const { return op->intAttr("bytes"); }
  llvm::StringRef to() const { return op->stringAttr("to"); }
};

} // namespace tile
} // namespace perfc

#endif // PERFC_IR_TILE_TILEOPS_H
