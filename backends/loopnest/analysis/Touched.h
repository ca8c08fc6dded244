// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Points of a nest and the elements they touch. An element is a number, mixed-radix over the ranges
// of the tensor's subscripts; padding is -1. A point is valid inside the iteration space.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_TOUCHED_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_TOUCHED_H

#include "backends/loopnest/analysis/FlatNest.h"

namespace perfc {
namespace loopnest {

using Point = llvm::SmallVector<int64_t, 8>;
using ElementSet = std::vector<int64_t>; ///< sorted, distinct

class Touched {
public:
  explicit Touched(const FlatNest &flat);

  /// Element numbers do not fit in 64 bits.
  bool overflowed() const { return tooWide; }
  /// The element of `tensor` at a valid point, -1 for padding.
  int64_t element(unsigned tensor, const Point &point) const;
  /// The point of `lane` at `when`; false if it is outside the iteration space.
  bool pointAt(const Point &base, int64_t lane, Point &point) const;
  int64_t laneCount() const { return int64_t(offsets.size()); }
  /// Sum of index * step per dimension of the loops in time.
  Point base(llvm::ArrayRef<int64_t> when) const;
  /// Moves `when` on at positions >= `from`; false after the last setting.
  bool next(llvm::MutableArrayRef<int64_t> when, unsigned from) const;

private:
  const FlatNest &flat;
  std::vector<Point> offsets; ///< per lane
  std::vector<llvm::SmallVector<int64_t, 4>> lows;
  std::vector<llvm::SmallVector<int64_t, 4>> strides;
  bool tooWide = false;
};

/// Value of `expr` at `point`.
int64_t valueAt(const Subscript &expr, const Point &point);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_TOUCHED_H
