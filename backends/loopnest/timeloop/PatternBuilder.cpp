// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/PatternBuilder.h"

using namespace perfc;
using namespace perfc::timeloop;

PatternBuilder::PatternBuilder(const Input &input, const LoopList &list, unsigned memory,
                               llvm::function_ref<int64_t(unsigned)> endOf,
                               llvm::function_ref<void(unsigned, int64_t)> enterIteration)
    : input(input), list(list), memory(memory), endOf(endOf), enterIteration(enterIteration),
      here(input.dimCount(), 0) {}

std::unique_ptr<SpatialPattern> PatternBuilder::build() {
  const Block &block = list.blocks[memory];
  spread(block.master(), 0, 0, block.master());
  auto pattern = std::make_unique<SpatialPattern>();
  pattern->width = std::max(block.meshX, block.width);
  pattern->height = std::max(block.meshY, block.height);
  for (const auto &[number, child] : children) {
    pattern->children.push_back(number);
    pattern->visits.push_back(child.visits);
  }
  const SpaceFlags &alone = input.placements[memory].noMulticast;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    pattern->offsets.emplace_back();
    for (const auto &[number, child] : children)
      pattern->offsets.back().push_back(project(input.problem.spaces[space], child.distance));
    pattern->order.push_back(orderByDistance(pattern->offsets.back()));
    pattern->groups.push_back(groupChildren(*pattern, space, alone[space], {}));
  }
  return pattern;
}

/// `stride` leads back from a child to the one that it copies; 0 as long as all outer loops are at
/// their first iteration. `source` is the loop whose step lies between the two.
void PatternBuilder::spread(unsigned loop, int64_t base, int64_t stride, unsigned source) {
  int64_t end = endOf(loop);
  base *= end;
  if (loop == 0)
    return enumerate(base, end);
  if (loop == list.blocks[memory].first)
    return copy(loop, base, end, stride, source);
  unsigned dim = list.loops[loop].dim;
  int64_t start = here[dim];
  for (int64_t k = 0; k < end; ++k) {
    enterIteration(loop, k);
    spread(loop - 1, base + k, k ? 1 : stride * end, k ? loop : source);
    here[dim] += list.step[loop];
  }
  here[dim] = start;
}

/// Where no loop is further in, each child is one point and is analysed itself.
void PatternBuilder::enumerate(int64_t base, int64_t end) {
  for (int64_t k = 0; k < end; ++k) {
    Child &child = children[base + k];
    child.distance = here;
    child.distance[list.loops[0].dim] += k * list.step[0];
    ++child.visits;
  }
}

void PatternBuilder::copy(unsigned loop, int64_t base, int64_t end, int64_t stride,
                          unsigned source) {
  int64_t first = stride == 0 ? 1 : 0;
  if (first) {
    children[base] = {Offset(input.dimCount(), 0), 1};
    stride = 1;
    source = loop;
  } else {
    stride *= end;
  }
  for (int64_t k = first; k < end; ++k) {
    Child &child = children[base + k];
    child.distance = children[base + k - stride].distance;
    child.distance.resize(input.dimCount(), 0);
    child.distance[list.loops[source].dim] += list.step[source];
    ++child.visits;
  }
}

Offset PatternBuilder::project(const Space &space, const Offset &distance) const {
  Offset offset;
  for (const std::vector<Term> &rank : space.ranks) {
    offset.push_back(0);
    for (const Term &term : rank)
      offset.back() += term.coefficient * distance[term.dim];
  }
  return offset;
}
