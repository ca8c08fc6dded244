// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How many elements of a tile are not zero. Fixed-structured: every tile has the same share, with
// the two whole numbers around it weighted so that the mean is right. Hypergeometric: r = ceil(d N)
// nonzeros lie anywhere in a tensor of N elements, so a tile of n has k of them with probability
// C(r, k) C(N - r, n - k) / C(N, n).
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_DENSITYMODEL_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_DENSITYMODEL_H

#include "ir/timeloop/Sparse.h"
#include <vector>

namespace perfc::timeloop {

/// A tile that is known to hold `occupancy` nonzeros among its `shape` elements.
struct KnownTile {
  int64_t shape = 0;
  int64_t occupancy = 0;
};

class DensityModel {
public:
  /// Of a tensor with `size` elements; null is a dense one.
  DensityModel(const Density *density, int64_t size);

  /// The fewest and the most nonzeros of a tile.
  int64_t least(int64_t shape) const;
  int64_t most(int64_t shape) const;
  /// Probabilities of least(shape) … most(shape) nonzeros, in this order.
  std::vector<double> probabilities(int64_t shape) const;
  double emptyProbability(int64_t shape) const;
  /// The same for a tile inside one that is known.
  double emptyProbability(int64_t shape, const KnownTile &within) const;
  /// Expected share of nonzeros of a single element, to six decimals.
  double elementDensity() const;

private:
  bool isFixed = true;
  double density = 1;
  int64_t size = 1;
  int64_t nonzeros = 1;
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_DENSITYMODEL_H
