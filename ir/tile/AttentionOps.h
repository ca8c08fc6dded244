// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention as a kernel of a library runs it: scores, softmax and values.
#ifndef PERFC_IR_TILE_ATTENTIONOPS_H
#define PERFC_IR_TILE_ATTENTIONOPS_H

#include "ir/tile/LibraryOps.h"

namespace perfc {
namespace tile {

/// What the kernel computes: for each sequence and head of keys, `group` heads of queries.
struct AttentionOp : ir::OpView {
  using OpView::OpView;
  static constexpr llvm::StringLiteral opName = "tile.attention";
  /// The kind of kernels that run it: "attention", "decode", "latent_attention", "latent_decode".
  llvm::StringRef kind() const { return op->stringAttr("kind"); }
  int64_t sequences() const { return op->intAttr("sequences"); }
  int64_t heads() const { return op->intAttr("heads"); }
  int64_t group() const { return op->intAttr("group"); }
  int64_t queries() const { return op->intAttr("queries"); }
  int64_t keys() const { return op->intAttr("keys"); }
  int64_t scoreFeatures() const { return op->intAttr("score_features"); }
  int64_t valueFeatures() const { return op->intAttr("value_features"); }
  int64_t window() const { return op->intAttr("window"); } ///< 0 for all keys
  int64_t otherBytes() const { return op->intAttr("other_bytes"); }
  bool isCausal() const { return op->hasAttr("causal"); }
  /// Positions from a query to the next.
  int64_t stride() const { return op->intAttr("stride", 1); }
  bool isDecode() const { return kind() == "decode" || kind() == "latent_decode"; }
  DType format() const { return *parseDType(op->stringAttr("format")); }
  DType cache() const { return *parseDType(op->stringAttr("cache")); }
};

/// Of a tile.kernel or tile.choice; null when it has none.
AttentionOp attentionOf(const ir::Operation &op);
/// The first kernels of `library` that run `attention`; null when it has none.
FamilyOp attentionFor(LibraryOp library, AttentionOp attention);
/// The format that they multiply in.
DType productsOf(FamilyOp family, AttentionOp attention);

/// The declaration of tile.attention.
ir::OpDecl attentionDecl();
/// What a tile.family of attention has besides.
std::vector<ir::AttrDecl> attentionFigures();

} // namespace tile
} // namespace perfc

#endif // PERFC_IR_TILE_ATTENTIONOPS_H
