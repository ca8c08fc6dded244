// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fused attention as a kernel of a library (backends/gpu/AttentionPrice.h): from the IR to plain
// numbers, its block, and its cost.
#ifndef PERFC_BACKENDS_GPU_ATTENTIONKERNEL_H
#define PERFC_BACKENDS_GPU_ATTENTIONKERNEL_H

#include "backends/gpu/AttentionPrice.h"
#include "backends/gpu/Figures.h"
#include "backends/gpu/KernelLines.h"
#include "ir/core/Module.h"
#include "ir/tile/AttentionOps.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// `family`, which runs `attention`, on `chip`.
AttentionFigures attentionFigures(tile::FamilyOp family, const KernelChip &chip);
AttentionWork attentionWork(tile::AttentionOp attention, tile::FamilyOp family,
                            const KernelChip &chip);

/// Says in `kernel`, an empty tile.kernel, how `price` cuts `attention`: its grid, tile, waves and
/// what a block moves and computes.
void describeAttention(ir::Operation &kernel, tile::AttentionOp attention,
                       const AttentionPrice &price, const Tile &tile, const KernelChip &chip,
                       DType products, ir::Builder &builder);

/// Of a kernel that has a tile.attention.
Cost attentionKernelCost(const LibraryQuery &of);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_ATTENTIONKERNEL_H
