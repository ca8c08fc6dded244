// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel that streams tensors, as a kernel of a library (backends/gpu/StreamPrice.h).
#ifndef PERFC_BACKENDS_GPU_STREAMKERNEL_H
#define PERFC_BACKENDS_GPU_STREAMKERNEL_H

#include "backends/core/CostProvider.h"
#include "ir/tile/TileOps.h"

namespace perfc {
namespace gpu {

/// `kernel` has a library and a tile.stream; `run` is the op.kernel that it computes. Nothing after
/// a report.
llvm::Optional<Cost> streamKernelCost(tile::KernelOp kernel, const ir::Operation &run,
                                      const ir::Operation &target, DiagnosticEngine &diagnostics);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_STREAMKERNEL_H
