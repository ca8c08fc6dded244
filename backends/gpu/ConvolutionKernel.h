// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions as kernels of a library: the algorithm and tile that are fastest, and their cost
// (backends/gpu/ConvolutionPrice.h).
#ifndef PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H
#define PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H

#include "backends/gpu/KernelLines.h"
#include "backends/gpu/LayerTile.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// The fastest algorithm and tile for `choice`, which has a tile.convolution; nothing when no
/// kernel of its library runs on `chip`.
llvm::Optional<LayerTile> convolutionTile(tile::ChoiceOp choice, const KernelChip &chip);

/// Of a kernel that has a tile.convolution.
Cost convolutionKernelCost(const LibraryQuery &of);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_CONVOLUTIONKERNEL_H
