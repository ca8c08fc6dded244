// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mapspace in flat form. A slot is a memory, whose loops run in time, or an axis of an array; a
// mapping gives each slot a factor per dimension and an order of its loops. Factors are perfect:
// those of a dimension multiply to its size. What a level receives of a tensor depends only on the
// loops outside it: a crossing is one tensor on its way from a memory to the next level inward that
// keeps it.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_MAPSPACE_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_MAPSPACE_H

#include "backends/loopnest/analysis/RankSums.h"
#include <array>

namespace perfc {
namespace loopnest {

/// Most dimensions and slots of a mapspace in flat form.
constexpr unsigned maxDims = 12;
constexpr unsigned maxSlots = 12;

struct Slot {
  unsigned place;
  unsigned number; ///< of the memory, or of the array
  bool isAxis = false;
  unsigned axis = 0;
  int64_t size = 1; ///< of an axis
  bool multicast = true;
  bool reduce = true;
};

/// One mapping: factors and orders by slot. `order` lists all dimensions, outermost first; loops of
/// factor 1 do not count.
struct Mapping {
  std::array<std::array<int64_t, maxDims>, maxSlots> factor;
  std::array<std::array<uint8_t, maxDims>, maxSlots> order;
};

/// A subscript a * first + b * second + constant.
struct Window {
  unsigned first, second;
  int64_t a, b, constant;
  llvm::Optional<int64_t> extent;
};

using DimMask = uint32_t;

struct FlatTensor {
  bool isOutput = false;
  int64_t bits = 0;
  DimMask plain = 0;     ///< dimensions that are a rank of their own
  DimMask windowed = 0;  ///< those of its windows
  DimMask cut = 0;       ///< plain ones of which some elements are padding
  int64_t plainSize = 1; ///< elements of the plain ranks together, padding left out
  llvm::SmallVector<Window, 2> windows;
  std::array<int8_t, maxDims> windowOf; ///< -1 without
};

struct Crossing {
  unsigned tensor;
  unsigned level;  ///< number of the memory; the lanes come after the last
  unsigned parent; ///< number of the memory
  unsigned end;    ///< slots outside the level
  unsigned parentEnd;
  llvm::SmallVector<unsigned, 2> arrays; ///< numbers of those between
};

/// One op on one chip.
struct MapSpace {
  Nest nest; ///< without loops
  std::vector<Slot> slots;
  std::vector<FlatTensor> tensors;
  std::vector<Crossing> crossings; ///< tensor by tensor, outermost first
  std::vector<unsigned> memorySlot;
  unsigned output = 0;
  int64_t points = 1; ///< multiply-accumulates
  bool isFlat = true; ///< the closed form of perfect factors serves
  /// By memory and tensor: the least part of a tile's bits that is held, where zeros are left out;
  /// empty without zeros.
  std::vector<llvm::SmallVector<double, 4>> held;

  unsigned dims() const { return nest.dims.size(); }
  unsigned lanes() const { return memorySlot.size(); }
  double heldShare(unsigned memory, unsigned tensor) const {
    return held.empty() ? 1 : held[memory][tensor];
  }
  /// All loops at the outermost memory, in the order of the dimensions.
  Mapping emptyMapping() const;
  /// The nest with the loops of `mapping`.
  Nest withLoops(const Mapping &mapping) const;
};

/// The flat form of `nest`, whose loops are left out. Nothing, with the reason, for what it has no
/// form for: coupled subscripts, more than two dimensions in one, counts beyond 62 bits.
llvm::Optional<MapSpace> makeMapSpace(const Nest &nest, std::string &reason);

/// The same for any subscripts: where there is no closed form, `isFlat` is false, and of the
/// tensors only the dimensions that they use are known, each by itself (`plain`) or with others
/// (`windowed`).
llvm::Optional<MapSpace> makeGeneralSpace(const Nest &nest, std::string &reason);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_MAPSPACE_H
