// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/RankUnits.h"

#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;
using timeloop::RankFormat;

/// Words of one rank with `filled` of `fibers` that are not empty, of `coordinates` out of `shape`
/// each. A rank that no loop steps costs nothing but its offset.
static RankUnits formatUnits(RankFormat format, double fibers, double filled, double shape,
                             double coordinates) {
  if (shape == 1)
    return {0, format == RankFormat::UOP ? filled : 0};
  switch (format) {
  case RankFormat::UOP:
    return {0, filled * (shape + 1)};
  case RankFormat::UB:
    return {fibers * shape, fibers * shape};
  case RankFormat::B:
    return {filled * shape, filled * std::ceil(coordinates)};
  case RankFormat::RLE:
    return {filled * coordinates, filled * coordinates};
  case RankFormat::CP:
    return {filled * std::ceil(coordinates), filled * std::ceil(coordinates)};
  }
  return {};
}

RankCounts loopnest::rankUnits(llvm::ArrayRef<RankFormat> formats,
                               llvm::ArrayRef<int64_t> fiberShapes,
                               llvm::function_ref<double(size_t inner)> emptyShare) {
  RankCounts units(formats.size());
  double fibers = 1;
  for (size_t rank = formats.size(); rank-- > 0;) {
    auto shape = static_cast<double>(fiberShapes[rank]);
    double filled = fibers * (1 - emptyShare(rank + 1));
    double coordinates = shape * (1 - emptyShare(rank));
    units[rank] = formatUnits(formats[rank], fibers, filled, shape, coordinates);
    fibers *= shape;
  }
  // What the innermost rank that steps leads to are the values themselves.
  for (size_t rank = 0; rank < units.size(); ++rank) {
    units[rank].payload = 0;
    if (fiberShapes[rank] > 1)
      break;
  }
  return units;
}
