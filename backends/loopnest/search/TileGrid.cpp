// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/TileGrid.h"

#include <algorithm>

using namespace perfc;
using namespace perfc::loopnest;

/// Most points that tables are made for.
static constexpr size_t pointLimit = 400000;

TileGrid::TileGrid(const MapSpace &space) : dims(space.dims()) {
  size_t count = 1;
  bool tooMany = false;
  for (unsigned d = 0; d < dims; ++d) {
    divisorsOf.push_back(divisors(space.nest.dims[d].size));
    strides[d] = count;
    tooMany |= divisorsOf[d].size() >= none || count * divisorsOf[d].size() > pointLimit;
    count = tooMany ? 1 : count * divisorsOf[d].size();
  }
  if (tooMany)
    return;
  for (unsigned d = 0; d < dims; ++d) {
    const std::vector<int64_t> &list = divisorsOf[d];
    size_t n = list.size();
    quotients.emplace_back(n * n, none);
    products.emplace_back(n * n, none);
    for (size_t i = 0; i < n; ++i)
      for (size_t k = 0; k < n; ++k) {
        if (list[i] % list[k] == 0)
          quotients[d][i * n + k] = number(d, list[i] / list[k]);
        if (space.nest.dims[d].size / list[i] % list[k] == 0)
          products[d][i * n + k] = number(d, list[i] * list[k]);
      }
  }
  points.resize(count);
  for (size_t index = 0; index < count; ++index) {
    points[index].fill(0);
    for (unsigned d = 0; d < dims; ++d)
      points[index][d] = static_cast<uint8_t>(index / strides[d] % divisorsOf[d].size());
  }
}

uint8_t TileGrid::number(unsigned dim, int64_t divisor) const {
  const std::vector<int64_t> &list = divisorsOf[dim];
  return static_cast<uint8_t>(std::lower_bound(list.begin(), list.end(), divisor) - list.begin());
}
