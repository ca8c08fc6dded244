// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"
#include "backends/loopnest/search/PlainSearch.h"

using namespace perfc;
using namespace perfc::loopnest;

/// The same with an index of some rank in another one of an input as well, if that has no closed
/// form.
static llvm::Optional<MapSpace> withSharedIndex(const MapSpace &space, std::mt19937 &random) {
  Nest nest = space.nest;
  for (Tensor &tensor : nest.tensors) {
    if (tensor.isOutput || tensor.ranks.size() < 2 || tensor.ranks[0].terms.empty())
      continue;
    Term shared = tensor.ranks[0].terms.front();
    shared.coefficient = 1 + int64_t(random() % 2);
    tensor.ranks[1].terms.push_back(shared);
  }
  std::string reason;
  llvm::Optional<MapSpace> coupled = makeGeneralSpace(nest, reason);
  return coupled && !coupled->isFlat ? coupled : llvm::None;
}

llvm::Optional<Case> loopnest::randomCase(std::mt19937 &random, bool isCoupled) {
  llvm::Optional<MapSpace> space = randomSpace(random);
  if (space && isCoupled)
    space = withSharedIndex(*space, random);
  if (!space)
    return llvm::None;
  CostWeights weights = randomWeights(*space, random);
  auto perSecond = [&](Rate &rate) {
    rate.perSecond = double(rate.numerator) / double(rate.denominator) * weights.clock;
  };
  perSecond(weights.compute);
  for (MemoryWeights &memory : weights.memories)
    for (Rate *rate : {&memory.bandwidth, &memory.readBandwidth, &memory.writeBandwidth})
      perSecond(*rate);
  for (ArrayWeights &array : weights.arrays)
    for (ArrayWeights::Network &network : array.networks)
      perSecond(network.bandwidth);
  AnalysisResult whole = analyse(space->withLoops(space->emptyMapping()));
  if (!whole.counts)
    return llvm::None;
  Case result{*space, weights, {}};
  for (const auto &tensor : whole.counts->memories[0].tensors)
    result.elements.push_back(tensor->maxResident);
  return result;
}

llvm::Optional<Score> loopnest::weighed(const Case &c, const Nest &nest) {
  AnalysisResult result = analyse(nest);
  if (!result.counts)
    return llvm::None;
  for (unsigned m = 1; m < c.space.lanes(); ++m)
    if (c.weights.memories[m].capacityBits &&
        result.counts->memories[m].maxResidentBits > *c.weights.memories[m].capacityBits)
      return llvm::None;
  return scoreOf(c.weights, nest, *result.counts);
}

llvm::Optional<ChainNode> loopnest::randomChains(const MapSpace &space, std::mt19937 &random) {
  ChainNode node;
  node.mapping = space.emptyMapping();
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    for (unsigned d = 0; d < space.dims(); ++d)
      node.mapping.factor[s][d] =
          random() % 2 ? 1 : 1 + int64_t(random() % uint64_t(space.nest.dims[d].size));
    std::shuffle(node.mapping.order[s].begin(), node.mapping.order[s].begin() + space.dims(),
                 random);
  }
  completeChains(space, true, node.mapping);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t lanes = 1;
    for (unsigned d = 0; d < space.dims(); ++d)
      lanes *= node.mapping.factor[s][d];
    if (space.slots[s].isAxis && lanes > space.slots[s].size)
      return llvm::None;
  }
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t cover = 1;
    for (unsigned s = space.slots.size() + 1; s-- > 0;) {
      if (s < space.slots.size())
        cover *= node.mapping.factor[s][d];
      node.inside[s][d] = std::min(cover, space.nest.dims[d].size);
    }
  }
  return node;
}

llvm::Optional<double> loopnest::exhaustive(const Case &c, const SlotRules &rules,
                                            const SearchGoal &goal, int64_t limit, bool imperfect,
                                            const NestWeigher &weigh) {
  SearchOptions options;
  options.mostEvaluations = limit;
  PlainOptions plain;
  plain.imperfect = imperfect;
  plain.allOrders = true;
  plain.weigh = &weigh;
  SearchResult all = plainSearch(c.space, c.weights, rules, goal, options, plain);
  if (!all.isProven())
    return llvm::None;
  return all.front.empty() ? HUGE_VAL : goal.value(all.front.front().score);
}
