// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bits of the tiles that a memory holds: over its tensors, the product of the values that each
// subscript takes, which is n*m - max(0, n - b') * max(0, m - a') for a*i + b*j (ValueSet.h); of
// tiles that padding cuts wherever they lie, the most that it leaves of one. Where
// partial sums of the result have a size of their own, a memory holds finished words as long as
// each element arrives there once, and as its whole sum: lanes that add to one element are all
// further in and send what they have added up as one, and loops in time over what the result lacks
// have no loop of the result inside them, outside of the next memory that keeps it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H

#include "backends/loopnest/search/MapSpace.h"

namespace perfc {
namespace loopnest {

class TileSizes {
public:
  explicit TileSizes(const MapSpace &space);
  /// Bits of the tiles of `memory`, which are what the loops outside it leave; INT64_MAX for more
  /// than that. Of a mapping whose inner slots are not decided, and have factors 1, no more than of
  /// any that it begins.
  int64_t bits(const Mapping &mapping, unsigned memory) const {
    return bits(mapping, memory, holdsPartial(mapping, memory));
  }
  /// The least and the most of any mapping with these factors outside the memory.
  int64_t leastBits(const Mapping &mapping, unsigned memory) const {
    return bits(mapping, memory, sums[memory].always);
  }
  int64_t mostBits(const Mapping &mapping, unsigned memory) const {
    return bits(mapping, memory, sums[memory].differ);
  }

private:
  /// Partial sums of the result at one memory.
  struct Sums {
    int64_t bits = 0; ///< of one; those of a finished word where they do not differ
    bool differ = false;
    bool always = false;  ///< whatever the mapping is
    bool toLanes = false; ///< no memory further in keeps the result
    unsigned end = 0;     ///< slots outside of the next one that does
  };
  void addSums(unsigned memory, const Crossing &inside);
  bool holdsPartial(const Mapping &mapping, unsigned memory) const;
  int64_t bits(const Mapping &mapping, unsigned memory, bool partial) const;

  /// Tiles of a subscript with `lengths` of its dimensions, all of which padding cuts.
  struct CutTile {
    std::array<int64_t, 2> lengths;
    int64_t most; ///< values that are left of one
  };
  /// One subscript.
  struct RankSize {
    llvm::SmallVector<unsigned, 2> dims;
    std::array<int64_t, 2> free{}; ///< of two: values of each that no value of the other repeats
    llvm::SmallVector<CutTile, 4> cut;
    int64_t values(llvm::ArrayRef<int64_t> tile) const;
  };
  void addCutTiles(const Rank &rank, RankSize &size) const;

  const MapSpace &space;
  std::vector<llvm::SmallVector<RankSize, 4>> ranks; ///< by tensor
  std::vector<DimMask> used;                         ///< by memory
  std::vector<Sums> sums;                            ///< by memory
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TILESIZES_H
