// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/Residence.h"
#include <isl/space.h>

using namespace perfc;
using namespace perfc::loopnest;

/// { (e, i) -> (e', i) : e' <= e in time }, e' any.
static IslMap upTo(const NestSets &sets, unsigned level) {
  unsigned epochs = sets.epochDims(level);
  IslMap map = isl_map_lex_ge_first(
      isl_space_map_from_set(isl_set_get_space(sets.box(level).get())), epochs);
  for (unsigned i = 0; i < sets.instanceDims(level); ++i)
    map = isl_map_equate(std::move(map).take(), isl_dim_in, int(epochs + i), isl_dim_out,
                         int(epochs + i));
  return map;
}

/// { (e, i) -> (last(e, i), i) }.
static IslMap lastActive(const NestSets &sets, unsigned level, const IslSet &active) {
  IslMap map = isl_map_intersect_domain(upTo(sets, level).take(), sets.box(level).take());
  map = isl_map_intersect_range(std::move(map).take(), active.take());
  return isl_map_lexmax(std::move(map).take());
}

/// { (e, i, x) : the parent gave x up at some e' <= e and i has been idle since }.
static IslSet givenUp(const NestSets &sets, unsigned level, unsigned tensor, const IslMap &last,
                      const IslSet &idle, const IslSet &parentHeld) {
  unsigned above = sets.nest().parent(level, tensor), ranks = sets.ranks(tensor);
  IslSet kept = withAny(parentHeld, sets.epochDims(above) + sets.instanceDims(above),
                        sets.instanceDims(level) - sets.instanceDims(above));
  kept = withAny(kept, sets.epochDims(above), sets.epochDims(level) - sets.epochDims(above));
  unsigned dims = sets.epochDims(level) + sets.instanceDims(level);
  IslSet elements = withAny(sets.tile(0, tensor), 0, dims);
  IslSet lost = difference(intersection(withAny(idle, dims, ranks), elements), kept);
  IslMap since = isl_map_apply_range(last.take(), isl_map_reverse(last.take()));
  since = isl_map_intersect(std::move(since).take(), isl_map_reverse(upTo(sets, level).take()));
  return image(lost, withElements(since, ranks));
}

/// Tiles of the last active epochs, less what the parent gave up.
static IslSet heldIn(const NestSets &sets, unsigned level, unsigned tensor, const IslSet &tile,
                     const Residence *parent) {
  IslSet active = sets.active(level), idle = difference(sets.box(level), active);
  if (isl_set_is_empty(idle.get()) == isl_bool_true)
    return tile;
  IslMap last = lastActive(sets, level, active);
  IslMap until = isl_map_reverse(last.take());
  IslSet held = image(tile, withElements(until, sets.ranks(tensor)));
  if (parent)
    held = difference(held, givenUp(sets, level, tensor, last, idle, parent->held));
  return held;
}

Residence loopnest::residenceIn(const NestSets &sets, unsigned level, unsigned tensor,
                                const Residence *parent) {
  Residence result;
  IslSet tile = sets.tile(level, tensor);
  result.held = heldIn(sets, level, tensor, tile, parent);
  IslMap before = withElements(sets.before(level), sets.ranks(tensor));
  IslMap after = isl_map_reverse(before.take());
  result.entering = difference(tile, image(result.held, after));
  result.leaving = difference(result.held, image(result.held, before));
  return result;
}
