// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel as amounts of kinds of work (ir/target/LayerFigures.h). A convolution or product
// multiplies in the format of its weights; of a 3 x 3 window without strides or dilation, with at
// least 16 channels and filters in a group, minimal filtering F(4x4, 3x3) multiplies
//     36 ceil(P / 4) ceil(Q / 4) channels filters groups images
// times (Lavin and Gray, CVPR 2016). Weights of convolutions and activations are counted once each;
// those of products are in the rate at which it multiplies. Windows that are copied into the
// columns of a product are written and read once each (Chellapilla et al., IWFHR 2006).
#ifndef PERFC_BACKENDS_EDGE_KERNELAMOUNTS_H
#define PERFC_BACKENDS_EDGE_KERNELAMOUNTS_H

#include "backends/core/KernelWork.h"
#include "ir/target/LayerFigures.h"

namespace perfc::edge {

struct Amount {
  target::LayerWork work;
  double count; ///< multiply-accumulates, bytes or kernels
};

struct KernelAmounts {
  DType format; ///< of what it multiplies
  std::vector<Amount> amounts;
  double direct = 0; ///< multiply-accumulates of the equation, where filtering takes fewer
};

/// On a chip that runs layers as its flags say (target::layerFlags).
KernelAmounts kernelAmounts(op::KernelOp kernel, const KernelWork &work, const ir::Operation &chip);

} // namespace perfc::edge

#endif // PERFC_BACKENDS_EDGE_KERNELAMOUNTS_H
