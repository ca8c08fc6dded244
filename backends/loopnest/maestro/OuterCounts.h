// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the outermost level of a dataflow really moves, by the reuse analysis of loop nests instead
// of MAESTRO's rules: its loops, with the fold of a spatial map at the map's place, step through
// what all sub-clusters hold together. A word is read when no sub-cluster that worked in the step
// before held it, and an output word is written each time it leaves.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_OUTERCOUNTS_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_OUTERCOUNTS_H

#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/maestro/Levels.h"

namespace perfc::maestro {

struct OuterCounts {
  int64_t steps = 0;
  int64_t inputReads = 0;
  int64_t filterReads = 0;
  int64_t outputWrites = 0; ///< final and partial sums
};

/// The outermost level as a nest over outputs and filter taps (rows y of the input are
/// p * stride + r): an outer memory, the loops in time, a memory that stands for all sub-clusters
/// together, an array with the loops in space, and the words of a tile. Nothing with a `reason`
/// when rows of tiles are no whole windows.
llvm::Optional<loopnest::Nest> outerNest(const dataflow::Layer &layer, const Level &level,
                                         std::string &reason);

/// Counts of that nest; nothing with a `reason`.
llvm::Optional<OuterCounts> countOuter(const dataflow::Layer &layer, const Level &level,
                                       std::string &reason);

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_OUTERCOUNTS_H
