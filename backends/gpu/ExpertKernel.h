// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers of experts as kernels of a library: their tile and their cost
// (backends/gpu/ExpertPrice.h).
#ifndef PERFC_BACKENDS_GPU_EXPERTKERNEL_H
#define PERFC_BACKENDS_GPU_EXPERTKERNEL_H

#include "backends/gpu/KernelLines.h"
#include "backends/gpu/LayerTile.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// The fastest tile for `choice`, which has a tile.experts; nothing when no kernel of its library
/// runs on `chip`.
llvm::Optional<LayerTile> expertTile(tile::ChoiceOp choice, const KernelChip &chip);

/// Of a kernel that has a tile.experts.
Cost expertKernelCost(const LibraryQuery &of);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_EXPERTKERNEL_H
