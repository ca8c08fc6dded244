// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tiles of any size need at least: the bits that a memory holds when its tile covers so many
// values of each index. A sliding window a*p + b*r over n and m values has
//     n * m - max(0, n - b') * max(0, m - a')        (a', b' without common factors)
// elements where the steps of one leave no hole that the other does not fill.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINTILES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINTILES_H

#include "backends/loopnest/search/MapSpace.h"

namespace perfc {
namespace loopnest {

class ChainTiles {
public:
  using Tile = std::array<int64_t, maxDims>; ///< values of each index

  explicit ChainTiles(const MapSpace &space);
  /// Bits that the tensors of a memory need, padding left out as far as that is known; 0 where
  /// subscripts share indices.
  double leastBits(unsigned memory, const Tile &tile) const;
  /// Those of one of its tensors.
  double leastBits(unsigned memory, unsigned tensor, const Tile &tile) const;
  /// The dimensions of tensors of a memory.
  DimMask used(unsigned memory) const { return usedBy[memory]; }

private:
  struct RankSize {
    unsigned dims[2];
    bool isWindow = false;
    double reach[2]{};  ///< b', a'
    double padding = 0; ///< values that are outside of the tensor
  };
  struct Kept {
    unsigned tensor;
    double bits;
    double rounded; ///< that expectations may be less than this by
    llvm::SmallVector<RankSize, 4> ranks;
  };
  static double leastBits(const Kept &tensor, const Tile &tile);

  std::vector<std::vector<Kept>> kept; ///< by memory
  std::vector<DimMask> usedBy;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_CHAINTILES_H
