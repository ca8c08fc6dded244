// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/sparse/FullNest.h"

using namespace perfc;
using namespace perfc::timeloop;

FullNest::FullNest(const Input &input, const LoopList &list) : input(input) {
  Extents tile(input.dimCount(), 1);
  for (unsigned memory = 0; memory < input.memories.size(); ++memory) {
    memories.emplace_back();
    auto add = [&](const Nest &nest, bool isSpatial) {
      for (unsigned place = 0; place < nest.order.size(); ++place) {
        unsigned dim = nest.order[place];
        Axis axis = !isSpatial ? Axis::Time : place < nest.split ? Axis::X : Axis::Y;
        tile[dim] *= nest.factors[dim].end;
        memories.back().push_back({dim, nest.factors[dim].end, axis, tile});
      }
    };
    const Block &block = list.blocks[memory];
    if (block.meshX * block.meshY > 1)
      add(input.placements[memory].spatial, true);
    add(input.placements[memory].temporal, false);
  }
  for (const Space &space : input.problem.spaces) {
    used.emplace_back(input.dimCount(), false);
    for (const std::vector<Term> &rank : space.ranks)
      for (const Term &term : rank)
        used.back()[term.dim] = true;
  }
}

Extents FullNest::tileInside(unsigned memory, size_t index) const {
  if (index > 0)
    return memories[memory][index - 1].tile;
  return memory > 0 ? memories[memory - 1].back().tile : Extents(input.dimCount(), 1);
}

int64_t FullNest::elements(unsigned space, const Extents &extents) const {
  int64_t product = 1;
  for (const std::vector<Term> &rank : input.problem.spaces[space].ranks) {
    int64_t extent = 1;
    for (const Term &term : rank)
      extent += std::abs(term.coefficient) * (extents[term.dim] - 1);
    product *= extent;
  }
  return product;
}
