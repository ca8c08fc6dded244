// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/WeightExchanges.h"

#include "passes/training/StrategyPlace.h"

using namespace perfc;
using namespace perfc::passes;

ElementBytes passes::elementBytes(study::TrainOp train) {
  auto runtime = study::partOf<study::RuntimeOp>(*train);
  double element = bitsOf(train.dtype()) / 8.0;
  double gradient = runtime->realAttr("gradient_bytes"), gather = runtime->realAttr("gather_bytes");
  bool isNarrow = train.products() && bitsOf(*train.products()) <= 8;
  return {element, gradient > 0 ? gradient : element,
          isNarrow && gather > 0 ? std::min(gather, element) : element};
}

void HeldWeights::add(const HeldWeights &other, double times) {
  trainedDense += other.trainedDense * times;
  trainedExperts += other.trainedExperts * times;
  denseBytes += other.denseBytes * times;
  expertBytes += other.expertBytes * times;
}

void HeldWeights::add(phase::WeightOp weight) {
  bool isExpert = weight.isExpert();
  (isExpert ? expertBytes : denseBytes) += static_cast<double>(weight.bytes());
  if (!weight.isFrozen())
    (isExpert ? trainedExperts : trainedDense) += static_cast<double>(weight.elements());
}

WeightExchanges passes::exchangesOf(const Strategy &strategy, const HeldWeights &weights,
                                    const ElementBytes &bytes) {
  const Sharding &shard = strategy.shard;
  double dense = weights.trainedDense, experts = weights.trainedExperts;
  WeightExchanges all;
  if (!shard.parameters && !shard.optimizer && !shard.gradients) {
    all.reduce = {"all_reduce", "data", dense * bytes.gradient, experts * bytes.gradient};
    return all;
  }
  auto ranks = [&](llvm::StringRef axis) {
    return static_cast<double>(placeOf(strategy, axis).ranks());
  };
  all.reduce = {"reduce_scatter", "shard", dense * bytes.gradient, experts * bytes.gradient};
  all.across = {"all_reduce", "replica", dense * bytes.gradient / ranks("shard"),
                experts * bytes.gradient / ranks("expert_shard")};
  all.gather = {"all_gather", "shard", dense * bytes.gathered, experts * bytes.gathered};
  if (shard.parameters) {
    double moved = bytes.gathered / bytes.weight;
    all.gather.dense = weights.denseBytes * moved;
    all.gather.experts = weights.expertBytes * moved;
  }
  return all;
}
