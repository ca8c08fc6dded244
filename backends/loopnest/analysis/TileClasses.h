// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of one dimension as a group of instances sees them: per lane what is new and what is held,
// relative to the first lane's start. Most epochs look alike, so equal patterns are kept once with
// their number; near padding the start itself matters and is part of the pattern.
#ifndef PERFC_BACKENDS_LOOPNEST_ANALYSIS_TILECLASSES_H
#define PERFC_BACKENDS_LOOPNEST_ANALYSIS_TILECLASSES_H

#include "backends/loopnest/analysis/Transition.h"

namespace perfc {
namespace loopnest {

/// Steps that the sets of tiles may still take, for all of a nest; below zero it is given up.
using SetWork = int64_t;

/// One lane's new tile [start, start + length) and held tile; heldLength 0 without one.
struct LaneTile {
  int64_t start;
  int64_t length;
  int64_t held;
  int64_t heldLength;
  /// What the parallel loops from a given one on are set to, in the order of the digits.
  llvm::SmallVector<int64_t, 2> setting;
  bool operator<(const LaneTile &other) const {
    return std::tie(start, length, held, heldLength, setting) <
           std::tie(other.start, other.length, other.held, other.heldLength, other.setting);
  }
};

struct TileClass {
  bool border;  ///< `base` matters
  int64_t base; ///< start of the first lane; 0 unless border
  std::vector<LaneTile> lanes;
  int64_t count;
};

/// The classes of all epochs of `transition` and groups of instances that `joint` makes; settings
/// are recorded of parallel loops from `from` on. A group within `safe` touches no padding. Groups
/// away from padding and from the end of the dimension are alike and are not visited one by one;
/// each of the others takes from `work`, and below 0 the rest is left out.
std::vector<TileClass> tileClasses(const Digits &digits, const Transition &transition,
                                   const JointLoops &joint, unsigned from, IndexRange safe,
                                   SetWork &work);

/// Calls visit(indices) for each choice of one index below each size, until it returns false.
template <typename Visit> void forProduct(llvm::ArrayRef<size_t> sizes, Visit visit) {
  llvm::SmallVector<size_t, 4> index(sizes.size(), 0);
  for (size_t k = 1; k > 0;) {
    if (!visit(llvm::ArrayRef<size_t>(index)))
      return;
    k = sizes.size();
    while (k > 0 && ++index[k - 1] == sizes[k - 1])
      index[--k] = 0;
  }
}

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_ANALYSIS_TILECLASSES_H
