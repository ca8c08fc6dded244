// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of divisors, one for each dimension, as numbers: what the loops outside a place take of
// each dimension. With perfect factors these vectors are all that capacities and most flows depend
// on, and there are few of them (products of the numbers of divisors), so tables over them bound
// what is further in.
#ifndef PERFC_BACKENDS_LOOPNEST_SEARCH_TILEGRID_H
#define PERFC_BACKENDS_LOOPNEST_SEARCH_TILEGRID_H

#include "backends/loopnest/search/SlotRules.h"

namespace perfc {
namespace loopnest {

class TileGrid {
public:
  /// By dimension: the number of a divisor of its size.
  using Point = std::array<uint8_t, maxDims>;
  static constexpr uint8_t none = 255;

  explicit TileGrid(const MapSpace &space);

  /// How many points there are; 0 when they are more than tables can hold.
  size_t size() const { return points.size(); }
  const Point &point(size_t index) const { return points[index]; }
  size_t index(const Point &point) const {
    size_t result = 0;
    for (unsigned d = 0; d < dims; ++d)
      result += strides[d] * point[d];
    return result;
  }
  int64_t value(unsigned dim, uint8_t number) const { return divisorsOf[dim][number]; }
  unsigned divisorCount(unsigned dim) const { return divisorsOf[dim].size(); }
  /// The number of a divisor.
  uint8_t number(unsigned dim, int64_t divisor) const;
  /// The number of what remains of `of` after `part`; none when that does not divide it.
  uint8_t quotient(unsigned dim, uint8_t of, uint8_t part) const {
    return quotients[dim][of * divisorsOf[dim].size() + part];
  }
  /// The number of a product; none when it does not divide the size.
  uint8_t times(unsigned dim, uint8_t a, uint8_t b) const {
    return products[dim][a * divisorsOf[dim].size() + b];
  }
  /// Sets `factor` to `to` / `from`; false when that is not whole in some dimension.
  bool between(const Point &from, const Point &to, Point &factor) const {
    for (unsigned d = 0; d < dims; ++d) {
      factor[d] = quotient(d, to[d], from[d]);
      if (factor[d] == none)
        return false;
    }
    return true;
  }
  /// Sets `result` to the product; false when it does not divide the sizes.
  bool multiply(const Point &a, const Point &b, Point &result) const {
    for (unsigned d = 0; d < dims; ++d) {
      result[d] = times(d, a[d], b[d]);
      if (result[d] == none)
        return false;
    }
    return true;
  }
  /// Calls `visit` with the number of each point that `from` divides, and with the factors between
  /// them, as long as that returns true.
  template <typename Visit> bool forEachMultiple(const Point &from, Visit visit) const {
    Point factor{};
    return forEachMultiple(from, 0, 0, factor, visit);
  }
  /// Calls `take` with each point and each of those that it divides along one dimension of `along`,
  /// dimension by dimension: sums up what is known of all multiples.
  template <typename Take> void gatherMultiples(uint32_t along, Take take) const {
    for (unsigned d = 0; d < dims; ++d)
      for (size_t x = 0; (along >> d & 1) && x < points.size(); ++x)
        for (unsigned i = points[x][d] + 1; i < divisorsOf[d].size(); ++i)
          if (quotient(d, static_cast<uint8_t>(i), points[x][d]) != none)
            take(x, x + (i - points[x][d]) * strides[d]);
  }
  /// All iterations of each dimension.
  size_t last() const { return points.size() - 1; }
  unsigned dimCount() const { return dims; }
  /// Steps in the numbering between neighbours along a dimension.
  size_t stride(unsigned dim) const { return strides[dim]; }

private:
  template <typename Visit>
  bool forEachMultiple(const Point &from, unsigned dim, size_t index, Point &factor,
                       Visit &visit) const {
    if (dim == dims)
      return visit(index, factor);
    for (unsigned i = from[dim]; i < divisorsOf[dim].size(); ++i) {
      factor[dim] = quotient(dim, static_cast<uint8_t>(i), from[dim]);
      if (factor[dim] != none &&
          !forEachMultiple(from, dim + 1, index + i * strides[dim], factor, visit))
        return false;
    }
    return true;
  }

  unsigned dims;
  std::vector<std::vector<int64_t>> divisorsOf;
  std::vector<std::vector<uint8_t>> quotients, products;
  std::array<size_t, maxDims> strides{};
  std::vector<Point> points;
};

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_SEARCH_TILEGRID_H
