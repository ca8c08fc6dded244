// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A nest as sets of integers. The loops in time t and in space p span a box; the points of the nest
// are the settings (t, p) inside the iteration space. Of a level, with the loops e of t and i of p
// that stand outside it:
//
//   epochs x instances = { (e, i) }                             the box of these loops
//   active             = { (e, i) : some point is in it }
//   tile(tensor)       = { (e, i, x) : a point in it touches element x }
//
// Order in time is the lexicographic order of e. Epochs of the box without any point are kept: no
// instance is active in them, so nothing moves that would not move in the next epoch with points.
#ifndef PERFC_BACKENDS_LOOPNEST_EXACT_NESTSETS_H
#define PERFC_BACKENDS_LOOPNEST_EXACT_NESTSETS_H

#include "backends/loopnest/analysis/FlatNest.h"
#include "passes/analysis/IslHandle.h"

namespace perfc {
namespace loopnest {

class NestSets {
public:
  /// `flat` must outlive this.
  NestSets(isl_ctx *context, const FlatNest &flat);

  const FlatNest &nest() const { return flat; }
  unsigned epochDims(unsigned level) const { return flat.levels[level].temporal; }
  unsigned instanceDims(unsigned level) const { return flat.levels[level].parallel; }
  unsigned ranks(unsigned tensor) const {
    return unsigned(flat.nest->tensors[tensor].ranks.size());
  }

  /// { (t, p) }.
  const IslSet &points() const { return all; }
  /// { (e, i) } of the box of the loops outside `level`.
  IslSet box(unsigned level) const;
  IslSet active(unsigned level) const;
  /// { (e, i, x) }; of the lanes: what each touches in a step.
  IslSet tile(unsigned level, unsigned tensor) const;
  /// { (e, i) -> (e', i) : e' is the epoch before e }, on box(level).
  IslMap before(unsigned level) const;

private:
  isl_ctx *context;
  const FlatNest &flat;
  IslSet all;
};

/// The same map for (e, i, x), x of `dims` coordinates that stay as they are.
IslMap withElements(const IslMap &map, unsigned dims);

/// The set without `count` coordinates from `first` on.
IslSet without(const IslSet &set, unsigned first, unsigned count);

/// The set with `count` coordinates before `first`, each of any value.
IslSet withAny(const IslSet &set, unsigned first, unsigned count);

IslSet difference(const IslSet &a, const IslSet &b);
IslSet intersection(const IslSet &a, const IslSet &b);
IslSet image(const IslSet &set, const IslMap &map);

} // namespace loopnest
} // namespace perfc

#endif // PERFC_BACKENDS_LOOPNEST_EXACT_NESTSETS_H
