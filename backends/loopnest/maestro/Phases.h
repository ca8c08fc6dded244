// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MAESTRO does not visit steps: a loop is at its first position (Init), inside (Steady), or at a
// last one that is cut (Edge), and everything is computed once per combination of these phases and
// multiplied by how often it occurs.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_PHASES_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_PHASES_H

#include "backends/loopnest/maestro/Levels.h"

namespace perfc::maestro {

enum class PhaseKind { Init, Steady, Edge };

struct Phase {
  PhaseKind kind;
  int64_t count;         ///< occurrences
  bool unrolled = false; ///< the loop has this position only
  bool edge = false;     ///< the tile, or the set of lanes that work, is cut
  bool partial = false;  ///< the last lane that works has less than a full tile
};

/// The phases of a loop over `size` with `fanout` lanes, in the tool's order.
std::vector<Phase> phasesOf(const Map &map, int64_t size, int64_t fanout);

/// Words of one dimension that a tile has, and that are new when the loop advances.
struct MappedSize {
  int64_t full;
  int64_t fresh;
  int64_t edge;      ///< of the cut tile
  int64_t edgeFresh; ///< new words of the cut tile
};

/// The mapped sizes of a level; `output` has rows and columns of the output under Y and X.
struct Extents {
  std::map<char, MappedSize> input;
  std::map<char, MappedSize> output;
  int64_t activeAtEdge; ///< sub-clusters with work in the last fold of the first spatial map
};

Extents extentsOf(const dataflow::Layer &layer, const Level &level);

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_PHASES_H
