// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/Symmetry.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A swap that is put together from what each of its pairs asks for.
class Swap {
public:
  Swap(const MapSpace &space, const SlotRules &rules) : space(space), rules(rules) {
    for (unsigned d = 0; d < maxDims; ++d)
      images[d] = static_cast<uint8_t>(d);
  }
  /// Swaps two dimensions, and with them those that share windows with them; false when that is not
  /// a symmetry.
  bool add(unsigned d, unsigned e);
  /// Whether all tensors are what they were.
  bool isSymmetry() const;
  std::array<uint8_t, maxDims> images;

private:
  bool areAlike(unsigned d, unsigned e) const;
  DimMask image(DimMask mask) const {
    DimMask result = 0;
    for (unsigned d = 0; d < space.dims(); ++d)
      result |= (mask >> d & 1) << images[d];
    return result;
  }

  const MapSpace &space;
  const SlotRules &rules;
};

} // namespace

static bool areAlike(const Window &a, const Window &b) {
  return a.a == b.a && a.b == b.b && a.constant == b.constant && a.extent == b.extent;
}

bool Swap::areAlike(unsigned d, unsigned e) const {
  return space.nest.dims[d].size == space.nest.dims[e].size &&
         llvm::all_of(rules, [&](const SlotRule &rule) {
           return rule.orderOpen && rule.factors[d].open == rule.factors[e].open &&
                  rule.factors[d].values == rule.factors[e].values;
         });
}

bool Swap::add(unsigned d, unsigned e) {
  if (images[d] == e)
    return true;
  if (images[d] != d || images[e] != e || !areAlike(d, e))
    return false;
  images[d] = static_cast<uint8_t>(e);
  images[e] = static_cast<uint8_t>(d);
  for (const FlatTensor &tensor : space.tensors) {
    if (!(tensor.windowed >> d & 1) || !(tensor.windowed >> e & 1))
      continue; // isSymmetry sees whether it has one of them alone
    const Window &a = tensor.windows[tensor.windowOf[d]], &b = tensor.windows[tensor.windowOf[e]];
    if ((a.first == d) != (b.first == e) || !::areAlike(a, b) ||
        !(a.first == d ? add(a.second, b.second) : add(a.first, b.first)))
      return false;
  }
  return true;
}

bool Swap::isSymmetry() const {
  DimMask moved = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    moved |= DimMask(images[d] != d) << d;
  return llvm::all_of(space.tensors, [&](const FlatTensor &tensor) {
    return image(tensor.plain) == tensor.plain && image(tensor.windowed) == tensor.windowed &&
           !(tensor.cut & moved) && llvm::all_of(tensor.windows, [&](const Window &window) {
             const Window &other = tensor.windows[tensor.windowOf[images[window.first]]];
             return other.first == images[window.first] && other.second == images[window.second] &&
                    ::areAlike(window, other);
           });
  });
}

Symmetry::Symmetry(const MapSpace &space, const SlotRules &rules) {
  images = Swap(space, rules).images;
  double most = 0;
  for (unsigned d = 0; d < space.dims(); ++d)
    for (unsigned e = d + 1; e < space.dims() && space.isFlat; ++e) {
      Swap swap(space, rules);
      if (space.nest.dims[d].size == 1 || !swap.add(d, e) || !swap.isSymmetry())
        continue;
      double moved = 1;
      for (unsigned i = 0; i < space.dims(); ++i)
        moved *= swap.images[i] != i ? static_cast<double>(space.nest.dims[i].size) : 1;
      if (moved > most) {
        most = moved;
        images = swap.images;
      }
    }
  for (unsigned d = 0; d < space.dims(); ++d)
    if (images[d] > d)
      pairs.push_back({static_cast<uint8_t>(d), images[d]});
}
