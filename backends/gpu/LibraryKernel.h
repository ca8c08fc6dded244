// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel of a library: the time of backends/gpu/ProductPrice.h with what limits it,
// the bytes of each memory, and the energy of its operations and bytes.
#ifndef PERFC_BACKENDS_GPU_LIBRARYKERNEL_H
#define PERFC_BACKENDS_GPU_LIBRARYKERNEL_H

#include "backends/gpu/KernelLines.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// Of a kernel that has a tile.product.
Cost libraryKernelCost(const LibraryQuery &of);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_LIBRARYKERNEL_H
