// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/search/FlowFloors.h"

using namespace perfc;
using namespace perfc::loopnest;

Trails loopnest::trailsOf(const MapSpace &space, const Mapping &mapping, unsigned end) {
  Trails result;
  result.of.resize(space.tensors.size());
  std::array<int64_t, maxDims> lanes; // further in than the loop at hand
  lanes.fill(1);
  auto meet = [&](unsigned d, int64_t factor) {
    for (unsigned t = 0; t < result.of.size(); ++t) {
      Trail &trail = result.of[t];
      if (trail.next != Trail::Nothing)
        continue;
      if (space.tensors[t].plain >> d & 1) {
        trail.next = Trail::Plain;
      } else if (space.tensors[t].windowed >> d & 1) {
        trail.next = Trail::Slide;
        trail.dim = static_cast<uint8_t>(d);
        trail.factor = factor;
        trail.lanes = lanes[d];
      } else {
        trail.repeats *= static_cast<double>(factor);
      }
    }
    result.moving |= DimMask(1) << d;
  };
  for (unsigned s = end; s-- > 0;)
    for (unsigned i = space.dims(); i-- > 0;) {
      unsigned d = space.slots[s].isAxis ? i : mapping.order[s][i];
      int64_t factor = mapping.factor[s][d];
      if (space.slots[s].isAxis)
        lanes[d] *= factor;
      else if (factor > 1)
        meet(d, factor);
    }
  return result;
}

Trails loopnest::extended(const MapSpace &space, const Trails &before, const Mapping &mapping,
                          unsigned slot) {
  Trails result = before;
  for (unsigned t = 0; t < result.of.size(); ++t) {
    const FlatTensor &tensor = space.tensors[t];
    Trail &trail = result.of[t];
    double repeats = 1;
    bool moves = false;
    for (unsigned i = space.dims(); i-- > 0 && !moves;) {
      unsigned d = mapping.order[slot][i];
      int64_t factor = mapping.factor[slot][d];
      if (factor == 1)
        continue;
      if (tensor.plain >> d & 1)
        trail = {repeats, Trail::Plain, 0, 2, 1};
      else if (tensor.windowed >> d & 1)
        trail = {repeats, Trail::Slide, static_cast<uint8_t>(d), factor, 1};
      else
        repeats *= static_cast<double>(factor);
      moves = (tensor.plain | tensor.windowed) >> d & 1;
    }
    if (!moves)
      trail.repeats *= repeats;
  }
  for (unsigned d = 0; d < space.dims(); ++d)
    result.moving |= DimMask(mapping.factor[slot][d] > 1) << d;
  return result;
}
