// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile provider. Kernels of libraries are in LibraryKernel.h. All others are blocks in waves:
// all units take a block at a time and share the bandwidth of the memory that the blocks load from;
// the last wave takes as long as a full one:
//     wave    = max(block compute, bytes per block * units / bandwidth)
//     latency = max(waves * wave, compulsory bytes / bandwidth of the outermost memory) + launch
// (wave quantisation: NVIDIA, "Matrix multiplication background user's guide", 2020). A block of a
// product is a full tile, so partial tiles at the edges cost what full ones do.
#ifndef PERFC_BACKENDS_GPU_TILE_H
#define PERFC_BACKENDS_GPU_TILE_H

#include "backends/core/CostProvider.h"

namespace perfc {
namespace gpu {

/// Serves tile.kernel on a target.chip.
class TileProvider : public CostProvider {
public:
  TileProvider() : CostProvider("tile") {}
  bool serves(const ir::Operation &op) const override;
  std::vector<llvm::Optional<Cost>> evaluate(llvm::ArrayRef<CostQuery> queries,
                                             DiagnosticEngine &diagnostics) override;
};

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_TILE_H
