// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as kernels of a library: the algorithm and tile that are fastest, and their cost
// (backends/gpu/ConvolutionPrice.h).
#ifndef PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H
#define PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H

#include "backends/core/CostProvider.h"
#include "backends/gpu/LayerTile.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// The fastest algorithm and tile for `choice`, which has a tile.convolution; nothing when no
/// kernel of its library runs on `chip`.
llvm::Optional<LayerTile> convolutionTile(tile::ChoiceOp choice, const KernelChip &chip);

/// `kernel` has a library and a tile.convolution; `run` is the op.kernel that it computes. Nothing
/// after a report.
llvm::Optional<Cost> convolutionKernelCost(tile::KernelOp kernel, const ir::Operation &run,
                                           const ir::Operation &target,
                                           DiagnosticEngine &diagnostics);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H
