// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a runtime takes for the layers of a network on a chip, by the kind of work: the attribute
// `layers` of a target.chip. A figure is a rate of multiply-accumulates (by number format of the
// weights, "pointwise.int8", or for all, "pointwise"), a bandwidth or a time. A kind that has no
// figure of its own takes another's.
#ifndef PERFC_IR_TARGET_LAYERFIGURES_H
#define PERFC_IR_TARGET_LAYERFIGURES_H

#include "ir/common/DType.h"
#include "ir/target/TargetOps.h"

namespace perfc::target {

/// How a runtime runs layers, as attributes of a target.chip beside `layers`.
inline constexpr llvm::StringLiteral layerFlags[] = {"each_group", "unrolls", "each_step"};

enum class LayerWork : uint8_t {
  // Multiply-accumulates.
  Convolution, ///< of windows that no other kind is for
  Pointwise,   ///< of one point
  Winograd,    ///< 3 x 3 without strides: those of minimal filtering F(4x4, 3x3)
  First,       ///< of at most four channels
  Depthwise,
  Product, ///< linear layers, and products of attention
  // Bytes.
  Weights,     ///< of convolutions
  Activations, ///< that products read and write
  Transforms,  ///< that minimal filtering transforms
  Elements,    ///< of kernels that compute elements
  Reductions,  ///< of kernels that reduce elements, as pooling does
  Moves,       ///< of kernels that compute nothing
  // Kernels.
  Op,
};

struct LayerWorkInfo {
  LayerWork work;
  llvm::StringLiteral name; ///< its word
  enum Kind : uint8_t { Macs, Bytes, Kernels } kind;
  /// Whose figure it has without one; itself for none.
  LayerWork otherwise;
};

/// In the order of LayerWork.
llvm::ArrayRef<LayerWorkInfo> layerWorks();
inline const LayerWorkInfo &infoOf(LayerWork work) {
  return layerWorks()[static_cast<size_t>(work)];
}

/// A figure of `layers`: multiply-accumulates or bytes per second, or seconds; null where neither
/// `work` nor what takes its place has one. `from` becomes the kind of work that has it.
const ir::Attribute *layerFigure(const ir::AttrDict &layers, LayerWork work, DType format,
                                 LayerWork *from = nullptr);

} // namespace perfc::target

#endif // PERFC_IR_TARGET_LAYERFIGURES_H
