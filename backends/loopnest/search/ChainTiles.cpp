// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/ChainTiles.h"

#include <algorithm>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

ChainTiles::ChainTiles(const MapSpace &space) {
  for (unsigned m = 0; m < space.lanes(); ++m) {
    unsigned slot = space.memorySlot[m];
    std::vector<Kept> &list = kept.emplace_back();
    usedBy.push_back(0);
    if (!space.isFlat)
      continue;
    for (unsigned t : space.nest.places[space.slots[slot].place].keep) {
      usedBy.back() |= space.tensors[t].plain | space.tensors[t].windowed;
      double share = space.heldShare(m, t), word = double(space.tensors[t].bits);
      Kept own{t, word * share, share == 1 ? 0 : word / 2, {}};
      for (const Subscript &subscript : space.nest.tensors[t].ranks) {
        Rank rank = normalise(space.nest, subscript);
        if (rank.terms.empty()) {
          own.bits = rank.extent ? 0 : own.bits; // the one value is padding
          continue;
        }
        RankSize size;
        size.dims[0] = size.dims[1] = rank.terms[0].dim;
        if (rank.terms.size() == 2) {
          int64_t a = std::abs(rank.terms[0].coefficient), b = std::abs(rank.terms[1].coefficient);
          int64_t divisor = std::gcd(a, b);
          size.dims[1] = rank.terms[1].dim;
          size.isWindow = true;
          size.reach[0] = double(b / divisor);
          size.reach[1] = double(a / divisor);
        }
        if (rank.extent) {
          int64_t from = std::max<int64_t>(rank.low, 0), to = std::min(rank.high, *rank.extent - 1);
          size.padding = double(rank.high - rank.low + 1 - std::max<int64_t>(0, to - from + 1));
        }
        own.ranks.push_back(size);
      }
      list.push_back(std::move(own));
    }
  }
}

double ChainTiles::leastBits(const Kept &tensor, const Tile &tile) {
  double words = 1;
  for (const RankSize &rank : tensor.ranks) {
    double values = double(tile[rank.dims[0]]);
    if (rank.isWindow) {
      double second = double(tile[rank.dims[1]]);
      values = values * second -
               std::max(0.0, values - rank.reach[0]) * std::max(0.0, second - rank.reach[1]);
    }
    words *= std::max(0.0, values - rank.padding);
  }
  return std::max(0.0, words * tensor.bits - tensor.rounded);
}

double ChainTiles::leastBits(unsigned memory, const Tile &tile) const {
  double sum = 0;
  for (const Kept &tensor : kept[memory])
    sum += leastBits(tensor, tile);
  return sum;
}

double ChainTiles::leastBits(unsigned memory, unsigned tensor, const Tile &tile) const {
  for (const Kept &own : kept[memory])
    if (own.tensor == tensor)
      return leastBits(own, tile);
  return 0;
}
