// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays of a fused tensor whose halos are retained. Steps of shared loops, outermost first,
// number the tiles of its indices; tile j of an index needs the values [j s, j s + Y), of which the
// h = Y - s last ones are needed by the next tile as well. The tensor is made in the order of the
// same loops, ahead by the halo: before step (t_1, t_2, …) all elements whose values
//     floor((x_i - h_i) / s_i)
// are lexicographically at most (t_1, t_2, …). What is kept then is what this step or a later one
// needs: for a halo along the innermost loop a tile; for one along an outer loop lines as long as
// what the inner loops step through (Alwani et al., "Fused-layer CNN accelerators", MICRO 2016).
// Where the statement that reads it runs ahead itself, its steps are those that make its own tiles,
// of which the first is smaller by c values: tile j needs [j s - c, j s - c + Y).
#ifndef PERFC_PASSES_FUSEDHALO_H
#define PERFC_PASSES_FUSEDHALO_H

#include "ir/common/Rational.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"

namespace perfc {
namespace passes {

/// How one index of a tensor moves with the steps that share it.
struct TileSteps {
  int64_t tile;   ///< values that a step needs, from 1 to `extent`
  int64_t step;   ///< from the tile of one step to the next one's, at least 1
  int64_t count;  ///< steps, at least 1
  int64_t extent; ///< values that there are
  /// Values by which the steps run ahead of the loops, so that the first takes what is left.
  int64_t ahead = 0;

  /// Values that the first step lacks, below `step`: c above.
  int64_t missing() const { return count > 1 ? (step - ahead % step) % step : 0; }
};

/// The most elements that are kept at a time, by the indices in the order of the loops that move
/// them. Nothing when that does not fit 64 bits.
llvm::Optional<int64_t> keptElements(llvm::ArrayRef<TileSteps> indices);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDHALO_H
