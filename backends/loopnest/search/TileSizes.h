// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of the tiles that a memory holds: over its tensors, the product of the values that each
// subscript takes, which is n*m - max(0, n - b') * max(0, m - a') for a*i + b*j (ValueSet.h).
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H

#include "backends/loopnest/search/MapSpace.h"

namespace perfc {
namespace loopnest {

class TileSizes {
public:
  explicit TileSizes(const MapSpace &space);
  /// Bits of the tiles of `memory`, which are what the loops outside it leave; INT64_MAX for more
  /// than that.
  int64_t bits(const Mapping &mapping, unsigned memory) const;

private:
  /// One subscript.
  struct RankSize {
    llvm::SmallVector<unsigned, 2> dims;
    std::array<int64_t, 2> free{}; ///< of two: values of each that no value of the other repeats
    int64_t most = INT64_MAX;      ///< elements that are not padding
  };

  const MapSpace &space;
  std::vector<llvm::SmallVector<RankSize, 4>> ranks; ///< by tensor
  std::vector<DimMask> used;                         ///< by memory
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H
