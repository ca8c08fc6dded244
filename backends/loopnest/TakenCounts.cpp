// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/TakenCounts.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

/// Adds the links that `inner`, a part of the same array, crosses.
static void addHops(ArrayCounts &outer, const ArrayCounts &inner) {
  for (size_t t = 0; t < outer.hops.size(); ++t) {
    if (!outer.hops[t] || !inner.hops[t]) {
      outer.hops[t] = llvm::None;
      continue;
    }
    outer.hops[t]->shared += inner.hops[t]->shared;
    outer.hops[t]->separate += inner.hops[t]->separate;
    outer.hops[t]->declared += inner.hops[t]->declared;
  }
}

/// Puts together what loops between its lanes made several places of one array.
static void joinLanes(AdaptedNest &adapted, Counts &counts) {
  std::vector<Place> &places = adapted.nest.places;
  size_t memories = 0, arrays = 0;
  for (size_t p = 0; p < places.size();) {
    if (adapted.places[p]) {
      ++(places[p].kind == PlaceKind::Memory ? memories : arrays);
      ++p;
      continue;
    }
    // A place between lanes follows its array, which follows a memory.
    llvm::append_range(places[p - 2].loops, places[p].loops);
    counts.memories.erase(counts.memories.begin() + static_cast<ptrdiff_t>(memories));
    bool goesOn = p + 1 < places.size() && adapted.places[p + 1] == adapted.places[p - 1];
    if (goesOn) {
      llvm::append_range(places[p - 1].loops, places[p + 1].loops);
      addHops(counts.arrays[arrays - 1], counts.arrays[arrays]);
      counts.arrays.erase(counts.arrays.begin() + static_cast<ptrdiff_t>(arrays));
    }
    auto end = static_cast<ptrdiff_t>(p + (goesOn ? 2 : 1));
    places.erase(places.begin() + static_cast<ptrdiff_t>(p), places.begin() + end);
    adapted.places.erase(adapted.places.begin() + static_cast<ptrdiff_t>(p),
                         adapted.places.begin() + end);
  }
}

Counts loopnest::takeCounts(AdaptedNest &adapted, AnalysisResult result) {
  if (result.counted)
    ignoreConditions(adapted);
  bool isClosed = !result.isExecuted || !adapted.nest.conditions.empty();
  if (!isClosed)
    adapted.notes.push_back("no closed form counts this nest: each of its points was executed");
  if (result.isStretched && !result.isExecuted)
    adapted.notes.push_back(
        "several memories write the same elements of the result through windows: "
        "its words are counted on shorter loops and stretched to these");
  for (unsigned tensor : result.coupled)
    adapted.notes.push_back(
        fmt::format("subscripts of `{}` share indices: its tiles are counted as sets of elements",
                    adapted.nest.tensors[tensor].name));
  joinLanes(adapted, *result.counts);
  return std::move(*result.counts);
}
