// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sets of tensor elements as lists of disjoint boxes, and the three things that Timeloop's analysis
// does with them: volume, difference, and how far one box has moved from another. A difference is
// cut rank by rank (the slice below, the slice above, then the middle shrinks), so equal sets that
// were cut alike have equal lists.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_BOXES_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_BOXES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace perfc::timeloop {

/// One bound pair [low, high) per rank: low0, high0, low1, high1, …
using Box = llvm::SmallVector<int64_t, 12>;
/// One distance per rank.
using Offset = llvm::SmallVector<int64_t, 6>;

class Boxes {
public:
  size_t size() const { return stride ? bounds.size() / stride : 0; }
  bool empty() const { return bounds.empty(); }
  llvm::ArrayRef<int64_t> operator[](size_t index) const {
    return llvm::makeArrayRef(bounds).slice(index * stride, stride);
  }

  void clear() { bounds.clear(); }
  void add(llvm::ArrayRef<int64_t> box) {
    stride = box.size();
    bounds.append(box.begin(), box.end());
  }
  /// Moves all of them `sign` times as far.
  void move(llvm::ArrayRef<int64_t> distance, int64_t sign) {
    for (size_t i = 0; i < bounds.size(); ++i)
      bounds[i] += sign * distance[i % stride / 2];
  }
  /// Number of elements; exact below 2^53.
  double volume() const;
  /// Puts the boxes into the order of their lower corners, so that equal sets are equal lists.
  void sort();

private:
  size_t stride = 0;
  llvm::SmallVector<int64_t, 48> bounds;
};

double volume(llvm::ArrayRef<int64_t> box);

/// `box` without `cut`, in `result`.
void subtract(llvm::ArrayRef<int64_t> box, llvm::ArrayRef<int64_t> cut, Boxes &result);

/// The rounded distance between the centres of two boxes that hold elements.
void translation(llvm::ArrayRef<int64_t> from, llvm::ArrayRef<int64_t> to, Offset &result);

/// Whether `to` is `from` shifted, and in `result` by how much. Both sorted and not empty.
bool isShifted(const Boxes &from, const Boxes &to, Offset &result);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_BOXES_H
