// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the children of an array do, apart from the words themselves. Only the first child is
// analysed; every other one sees the same words shifted by a fixed distance, so who shares with
// whom follows from the distances alone: children with equal ones form a multicast group. Children
// are numbered with the logical width of the array but placed with its physical width (the tool's
// way), which matters for hops and neighbours.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPATIALPATTERN_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPATIALPATTERN_H

#include "backends/loopnest/timeloop/Boxes.h"
#include "backends/loopnest/timeloop/LoopList.h"

namespace perfc::timeloop {

/// Groups of one size: how many there are, and the sum of their hops.
struct GroupSize {
  int64_t multicast = 0;
  int64_t groups = 0;
  double hops = 0;
};

/// Ascending by size.
using Groups = std::vector<GroupSize>;

/// How far the children are from the first one, in a tensor: by child one distance per rank.
class Distances {
public:
  Distances(size_t children, size_t ranks) : ranks(ranks), values(children * ranks, 0) {}
  llvm::MutableArrayRef<int64_t> of(size_t child) {
    return llvm::makeMutableArrayRef(values.data() + child * ranks, ranks);
  }
  llvm::ArrayRef<int64_t> of(size_t child) const {
    return llvm::makeArrayRef(values.data() + child * ranks, ranks);
  }
  /// The children in the order of their numbers, those with the same distance side by side;
  /// `isFirst` is set for the first of each of these groups, in that order.
  std::vector<unsigned> grouped(std::vector<bool> &isFirst) const;

private:
  size_t ranks;
  std::vector<int64_t> values;
};

struct SpatialPattern {
  /// Numbers of the children, ascending, and how often each was reached (ragged arrays number some
  /// children twice).
  std::vector<int64_t> children;
  std::vector<int64_t> visits;
  std::vector<Distances> offsets; ///< [space], by position in children
  /// [space]: the positions by distance, and which of them begin a new one.
  std::vector<std::vector<unsigned>> order;
  std::vector<std::vector<bool>> begins;
  /// [space]: all children, grouped by distance.
  std::vector<Groups> groups;
  int64_t width = 1, height = 1; ///< of the array as it is decoded

  /// The position of child `number`, or -1.
  int64_t find(int64_t number) const;
};

/// Groups the children of `space` that `isLeftOut` does not name.
Groups groupChildren(const SpatialPattern &pattern, unsigned space, bool alone,
                     const std::vector<bool> &isLeftOut);

/// The children that a direct neighbour can serve, having held in the step before what they need
/// now: `previous` moved by `shift` (from the present words of the first child to its previous
/// ones).
std::vector<bool> linkedChildren(const SpatialPattern &pattern, const SpatialPattern &previous,
                                 unsigned space, const Offset &shift);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPATIALPATTERN_H
