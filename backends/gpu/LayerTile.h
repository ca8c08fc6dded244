// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tile that was chosen for a layer, and the blocks that it is cut into.
#ifndef PERFC_BACKENDS_GPU_LAYERTILE_H
#define PERFC_BACKENDS_GPU_LAYERTILE_H

#include "backends/gpu/Figures.h"

namespace perfc {
namespace gpu {

struct LayerTile {
  Tile tile;
  int64_t rows = 1, columns = 1; ///< blocks along each
  std::string algorithm;         ///< of a convolution
};

} // namespace gpu
} // namespace perfc

#endif // PERFC_BACKENDS_GPU_LAYERTILE_H
