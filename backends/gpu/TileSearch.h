// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The search that gives kernels of libraries their tiles, between lowering and costing: each
// tile.choice becomes the tile.kernel that is fastest of those that its library proposes.
#ifndef PERFC_BACKENDS_GPU_TILESEARCH_H
#define PERFC_BACKENDS_GPU_TILESEARCH_H

#include "ir/core/Module.h"

namespace perfc {
namespace gpu {

/// False where a kernel has no tile: its chip cannot multiply its format, or no tile fits (reported
/// at the kernel).
bool chooseTiles(ir::Module &module, DiagnosticEngine &diagnostics);

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_TILESEARCH_H
