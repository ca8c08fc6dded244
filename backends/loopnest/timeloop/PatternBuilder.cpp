// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/timeloop/PatternBuilder.h"

using namespace perfc;
using namespace perfc::timeloop;

PatternBuilder::PatternBuilder(const Input &input, const LoopList &list, unsigned memory,
                               llvm::function_ref<int64_t(unsigned)> endOf,
                               llvm::function_ref<void(unsigned, int64_t)> enterIteration)
    : input(input), list(list), memory(memory), endOf(endOf), enterIteration(enterIteration) {
  const Block &block = list.blocks[memory];
  numberOf.resize(input.dimCount());
  size_t most = 1;
  for (unsigned loop = block.first; loop < block.temporal; ++loop) {
    unsigned dim = list.loops[loop].dim;
    if (!llvm::is_contained(dims, dim)) {
      numberOf[dim] = static_cast<unsigned>(dims.size());
      dims.push_back(dim);
    }
    most *= static_cast<size_t>(list.loops[loop].end);
  }
  distances.assign(most * dims.size(), 0);
  visits.assign(most, 0);
  isKnown.assign(most, false);
  here.assign(dims.size(), 0);
}

std::unique_ptr<SpatialPattern> PatternBuilder::build() {
  const Block &block = list.blocks[memory];
  spread(block.master(), 0, 0, block.master());
  auto pattern = std::make_unique<SpatialPattern>();
  pattern->width = std::max(block.meshX, block.width);
  pattern->height = std::max(block.meshY, block.height);
  for (size_t number = 0; number < isKnown.size(); ++number)
    if (isKnown[number]) {
      pattern->children.push_back(static_cast<int64_t>(number));
      pattern->visits.push_back(visits[number]);
    }
  const SpaceFlags &alone = input.placements[memory].noMulticast;
  for (unsigned space = 0; space < input.spaceCount(); ++space) {
    pattern->offsets.push_back(project(input.problem.spaces[space], pattern->children));
    pattern->begins.emplace_back(pattern->children.size());
    pattern->order.push_back(pattern->offsets.back().grouped(pattern->begins.back()));
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
  unsigned dim = numberOf[list.loops[loop].dim];
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
    int64_t *child = distance(base + k);
    llvm::copy(here, child);
    child[numberOf[list.loops[0].dim]] += k * list.step[0];
    reach(base + k);
  }
}

void PatternBuilder::copy(unsigned loop, int64_t base, int64_t end, int64_t stride,
                          unsigned source) {
  int64_t first = stride == 0 ? 1 : 0;
  if (first) {
    reach(base);
    stride = 1;
    source = loop;
  } else {
    stride *= end;
  }
  for (int64_t k = first; k < end; ++k) {
    int64_t *child = distance(base + k);
    const int64_t *copied = distance(base + k - stride);
    std::copy(copied, copied + dims.size(), child);
    child[numberOf[list.loops[source].dim]] += list.step[source];
    isKnown[static_cast<size_t>(base + k - stride)] = true;
    reach(base + k);
  }
}

Distances PatternBuilder::project(const Space &space, llvm::ArrayRef<int64_t> children) {
  Distances result(children.size(), space.ranks.size());
  for (size_t rank = 0; rank < space.ranks.size(); ++rank)
    for (const Term &term : space.ranks[rank]) {
      if (!llvm::is_contained(dims, term.dim))
        continue;
      for (size_t child = 0; child < children.size(); ++child)
        result.of(child)[rank] += term.coefficient * distance(children[child])[numberOf[term.dim]];
    }
  return result;
}
