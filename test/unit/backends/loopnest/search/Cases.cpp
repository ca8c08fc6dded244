// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Cases.h"

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
