// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels of libraries compute that are more than one product: layers of experts, and
// convolutions by one of several algorithms. They stand in a tile.choice, and in the tile.kernel
// that it becomes.
#ifndef PERFC_IR_TILE_LAYEROPS_H
#define PERFC_IR_TILE_LAYEROPS_H

#include "ir/common/DType.h"
#include "ir/core/Operation.h"

namespace perfc {
namespace tile {

/// Products of rows with the weights of the experts that data choose (passes/analysis/Experts.h).
struct ExpertsOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.experts";
  DType format() const { return *parseDType(op->stringAttr("format")); }
  DType left() const { return *parseDType(op->stringAttr("left")); }
  DType weights() const { return *parseDType(op->stringAttr("weights")); }
  std::vector<int64_t> widths() const { return op->intsAttr("widths"); }
  std::vector<int64_t> depths() const { return op->intsAttr("depths"); }
};

/// A convolution (passes/analysis/Convolutions.h).
struct ConvolutionOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.convolution";
  DType format() const { return *parseDType(op->stringAttr("format")); }
  std::vector<int64_t> positions() const { return op->intsAttr("positions"); }
  std::vector<int64_t> window() const { return op->intsAttr("window"); }
  /// A kind of family, once it is chosen.
  llvm::StringRef algorithm() const { return op->stringAttr("algorithm"); }
};

/// Of a tile.kernel or tile.choice; null when it has none.
ExpertsOp expertsOf(const ir::Operation &op);
ConvolutionOp convolutionOf(const ir::Operation &op);

/// Declarations of the operations above.
std::vector<ir::OpDecl> layerDecls();
/// What a tile.family of such kernels has besides.
std::vector<ir::AttrDecl> layerFigures();

} // namespace tile
} // namespace perfc

#endif // PERFC_IR_TILE_LAYEROPS_H
