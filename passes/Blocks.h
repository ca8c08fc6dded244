// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How kernels are cut into blocks. On a chip with a dispatched array (a GPU) a block computes a
// tile of the output: of products, 128 rows by 128 columns, where rows are indices of the first
// operand only and columns of the second only; of anything else 1024 elements. On an accelerator a
// block is one pass of the array: one setting of the loops at the outermost memory.
#ifndef PERFC_PASSES_BLOCKS_H
#define PERFC_PASSES_BLOCKS_H

#include "ir/loopnest/LoopnestOps.h"
#include "passes/analysis/Chip.h"
#include "passes/analysis/KernelModel.h"

namespace perfc {
namespace passes {

struct BlockTensor {
  std::string name;
  int64_t bytes; ///< per block
};

/// A grid of blocks and the work of one of them.
struct Blocks {
  std::vector<std::string> names; ///< indices that the grid runs over
  std::vector<int64_t> grid;      ///< blocks per index
  std::vector<int64_t> tile;      ///< extent of a block per index
  std::vector<BlockTensor> loads, stores;
  int64_t macs = 0, flops = 0;
  /// Blocks with points, where conditions leave some of the grid without; each then has the mean of
  /// what they all load, store and compute.
  llvm::Optional<int64_t> withPoints = llvm::None;

  int64_t count() const;
};

/// Blocks of `kernel` on a GPU; each of its statements is spread over all blocks alike.
/// The kernel has at least one statement.
Blocks outputBlocks(const Kernel &kernel);

/// The same of a kernel that streams its tensors: each block has as much of them as the others.
Blocks streamBlocks(const Kernel &kernel);

/// Blocks of `nest`, which runs `statement`.
Blocks nestBlocks(loopnest::NestOp nest, const Statement &statement);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_BLOCKS_H
