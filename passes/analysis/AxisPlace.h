// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the ranks of a group of an axis of parallelism stand. All ranks of a step are numbered by
// the nesting of its axes, the nearest one counting fastest (Narayanan et al., SC 2021, section 3):
// an axis of n ranks inside of which the others have s ranks in all has groups of n ranks, s apart.
// What several axes share, as gradients are shared by data and context, has such a dimension for
// each of them, and so have ranks of experts, which take the nearest ranks of these.
#ifndef PERFC_PASSES_ANALYSIS_AXISPLACE_H
#define PERFC_PASSES_ANALYSIS_AXISPLACE_H

#include "ir/core/Operation.h"
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace perfc {

/// `ranks` ranks, `stride` apart.
struct AxisDim {
  int64_t ranks = 1, stride = 1;
  bool operator<(const AxisDim &other) const {
    return std::make_pair(ranks, stride) < std::make_pair(other.ranks, other.stride);
  }
  bool operator==(const AxisDim &other) const {
    return ranks == other.ranks && stride == other.stride;
  }
};

/// The ranks of a group: all sums of steps along its dimensions.
class AxisPlace {
public:
  AxisPlace() = default;
  AxisPlace(int64_t ranks, int64_t stride) { add(ranks, stride); }

  /// Adds a dimension outside of the others; one that goes on where the last one ends becomes part
  /// of it.
  void add(int64_t ranks, int64_t stride);
  /// The nearest first; each of at least two ranks.
  const std::vector<AxisDim> &dims() const { return list; }
  int64_t ranks() const;
  /// How far apart neighbours are; 1 for a rank alone.
  int64_t stride() const { return list.empty() ? 1 : list.front().stride; }
  /// The first `ranks` ranks of it, and groups across these; `ranks` divides all.
  std::pair<AxisPlace, AxisPlace> split(int64_t ranks) const;
  /// The distances of all ranks from the first one.
  std::vector<int64_t> offsets() const;
  /// The number of the group of `rank` among all groups placed so.
  int64_t groupOf(int64_t rank) const;
  /// The ranks of the group that `rank` is the first one of; none when it is not the first.
  std::vector<int64_t> groupFrom(int64_t rank) const;
  bool operator<(const AxisPlace &other) const { return list < other.list; }
  bool operator==(const AxisPlace &other) const { return list == other.list; }

private:
  std::vector<AxisDim> list;
};

/// The ranks of `collective`, an operation of that level: `ranks` ranks `stride` apart, or its
/// `dimensions`.
AxisPlace placeOfCollective(const ir::Operation &collective);
/// Says so in `collective`.
void placeCollective(ir::Operation &collective, const AxisPlace &place);

} // namespace perfc

#endif // PERFC_PASSES_ANALYSIS_AXISPLACE_H
