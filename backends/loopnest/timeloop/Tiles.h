// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From what is sent to what is counted: per memory and tensor the reads, fills and updates of one
// instance. Traffic of a memory that a tensor bypasses goes to the next one outward; partial sums
// are written back and read again, except for the first read of each (its part of the tensor need
// not be read: first-read elision).
#ifndef PERFC_BACKENDS_LOOPNEST_TIMELOOP_TILES_H
#define PERFC_BACKENDS_LOOPNEST_TIMELOOP_TILES_H

#include "backends/loopnest/timeloop/Analysis.h"

namespace perfc::timeloop {

/// A count as the tool keeps it: unsigned, so what falls below zero wraps around.
using Count = uint64_t;

/// One tensor at one memory, per instance.
struct Tile {
  bool keep = true;
  int64_t size = 0;      ///< words of the tile; 0 where the tensor is bypassed
  int64_t partition = 0; ///< words of the tensor that belong to one instance
  int64_t instances = 1; ///< in use; fractions are cut off
  int64_t fanout = 1;    ///< children of an instance in use
  Histogram histogram;   ///< of what is sent inward
  double links = 0;
  double content = 0; ///< different words sent inward
  double share = 0;   ///< words that arrive from outside
  double peer = 0;    ///< words from neighbours
  bool rmwFirst = false;
  Count reads = 0, fills = 0, updates = 0, reductions = 0;
  bool wrapped = false; ///< a count fell below zero
  /// Where the words of the tile come from: the next memory outward that has a tile, if any.
  llvm::Optional<unsigned> parent;
};

/// [space][memory]
using Tiles = std::vector<std::vector<Tile>>;

Tiles countTiles(const Input &input, const LoopList &list, const AnalysisResult &analysis);

} // namespace perfc::timeloop

#endif // PERFC_BACKENDS_LOOPNEST_TIMELOOP_TILES_H
