// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All loops of the mapping per memory, those of one iteration included, with the tile that the
// loops up to each one cover: the sparse analysis asks what stays in place while a loop runs.
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_FULLNEST_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_FULLNEST_H

#include "backends/loopnest/timeloop/LoopList.h"

namespace perfc::timeloop {

/// Extent in each dimension.
using Extents = std::vector<int64_t>;

struct FullLoop {
  unsigned dim = 0;
  int64_t end = 1;
  Axis axis = Axis::Time;
  Extents tile; ///< of the loops up to this one

  bool isTrivial() const { return end == 1; }
  bool isSpatial() const { return axis != Axis::Time; }
};

class FullNest {
public:
  explicit FullNest(const Input &input, const LoopList &list);

  /// The loops of `memory`, innermost first.
  llvm::ArrayRef<FullLoop> loops(unsigned memory) const { return memories[memory]; }
  /// What the loops inside loop `index` of `memory` cover.
  Extents tileInside(unsigned memory, size_t index) const;
  /// Elements of a tensor in a box of these extents.
  int64_t elements(unsigned space, const Extents &extents) const;
  bool uses(unsigned space, unsigned dim) const { return used[space][dim]; }

private:
  const Input &input;
  std::vector<std::vector<FullLoop>> memories;
  std::vector<std::vector<bool>> used; ///< [space][dim]
};

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_SPARSE_FULLNEST_H
