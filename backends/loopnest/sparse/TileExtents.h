// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extents of tiles of a mapped nest: how many values each dimension takes inside a boundary of the
// nest, and the box of a tensor that these touch.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_TILEEXTENTS_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_TILEEXTENTS_H

#include "backends/loopnest/analysis/Nest.h"

namespace perfc {
namespace loopnest {

/// Values of each dimension, at first one each.
class TileExtents {
public:
  explicit TileExtents(const Nest &nest)
      : nest(nest), digits(nest.dims.size(), 1), offsets(nest.dims.size(), 0) {}

  /// Runs the tile through a loop around it.
  void add(const Loop &loop);
  /// Points of the tile.
  double points() const;
  /// The box of `tensor` in a tensor of this shape: how many values each rank takes, holes left
  /// out.
  llvm::SmallVector<int64_t, 4> box(const Tensor &tensor, llvm::ArrayRef<int64_t> shape) const;

private:
  int64_t valuesOf(const Subscript &rank) const;

  const Nest &nest;
  llvm::SmallVector<int64_t, 8> digits;  ///< product of the factors of the loops so far
  llvm::SmallVector<int64_t, 8> offsets; ///< what loops with steps of their own add
};

/// Whether a loop moves `tensor`.
bool moves(const Loop &loop, const Tensor &tensor);

/// The tile of a memory or lane: all loops at the places from `place` on.
TileExtents tileInside(const Nest &nest, size_t place);

/// What is used while the child of the memory at place `memory` holds one tile of `tensor`: the
/// loops inside place `child`, the loops in time around it that leave the tensor where it is, and
/// the lanes that share one read, or whose sums become one update. `child` is one past the last
/// place for lanes, which read anew in each step.
TileExtents whileHeld(const Nest &nest, const Tensor &tensor, size_t memory, size_t child);

/// What meets one word of `output` in the memory at place `memory` from its first update until the
/// memory first gives it up: the loops inside, and the ones in time around it, as long as they
/// leave the memory's tile where it is.
TileExtents whileFirst(const Nest &nest, const Tensor &output, size_t memory);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_TILEEXTENTS_H
