// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries of kernels: of each kind of kernel the tiles that it comes in, and what it takes beside
// its work. A choice is a kernel for which a tile of its library has still to be found.
#ifndef PERFC_IR_TILE_LIBRARYOPS_H
#define PERFC_IR_TILE_LIBRARYOPS_H

#include "ir/common/DType.h"
#include "ir/core/Operation.h"

namespace perfc {
namespace tile {

struct LibraryOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.library";
};

/// Kernels of one kind.
struct FamilyOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.family";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  bool isProduct() const { return kind() == "gemm" || kind() == "batched"; }
  bool isAttention() const { return kind().endswith("attention") || kind().endswith("decode"); }
  bool comesInTiles() const {
    return isProduct() || isAttention() || kind() == "experts" || kind() == "convolution" ||
           kind() == "winograd" || kind() == "winograd_split";
  }
  std::vector<std::string> formats() const { return op->stringsAttr("formats"); }
  /// Those of weights that are brought into these; empty where they have these as well.
  std::vector<std::string> weights() const { return op->stringsAttr("weights"); }
};

/// All of some rows with all of some columns, each with all of some splits of the sum.
struct ShapesOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.shapes";
  std::vector<int64_t> rows() const { return op->intsAttr("rows"); }
  std::vector<int64_t> columns() const { return op->intsAttr("columns"); }
  /// 1 alone when none are given.
  std::vector<int64_t> splits() const;
  /// The most rows of a product that they are for; nothing when they are for all.
  llvm::Optional<int64_t> upTo() const;
};

/// A kernel that waits for its tile.
struct ChoiceOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.choice";
  llvm::StringRef run() const { return op->symbolAttr("run"); }
  llvm::StringRef target() const { return op->symbolAttr("target"); }
  llvm::StringRef library() const { return op->symbolAttr("library"); }
};

/// What a kernel of a library computes: batch results of m by n elements, sums of k products.
struct ProductOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.product";
  int64_t batch() const { return op->intAttr("batch"); }
  int64_t m() const { return op->intAttr("m"); }
  int64_t n() const { return op->intAttr("n"); }
  int64_t k() const { return op->intAttr("k"); }
  /// In which it is computed.
  DType format() const { return *parseDType(op->stringAttr("format")); }
  DType left() const { return *parseDType(op->stringAttr("left")); }
  DType right() const { return *parseDType(op->stringAttr("right")); }
  DType result() const { return *parseDType(op->stringAttr("result")); }
  int64_t leftBytes() const { return op->intAttr("left_bytes"); }
  int64_t rightBytes() const { return op->intAttr("right_bytes"); }
  int64_t resultBytes() const { return op->intAttr("result_bytes"); }
  int64_t otherBytes() const { return op->intAttr("other_bytes"); }
  /// What the bytes of sums and of columns are a multiple of, 16 at most.
  int64_t alignment() const { return op->intAttr("alignment"); }
  /// The right factor is a weight, which no kernel before this one has brought on the chip.
  bool hasWeights() const { return op->hasAttr("weights"); }
};

/// What a kernel of a library streams; its bytes are those of the tensors that it reads and writes.
struct StreamOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.stream";
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
};

/// Of a tile.kernel or tile.choice; null when it has none.
ProductOp productOf(const ir::Operation &op);
StreamOp streamOf(const ir::Operation &op);
/// The kernels of `library` for products in `format` whose right factor, or weight, is in
/// `weights`; null when it has none.
FamilyOp gemmFor(LibraryOp library, DType format, DType weights, bool isBatched);
FamilyOp gemmFor(LibraryOp library, ProductOp product);
/// The kernels of `library` that stream tensors as `kind` says; null when it has none.
FamilyOp streamFor(LibraryOp library, llvm::StringRef kind);
/// The kernels of `library` of this kind for `format` (any, where they name none) and weights in
/// `weights`; null when it has none.
FamilyOp familyFor(LibraryOp library, llvm::StringRef kind, DType format, DType weights);

/// Declarations of the operations above.
std::vector<ir::OpDecl> libraryDecls();

} // namespace tile
} // namespace perfc

#endif // PERFC_IR_TILE_LIBRARYOPS_H
