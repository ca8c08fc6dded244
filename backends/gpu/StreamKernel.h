// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel that streams tensors, as a kernel of a library (backends/gpu/StreamPrice.h).
#ifndef PERFC_BACKENDS_GPU_STREAMKERNEL_H
#define PERFC_BACKENDS_GPU_STREAMKERNEL_H

#include "backends/gpu/KernelLines.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// Of a kernel that has a tile.stream.
Cost streamKernelCost(const LibraryQuery &of);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_STREAMKERNEL_H
