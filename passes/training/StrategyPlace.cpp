// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StrategyPlace.h"

#include "llvm/ADT/STLExtras.h"

using namespace perfc;
using namespace perfc::passes;

static AxisPlace placeOfAll(const Strategy &strategy, llvm::ArrayRef<RankAxis> axes) {
  AxisPlace place;
  int64_t stride = 1;
  for (auto [axis, degree] : strategy.nested()) {
    if (llvm::is_contained(axes, axis))
      place.add(degree, stride);
    stride *= degree;
  }
  return place;
}

/// The groups that divide what is sharded, or those across them; as many of experts as of the rest.
static AxisPlace placeInShards(const Strategy &strategy, bool ofExperts, bool areReplicas) {
  AxisPlace all = placeOf(strategy, ofExperts ? "expert_data" : "data");
  auto [shard, replica] = all.split(all.ranks() / strategy.shardGroups());
  return areReplicas ? replica : shard;
}

AxisPlace passes::placeOf(const Strategy &strategy, llvm::StringRef axis) {
  bool isExpertShare = axis.startswith("expert_");
  llvm::StringRef share = isExpertShare ? axis.drop_front(7) : axis;
  if (share == "shard" || share == "replica")
    return placeInShards(strategy, isExpertShare, share == "replica");
  if (axis == "data") // context-parallel ranks have the same weights
    return placeOfAll(strategy, {RankAxis::Context, RankAxis::Data, RankAxis::Expert});
  bool areOthers = axis == "expert_data";
  if (axis != "expert" && !areOthers)
    return placeOfAll(strategy, {*parseAxis(axis)});
  llvm::SmallVector<RankAxis, 4> domain = {RankAxis::Context, RankAxis::Data};
  if (strategy.wholeExperts())
    domain.push_back(RankAxis::Tensor);
  if (llvm::is_contained(strategy.nesting, RankAxis::Expert))
    return placeOfAll(strategy, areOthers ? llvm::ArrayRef<RankAxis>(domain) : RankAxis::Expert);
  auto [experts, others] = placeOfAll(strategy, domain).split(strategy.expert);
  return areOthers ? others : experts;
}

Strategy StrategyVariants::fill(Strategy strategy, size_t number) const {
  const Strategy &variant = list[number];
  strategy.order = variant.order;
  strategy.anyOrder = false;
  strategy.nesting = variant.nesting;
  strategy.factors = variant.factors;
  strategy.shard.ranks = variant.shard.ranks;
  return strategy;
}

const std::vector<AxisPlace> &StrategyVariants::places(llvm::StringRef axis) const {
  auto [entry, isNew] = known.try_emplace(axis);
  if (isNew)
    for (const Strategy &strategy : list)
      if (AxisPlace place = placeOf(strategy, axis); !llvm::is_contained(entry->second, place))
        entry->second.push_back(std::move(place));
  return entry->second;
}

ChipSet passes::stageChips(const Strategy &strategy, int64_t stage) {
  int64_t ranks = strategy.ranks();
  if (strategy.pipeline == 1)
    return {0, ranks, ranks};
  int64_t stride = placeOf(strategy, "pipeline").stride();
  return {stage * stride, stride, strategy.pipeline * stride};
}
