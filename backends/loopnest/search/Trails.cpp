// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/FlowFloors.h"

using namespace perfc;
using namespace perfc::loopnest;

namespace {

struct TimeLoop {
  unsigned slot, dim;
  int64_t factor;
};

} // namespace

static Trail trailOf(const MapSpace &space, const Mapping &mapping, unsigned end,
                     const FlatTensor &tensor, llvm::ArrayRef<TimeLoop> inward) {
  Trail trail;
  for (const TimeLoop &loop : llvm::reverse(inward)) {
    if (tensor.plain >> loop.dim & 1) {
      trail.next = Trail::Plain;
      return trail;
    }
    if (tensor.windowed >> loop.dim & 1) {
      int64_t lanes = 1;
      for (unsigned s = loop.slot + 1; s < end; ++s)
        if (space.slots[s].isAxis)
          lanes *= mapping.factor[s][loop.dim];
      trail.next = Trail::Slide;
      trail.dim = static_cast<uint8_t>(loop.dim);
      trail.factor = loop.factor;
      trail.lanes = lanes;
      return trail;
    }
    trail.repeats *= static_cast<double>(loop.factor);
  }
  return trail;
}

Trails loopnest::trailsOf(const MapSpace &space, const Mapping &mapping, unsigned end) {
  Trails result;
  llvm::SmallVector<TimeLoop, 16> loops;
  for (unsigned s = 0; s < end; ++s)
    for (unsigned i = 0; !space.slots[s].isAxis && i < space.dims(); ++i) {
      unsigned d = mapping.order[s][i];
      if (int64_t factor = mapping.factor[s][d]; factor > 1) {
        loops.push_back({s, d, factor});
        result.moving |= DimMask(1) << d;
      }
    }
  for (const FlatTensor &tensor : space.tensors)
    result.of.push_back(trailOf(space, mapping, end, tensor, loops));
  return result;
}
