// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TileSizes.h"

#include "backends/loopnest/analysis/PartialWords.h"
#include "backends/loopnest/analysis/ValueSet.h"
#include "backends/loopnest/search/SlotRules.h"
#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

TileSizes::TileSizes(const MapSpace &space)
    : space(space), ranks(space.tensors.size()), used(space.lanes(), 0), sums(space.lanes()) {
  for (unsigned t = 0; t < space.tensors.size(); ++t)
    for (const Subscript &subscript : space.nest.tensors[t].ranks) {
      Rank rank = normalise(space.nest, subscript);
      RankSize size;
      for (const Term &term : rank.terms)
        size.dims.push_back(term.dim);
      if (rank.terms.size() == 2) {
        int64_t a = std::abs(rank.terms[0].coefficient), b = std::abs(rank.terms[1].coefficient);
        int64_t divisor = std::gcd(a, b);
        size.free = {b / divisor, a / divisor};
      }
      if (rank.extent && space.isFlat)
        addCutTiles(rank, size);
      ranks[t].push_back(std::move(size));
    }
  for (unsigned m = 0; m < space.lanes(); ++m)
    for (unsigned t : space.nest.places[space.slots[space.memorySlot[m]].place].keep)
      used[m] |= space.tensors[t].plain | space.tensors[t].windowed;
  for (const Crossing &crossing : space.crossings)
    if (crossing.tensor == space.output)
      addSums(crossing.parent, crossing);
}

/// Calls `visit` with the first value of each tile of a subscript until it returns true; whether it
/// did. `sizes` and `tile` are those of its dimensions.
static bool anyPlace(const Rank &rank, std::array<int64_t, 2> sizes, std::array<int64_t, 2> tile,
                     llvm::function_ref<bool(int64_t)> visit) {
  std::array<int64_t, 2> step{};
  for (size_t k = 0; k < rank.terms.size(); ++k)
    step[k] = rank.terms[k].coefficient;
  for (int64_t i = 0; i < sizes[0]; i += tile[0])
    for (int64_t j = 0; j < sizes[1]; j += tile[1])
      if (visit(rank.constant + step[0] * i + step[1] * j))
        return true;
  return false;
}

void TileSizes::addCutTiles(const Rank &rank, RankSize &size) const {
  std::array<int64_t, 2> sizes = {1, 1};
  for (size_t k = 0; k < rank.terms.size(); ++k)
    sizes[k] = space.nest.dims[rank.terms[k].dim].size;
  int64_t extent = *rank.extent;
  for (int64_t n : divisors(sizes[0]))
    for (int64_t m : divisors(sizes[1])) {
      ValueSet set(rank.terms, {n, m});
      if (anyPlace(rank, sizes, {n, m}, [&](int64_t place) {
            return place + set.low() >= 0 && place + set.high() < extent;
          }))
        continue;
      int64_t most = 0;
      anyPlace(rank, sizes, {n, m}, [&](int64_t place) {
        most = std::max(most, set.countWithin(-place, extent - place));
        return false;
      });
      size.cut.push_back({{n, m}, most});
    }
}

int64_t TileSizes::RankSize::values(llvm::ArrayRef<int64_t> tile) const {
  if (dims.empty())
    return cut.empty() ? 1 : 0;
  int64_t first = tile[dims[0]], second = dims.size() == 2 ? tile[dims[1]] : 1;
  for (const CutTile &one : cut)
    if (one.lengths[0] == first && one.lengths[1] == second)
      return one.most;
  if (dims.size() != 2)
    return first;
  return first * second -
         std::max<int64_t>(0, first - free[0]) * std::max<int64_t>(0, second - free[1]);
}

void TileSizes::addSums(unsigned memory, const Crossing &inside) {
  const FlatTensor &result = space.tensors[space.output];
  Sums &own = sums[memory];
  own.bits = movedBits(space.nest, memoryOf(space.nest, memory), space.output);
  own.differ = own.bits != result.bits;
  own.toLanes = inside.level == space.lanes();
  own.end = inside.end;
  if (!own.differ || !own.toLanes)
    return;
  // Points that are added up before they arrive.
  int64_t together = 1;
  for (unsigned s = space.memorySlot[memory]; s < own.end; ++s)
    if (space.slots[s].isAxis && space.slots[s].reduce)
      together *= space.slots[s].size;
  own.always = space.points / together > result.plainSize;
}

bool TileSizes::holdsPartial(const Mapping &mapping, unsigned memory) const {
  const Sums &own = sums[memory];
  if (!own.differ || own.always)
    return own.differ;
  const FlatTensor &result = space.tensors[space.output];
  bool moves = own.toLanes; // a loop of the result stands inside
  for (unsigned s = own.end; s-- > 0;) {
    const Slot &slot = space.slots[s];
    bool addsUp = slot.isAxis && slot.reduce && s > space.memorySlot[memory];
    for (unsigned i = space.dims(); i-- > 0 && !addsUp;) {
      unsigned d = mapping.order[s][i];
      if (mapping.factor[s][d] == 1)
        continue;
      if (!(result.plain >> d & 1)) {
        if (moves || slot.isAxis)
          return true;
      } else {
        moves |= !slot.isAxis;
      }
    }
  }
  return false;
}

/// A share of `bits`, of which expectations in whole words may be half a word less.
static int64_t leastOf(int64_t bits, double share, int64_t word) {
  double least = static_cast<double>(bits) * share - static_cast<double>(word) / 2;
  return static_cast<int64_t>(std::clamp(least, 0.0, 0x1p62));
}

int64_t TileSizes::bits(const Mapping &mapping, unsigned memory, bool partial) const {
  std::array<int64_t, maxDims> tile;
  unsigned end = space.memorySlot[memory];
  for (unsigned d = 0; d < space.dims(); ++d) {
    if (!(used[memory] >> d & 1))
      continue;
    int64_t outside = 1;
    for (unsigned s = 0; s < end; ++s)
      outside *= mapping.factor[s][d];
    tile[d] = space.nest.dims[d].size / outside;
  }
  int64_t sum = 0;
  for (unsigned t : space.nest.places[space.slots[end].place].keep) {
    int64_t word = partial && t == space.output ? sums[memory].bits : space.tensors[t].bits;
    int64_t bits = word;
    bool over = false;
    for (const RankSize &rank : ranks[t])
      over |= __builtin_mul_overflow(bits, rank.values(tile), &bits);
    if (double share = space.heldShare(memory, t); share != 1 && !over)
      bits = leastOf(bits, share, word);
    if (over || __builtin_add_overflow(sum, bits, &sum))
      return INT64_MAX;
  }
  return sum;
}
