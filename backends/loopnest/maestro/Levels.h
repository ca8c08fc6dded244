// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directives as loops. The list is split at its clusters; each level has one loop per dimension,
// outermost first, and a fan-out. A temporal map (m, o) of a dimension of size D steps its tile
// [i*o, i*o + m) through D; a spatial map gives lane p of fold f the tile [(f*P + p)*o, + m), all
// spatial maps of a level with the same p. What a level does not map it takes from the level
// above; the tile of one level is what the next one iterates over.
#ifndef PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELS_H
#define PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELS_H

#include "ir/common/Diagnostics.h"
#include "ir/loopnest/Dataflow.h"
#include "llvm/ADT/Optional.h"

namespace perfc::maestro {

/// One loop in input coordinates, completed and with strides applied.
struct Map {
  bool spatial;
  int64_t size;
  int64_t offset;
  char dim;
};

struct Level {
  std::vector<Map> maps; ///< outermost first, at least one spatial
  int64_t fanout;        ///< sub-clusters, or PEs at the last level
  dataflow::Sizes sizes; ///< what the level iterates over

  const Map &mapOf(char dim) const;
  std::vector<const Map *> spatial() const;
};

/// The levels of `layer` on `pes` processing elements, outermost first; nothing when the directives
/// do not make sense (reported).
llvm::Optional<std::vector<Level>> translate(const dataflow::Layer &layer, int64_t pes,
                                             DiagnosticEngine &diagnostics);

} // namespace perfc::maestro

#endif // PERFC_BACKENDS_LOOPNEST_MAESTRO_LEVELS_H
