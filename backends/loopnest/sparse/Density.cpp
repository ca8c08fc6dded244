// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/Density.h"

#include "backends/core/Hypergeometric.h"

#include <algorithm>
#include <cmath>

using namespace perfc;
using namespace perfc::loopnest;

double loopnest::elements(Extents extents) {
  double product = 1;
  for (int64_t extent : extents)
    product *= static_cast<double>(extent);
  return product;
}

Density Density::uniform(double share) {
  Density density;
  density.uniformShare = share;
  return density;
}

Density Density::structured(int64_t kept, int64_t group) {
  Density density;
  density.kind = Kind::Structured;
  density.kept = kept;
  density.group = group;
  return density;
}

Density Density::banded(int64_t halfWidth) {
  Density density;
  density.kind = Kind::Banded;
  density.halfWidth = halfWidth;
  return density;
}

Density Density::measured(int64_t tileElements, std::vector<std::pair<int64_t, double>> tiles) {
  Density density;
  density.kind = Kind::Measured;
  density.group = tileElements;
  double all = 0;
  for (const auto &[nonzeros, count] : tiles)
    all += count;
  for (auto &[nonzeros, count] : tiles)
    count /= all;
  density.tiles = std::move(tiles);
  return density;
}

/// Rows and columns of the last two ranks; a vector is one row.
static std::pair<int64_t, int64_t> matrixOf(Extents extents) {
  int64_t columns = extents.empty() ? 1 : extents.back();
  int64_t rows = extents.size() < 2 ? 1 : extents[extents.size() - 2];
  return {rows, columns};
}

/// Sum over i in [0, count) of i + offset, cut to [0, limit].
static double cutSum(double count, double offset, double limit) {
  double first = std::clamp(-offset, 0.0, count);         // before it the term is 0
  double last = std::clamp(limit - offset, first, count); // from it on the term is limit
  double steps = last - first;
  return steps * (first + last - 1) / 2 + steps * offset + (count - last) * limit;
}

double Density::share(Extents shape) const {
  if (kind == Kind::Uniform)
    return std::round(uniformShare * elements(shape)) / std::max(elements(shape), 1.0);
  if (kind == Kind::Structured)
    return static_cast<double>(kept) / static_cast<double>(group);
  if (kind == Kind::Measured) {
    double mean = 0;
    for (const auto &[nonzeros, part] : tiles)
      mean += static_cast<double>(nonzeros) * part;
    return mean / static_cast<double>(group);
  }
  auto [rows, columns] = matrixOf(shape);
  double i = static_cast<double>(rows), j = static_cast<double>(columns),
         w = static_cast<double>(halfWidth);
  // Elements with j - i <= w, less those with j - i < -w.
  return i * j == 0 ? 1 : (cutSum(i, w + 1, j) - cutSum(i, -w, j)) / (i * j);
}

/// Rows of tiles that are looked at; of more, so many at equal distances.
static constexpr int64_t bandRows = 1 << 16;

/// The share of tiles that the band |i - j| <= w does not touch. In tile row a and column b, j - i
/// runs from b tj - a ti - ti + 1 to b tj - a ti + tj - 1.
static double outsideBand(Extents shape, Extents tile, int64_t halfWidth) {
  auto [rows, columns] = matrixOf(shape);
  auto [height, width] = matrixOf(tile);
  int64_t down = (rows + height - 1) / height, across = (columns + width - 1) / width;
  int64_t looked = std::min(down, bandRows);
  double touched = 0;
  for (int64_t at = 0; at < looked; ++at) {
    double top = std::floor(static_cast<double>(at) * static_cast<double>(down) /
                            static_cast<double>(looked)) *
                 static_cast<double>(height);
    double w = static_cast<double>(halfWidth), t = static_cast<double>(width);
    double first = std::ceil((top - w - t + 1) / t);
    double last = std::floor((w + top + static_cast<double>(height) - 1) / t);
    first = std::max(first, 0.0);
    last = std::min(last, static_cast<double>(across - 1));
    touched += std::max(last - first + 1, 0.0);
  }
  return 1 - touched / (static_cast<double>(looked) * static_cast<double>(across));
}

double Density::emptyShare(Extents shape, Extents tile) const {
  if (kind == Kind::Banded)
    return outsideBand(shape, tile, halfWidth);
  if (kind == Kind::Uniform) {
    double total = elements(shape);
    return probabilityOfNone(std::round(uniformShare * total), std::min(elements(tile), total),
                             total);
  }
  if (kind == Kind::Measured) {
    // A tile inside one that was measured, or several of those.
    double block = static_cast<double>(group), drawn = std::min(elements(tile), block), empty = 0;
    for (const auto &[nonzeros, part] : tiles)
      empty += part * probabilityOfNone(static_cast<double>(nonzeros), drawn, block);
    return std::pow(empty, std::max(1.0, elements(tile) / block));
  }
  // A tile as long as a group has all its nonzeros; tiles of other rows are independent of it.
  int64_t length = tile.empty() ? 1 : std::min(tile.back(), group);
  double one = probabilityOfNone(static_cast<double>(kept), static_cast<double>(length),
                                 static_cast<double>(group));
  return std::pow(one, elements(tile) / static_cast<double>(std::max<int64_t>(length, 1)));
}

bool Density::isEven(Extents tile) const {
  if (kind == Kind::Uniform)
    return uniformShare == 0 || uniformShare == 1;
  return kind == Kind::Structured && (!tile.empty() && tile.back() % group == 0);
}
