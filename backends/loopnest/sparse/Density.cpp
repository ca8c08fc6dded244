// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/sparse/Density.h"
#include "llvm/ADT/STLFunctionalExtras.h"

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

Density Density::structured(int64_t kept, int64_t group, llvm::Optional<size_t> rank) {
  Density density;
  density.kind = Kind::Structured;
  density.kept = kept;
  density.group = group;
  density.groupRank = rank;
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
  int64_t length = std::min(lengthOfRows(tile), group);
  double one = probabilityOfNone(static_cast<double>(kept), static_cast<double>(length),
                                 static_cast<double>(group));
  return std::pow(one, elements(tile) / static_cast<double>(std::max<int64_t>(length, 1)));
}

double Density::leastTouched(Extents shape) const {
  if (kind != Kind::Banded)
    return share(shape);
  return matrixOf(shape).first > bandRows ? 0 : share(shape) / 4;
}

/// Of `total` elements `marked` are nonzero and `drawn` are looked at: by ratios of neighbouring
/// terms, outward from the most likely one, so that nothing underflows where it matters.
static std::vector<double> hypergeometric(double marked, int64_t drawn, double total) {
  std::vector<double> shares(static_cast<size_t>(drawn) + 1, 0.0);
  double n = static_cast<double>(drawn);
  double low = std::max(0.0, n - (total - marked)), high = std::min(n, marked);
  auto ratio = [&](double k) { // of the term k + 1 to the term k
    return (marked - k) * (n - k) / ((k + 1) * (total - marked - n + k + 1));
  };
  double mode = std::clamp(std::floor((n + 1) * (marked + 1) / (total + 2)), low, high), sum = 1;
  shares[static_cast<size_t>(mode)] = 1;
  for (double k = mode; k < high; ++k)
    sum += shares[static_cast<size_t>(k + 1)] = shares[static_cast<size_t>(k)] * ratio(k);
  for (double k = mode; k > low; --k)
    sum += shares[static_cast<size_t>(k - 1)] = shares[static_cast<size_t>(k)] / ratio(k - 1);
  for (double &share : shares)
    share /= sum;
  return shares;
}

/// The distribution of the sum of two independent numbers.
static std::vector<double> convolve(const std::vector<double> &a, const std::vector<double> &b) {
  std::vector<double> sum(a.size() + b.size() - 1, 0.0);
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t j = 0; a[i] > 0 && j < b.size(); ++j)
      sum[i + j] += a[i] * b[j];
  return sum;
}

/// The distribution of `count` elements that come in pieces of `size`, and a smaller last one.
static std::vector<double>
inPieces(int64_t count, int64_t size,
         llvm::function_ref<std::vector<double>(int64_t)> distributionOf) {
  std::vector<double> all = {1.0}, power = distributionOf(size);
  for (int64_t pieces = count / size; pieces > 0; pieces /= 2) {
    if (pieces % 2 == 1)
      all = convolve(all, power);
    if (pieces > 1)
      power = convolve(power, power);
  }
  return count % size ? convolve(all, distributionOf(count % size)) : all;
}

int64_t Density::lengthOfRows(Extents tile) const {
  if (kind != Kind::Structured || tile.empty())
    return 1;
  return tile[std::min(groupRank.getValueOr(tile.size() - 1), tile.size() - 1)];
}

std::vector<double> Density::distribution(Extents shape, Extents tile) const {
  double total = elements(shape);
  auto count = static_cast<int64_t>(elements(tile));
  if (kind == Kind::Uniform)
    return hypergeometric(std::round(uniformShare * total), count,
                          std::max(total, static_cast<double>(count)));
  if (kind == Kind::Banded) {
    double nonzero = share(shape);
    return inPieces(count, 1, [&](int64_t) { return std::vector<double>{1 - nonzero, nonzero}; });
  }
  if (kind == Kind::Structured)
    return inPieces(count, lengthOfRows(tile), [&](int64_t row) {
      return inPieces(row, std::min(row, group), [&](int64_t drawn) {
        return hypergeometric(static_cast<double>(kept), drawn, static_cast<double>(group));
      });
    });
  return inPieces(count, std::min(count, group), [&](int64_t drawn) {
    std::vector<double> piece(static_cast<size_t>(drawn) + 1, 0.0);
    for (const auto &[nonzeros, part] : tiles) {
      std::vector<double> one =
          hypergeometric(static_cast<double>(nonzeros), drawn, static_cast<double>(group));
      for (size_t k = 0; k < one.size(); ++k)
        piece[k] += part * one[k];
    }
    return piece;
  });
}

bool Density::isEven(Extents tile) const {
  if (kind == Kind::Uniform)
    return uniformShare == 0 || uniformShare == 1;
  return kind == Kind::Structured && lengthOfRows(tile) % group == 0;
}
