// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that a fused statement shares with others, and how they move its indices. A loop of
// factor F that moves an index by s visits tiles s apart; what the loops further in cover of the
// index is its tile, so that for a tile of X values and shifts s_k
//     X + sum over loops k of s_k (F_k - 1)
// values are covered with them. A producer takes over the loops of the statement that reads its
// result, down to the memory where both meet, and follows their movements. One that keeps a halo of
// h values runs ahead by them: its tiles of s new values end at h + s, h + 2 s, …, and what is left
// at the front is made first; so do those before it in a chain.
#ifndef PERFC_PASSES_FUSEDFRAME_H
#define PERFC_PASSES_FUSEDFRAME_H

#include "passes/NestPlan.h"
#include "passes/StatementGroups.h"

namespace perfc {
namespace passes {

/// A loop of several steps that several statements share.
struct FrameLoop {
  unsigned id; ///< the same in all frames that share the loop
  PlannedLoop loop;
  size_t position; ///< of its memory among the places of a plan
};

/// How one index of a statement moves with the loops of its frame.
struct Movement {
  /// Per loop, how far one step of it moves the index.
  llvm::SmallVector<int64_t, 6> shifts;
  int64_t tile = 1;    ///< values that the loops inside the frame cover
  int64_t ahead = 0;   ///< values that are made before the steps need them: retained halos
  bool isPlain = true; ///< no sum or multiple of a reader's indices decides the tile
  bool isMoved() const {
    return llvm::any_of(shifts, [](int64_t shift) { return shift != 0; });
  }
};
using Movements = std::vector<Movement>; ///< by index of the statement

struct Frame {
  std::vector<FrameLoop> loops; ///< outermost first
  Movements moves;

  /// The same down to the places at `position`: the loops further in make its tiles larger, at
  /// most as large as `extents`.
  Frame upTo(size_t position, llvm::ArrayRef<int64_t> extents) const;
  /// True when both have the same loops.
  bool hasLoopsOf(const Frame &other) const;
};

/// a * b where that is at most INT64_MAX / 4, else this, which is more than any tensor has.
int64_t boundedProduct(int64_t a, int64_t b);

/// Makes a frame of the loops of `plan` down to `position`; `nextId` numbers them.
Frame frameOf(const NestPlan &plan, size_t position, unsigned &nextId);

/// Adds the loops of `plan` further in than `from`, down to `to`, to a frame that ends at `from`.
void extendFrame(Frame &frame, const NestPlan &plan, size_t from, size_t to, unsigned &nextId);

/// Values of an index that the loops of `plan` further in than `position` cover.
int64_t coverInside(const NestPlan &plan, unsigned index, size_t position);

/// What the subscript a x + b r + … takes in one step of `frame`, and how it moves; nothing when it
/// goes backwards or depends on data.
llvm::Optional<Movement> needOf(const Frame &frame, const Subscript &subscript);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDFRAME_H
