// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops of a producer that makes its result tile by tile: those of its frame, which step from
// tile to tile, and inside the memory its own, stretched to the tile that is needed. Tiles side by
// side are digits of an index. Where they overlap, the tiles are windows, made anew in each step,
// or only what is new is made: then the producer runs ahead by the halo, which takes further steps
// (Alwani et al., MICRO 2016).
#ifndef PERFC_PASSES_FUSEDTILES_H
#define PERFC_PASSES_FUSEDTILES_H

#include "passes/FusedFrame.h"

namespace perfc {
namespace passes {

/// Where a fused tensor stays.
struct FusePlace {
  std::string memory;
  size_t position; ///< of it among the places of a plan
  bool retains;    ///< halos are kept, not made again
  SourceRange where;
};

/// Replaces the loops of `plan` down to `place` by those of `frame`. Tiles of the frame become what
/// one step makes: without the halo where that is kept; then `kept` elements of the result stay
/// from step to step, else 0. False after a report.
bool followFrame(NestPlan &plan, Frame &frame, const FusePlace &place, int64_t &kept,
                 DiagnosticEngine &diagnostics);

/// A result whose whole tile the next memory inside `position` holds as well is held there only: it
/// stays from step to step, and the memory at `position` needs no room for it. Where lanes hold
/// parts of its sums, that memory adds them up.
void bypassRepeated(NestPlan &plan, size_t position);

} // namespace passes
} // namespace perfc

#endif // PERFC_PASSES_FUSEDTILES_H
