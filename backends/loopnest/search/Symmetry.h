// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A swap of dimensions that changes nothing: a convolution with square images and filters is the
// same when its rows and columns are exchanged (p with q, r with s). Each mapping has a mirror
// image of the same cost, so a search looks at one of the two and tables are made for one half.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_SYMMETRY_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_SYMMETRY_H

#include "backends/loopnest/search/TileGrid.h"

namespace perfc {
namespace loopnest {

class Symmetry {
public:
  /// The swap of the space that moves the most, or none: all subscripts, sizes and rules are what
  /// they were after it.
  Symmetry(const MapSpace &space, const SlotRules &rules);

  bool isTrivial() const { return pairs.empty(); }
  unsigned image(unsigned dim) const { return images[dim]; }
  TileGrid::Point image(const TileGrid::Point &point) const {
    TileGrid::Point result = point;
    for (auto [d, e] : pairs)
      std::swap(result[d], result[e]);
    return result;
  }
  size_t image(const TileGrid &grid, size_t point) const {
    return isTrivial() ? point : grid.index(image(grid.point(point)));
  }
  /// Which of a vector of factors and its image comes first: below 0 the vector itself, 0 when they
  /// are the same.
  template <typename Factors> int compare(const Factors &factors) const {
    for (auto [d, e] : pairs)
      if (factors[d] != factors[e])
        return factors[d] < factors[e] ? -1 : 1;
    return 0;
  }
  /// The same of the mapping's first `slots`, slot by slot.
  int compare(const Mapping &mapping, unsigned slots) const {
    for (unsigned s = 0; s < slots; ++s)
      if (int result = compare(mapping.factor[s]))
        return result;
    return 0;
  }

private:
  std::array<uint8_t, maxDims> images;
  llvm::SmallVector<std::pair<uint8_t, uint8_t>, 4> pairs; ///< of dimensions that are swapped
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_SYMMETRY_H
