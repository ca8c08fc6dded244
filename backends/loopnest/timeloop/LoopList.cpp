// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/LoopList.h"

using namespace perfc;
using namespace perfc::timeloop;

LoopList::LoopList(const Input &input) {
  for (unsigned memory = 0; memory < input.memories.size(); ++memory)
    addBlock(input, memory);
  measureTiles(input.dimCount());
  countInstances();
}

void LoopList::addBlock(const Input &input, unsigned memory) {
  const Placement &placement = input.placements[memory];
  const Level &own = input.memories[memory], &child = input.level(memory);
  Block block;
  block.first = static_cast<unsigned>(loops.size());
  block.meshX = child.meshX / own.meshX;
  block.meshY = child.meshY / own.meshY;
  auto addLoops = [&](const Nest &nest, bool spatial) {
    for (unsigned place = 0; place < nest.order.size(); ++place) {
      unsigned dim = nest.order[place];
      const Factor &factor = nest.factors[dim];
      if (factor.end == 1)
        continue;
      Axis axis = !spatial ? Axis::Time : place < nest.split ? Axis::X : Axis::Y;
      loops.push_back({dim, factor.end, factor.residual, axis, memory});
      if (spatial)
        (axis == Axis::X ? block.width : block.height) *= factor.end;
    }
  };
  if (block.meshX * block.meshY > 1)
    addLoops(placement.spatial, true);
  block.temporal = static_cast<unsigned>(loops.size());
  addLoops(placement.temporal, false);
  if (loops.size() == block.temporal)
    loops.push_back({input.dimCount() - 1, 1, 1, Axis::Time, memory});
  block.boundary = static_cast<unsigned>(loops.size()) - 1;
  blocks.push_back(block);
}

void LoopList::measureTiles(unsigned dims) {
  std::vector<int64_t> full(dims, 1), last(dims, 1);
  ofDim.resize(dims);
  innermostRagged.resize(dims);
  for (unsigned i = 0; i < loops.size(); ++i) {
    const Loop &loop = loops[i];
    step.push_back(full[loop.dim]);
    last[loop.dim] += full[loop.dim] * (loop.residual - 1);
    full[loop.dim] *= loop.end;
    extent.emplace_back();
    lastExtent.emplace_back();
    for (unsigned dim = 0; dim < dims; ++dim) {
      extent.back().push_back(full[dim] - 1);
      lastExtent.back().push_back(last[dim] - 1);
    }
    ofDim[loop.dim].push_back(i);
    if (loop.isRagged() && !innermostRagged[loop.dim])
      innermostRagged[loop.dim] = i;
  }
  for (unsigned dim = 0; dim < dims; ++dim)
    if (innermostRagged[dim])
      raggedDims.push_back(dim);
}

/// A ragged spatial loop uses (r + e*(n-1))/n children on average over its n outer iterations.
static double childrenInUse(const std::vector<Loop> &loops, unsigned at, double used) {
  const Loop &loop = loops[at];
  double end = static_cast<double>(loop.end), residual = static_cast<double>(loop.residual);
  if (!loop.isRagged())
    return used * end;
  double outer = 1;
  for (size_t i = loops.size(); i-- > at + 1;)
    if (loops[i].dim == loop.dim)
      outer =
          static_cast<double>(loops[i].residual) + static_cast<double>(loops[i].end) * (outer - 1);
  return used * (residual + end * (outer - 1)) / outer;
}

void LoopList::countInstances() {
  inUse.resize(loops.size());
  double used = 1;
  for (size_t i = loops.size(); i-- > 0;) {
    inUse[i] = used;
    if (loops[i].isSpatial())
      used = childrenInUse(loops, static_cast<unsigned>(i), used);
  }
}
