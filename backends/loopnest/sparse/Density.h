// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the nonzero elements of a tensor lie, as far as expectations over its tiles need it.
// Uniform: r = round(share * N) of the N elements, each choice equally likely, so the nonzeros of a
// tile are hypergeometric (Wu et al., "Sparseloop", MICRO 2022, Sec. 5.2). Structured: of each
// group of g elements along one rank, k are nonzero (2:4 and its like). Banded: element (i, j)
// of the last two ranks is nonzero where |i - j| <= w. Measured: tiles of B elements were counted
// by their nonzeros; inside one they lie anywhere, and tiles are independent of each other.
#ifndef PERFC_BACKENDS_LOOPNEST_SPARSE_DENSITY_H
#define PERFC_BACKENDS_LOOPNEST_SPARSE_DENSITY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Optional.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace perfc {
namespace loopnest {

/// Extents of a tensor or of one of its tiles, outermost rank first.
using Extents = llvm::ArrayRef<int64_t>;

class Density {
public:
  /// Every element is nonzero.
  Density() = default;
  /// 0 <= share <= 1.
  static Density uniform(double share);
  /// 0 <= kept <= group, group >= 1; `rank` counts from the outermost, the last one by default.
  static Density structured(int64_t kept, int64_t group, llvm::Optional<size_t> rank = llvm::None);
  /// halfWidth >= 0; 0 is the diagonal.
  static Density banded(int64_t halfWidth);

  /// Tiles of `tileElements` elements; per number of nonzeros how many there are. Not empty.
  static Density measured(int64_t tileElements, std::vector<std::pair<int64_t, double>> tiles);

  /// The share of the elements of a tensor of this shape that are nonzero.
  double share(Extents shape) const;
  /// The probability that an aligned tile of a tensor of this shape has no nonzero element.
  double emptyShare(Extents shape, Extents tile) const;
  /// The share of the tiles of one size that have a nonzero element is no less, whatever the size:
  /// that of single elements, as no larger tile is empty more often. Where a band is cut into
  /// tiles, those at the edges may be smaller, and so many more: of each rank at most as many as
  /// would do without a rest, and again as many. 0 where not all tiles of a band are looked at.
  double leastTouched(Extents shape) const;
  /// True when every tile of this size has the same number of nonzeros, so that none waits for
  /// another.
  bool isEven(Extents tile) const;
  /// The probabilities that a tile of a tensor of this shape has 0, 1, … nonzeros, up to all its
  /// elements: hypergeometric; of a structured tensor draws from each group; of a measured one
  /// draws from a measured tile, or the sum of several; of a band each element by itself.
  std::vector<double> distribution(Extents shape, Extents tile) const;
  /// Tiles with as many elements that are alike in this have the same distribution: of a structured
  /// tensor the elements along the rank of its groups.
  int64_t lengthOfRows(Extents tile) const;

private:
  enum class Kind { Uniform, Structured, Banded, Measured };
  Kind kind = Kind::Uniform;
  double uniformShare = 1;
  int64_t kept = 1, group = 1;
  llvm::Optional<size_t> groupRank; ///< the last one if none
  int64_t halfWidth = 0;
  std::vector<std::pair<int64_t, double>> tiles; ///< nonzeros, share of the tiles
};

/// Product of the extents, as a real: tensors of 2^62 elements and more have no exact count.
double elements(Extents extents);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SPARSE_DENSITY_H
