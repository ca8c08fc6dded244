// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/training/StrategyPlace.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

using namespace perfc;
using namespace perfc::passes;

static Strategy strategyOf(AxisOrder nesting) {
  Strategy strategy;
  strategy.tensor = 2;
  strategy.context = 3;
  strategy.data = 4;
  strategy.pipeline = 5;
  strategy.nesting = std::move(nesting);
  return strategy;
}

TEST(PlacementTest, TheUsualOrderIsTensorContextDataPipeline) {
  Strategy strategy = strategyOf(Strategy().nesting);
  EXPECT_EQ(placeOf(strategy, "tensor"), AxisPlace(2, 1));
  EXPECT_EQ(placeOf(strategy, "context"), AxisPlace(3, 2));
  EXPECT_EQ(placeOf(strategy, "data"), AxisPlace(12, 2)); // with context, one after the other
  EXPECT_EQ(placeOf(strategy, "pipeline"), AxisPlace(5, 24));
}

/// Groups listed by hand: data nearest (0 to 3), then the pipeline (0, 4, …, 16), tensor (0, 20),
/// context (0, 40, 80).
TEST(PlacementTest, APermutedOrderHasTheGroupsOfTheListing) {
  Strategy strategy =
      strategyOf({RankAxis::Data, RankAxis::Pipeline, RankAxis::Tensor, RankAxis::Context});
  EXPECT_EQ(placeOf(strategy, "pipeline").offsets(), (std::vector<int64_t>{0, 4, 8, 12, 16}));
  EXPECT_EQ(placeOf(strategy, "tensor").offsets(), (std::vector<int64_t>{0, 20}));
  EXPECT_EQ(placeOf(strategy, "context").offsets(), (std::vector<int64_t>{0, 40, 80}));
  EXPECT_EQ(placeOf(strategy, "data").offsets(),
            (std::vector<int64_t>{0, 1, 2, 3, 40, 41, 42, 43, 80, 81, 82, 83}));
  AxisPlace data = placeOf(strategy, "data");
  EXPECT_EQ(data.ranks(), 12);
  EXPECT_EQ(data.groupFrom(4), (std::vector<int64_t>{4, 5, 6, 7, 44, 45, 46, 47, 84, 85, 86, 87}));
  EXPECT_TRUE(data.groupFrom(5).empty());
  EXPECT_EQ(data.groupOf(4), data.groupOf(87));
  EXPECT_NE(data.groupOf(4), data.groupOf(8));
}

/// Whatever the order, the groups of each axis have all ranks, each once, and their numbers tell
/// them apart without a gap.
TEST(PlacementTest, GroupsOfEveryOrderCoverAllRanks) {
  AxisOrder order = {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline};
  do {
    Strategy strategy = strategyOf(order);
    for (int64_t experts : {1, 2, 3, 4, 6, 12})
      for (const char *name : {"tensor", "context", "data", "pipeline", "expert", "expert_data"}) {
        strategy.expert = experts;
        AxisPlace axis = placeOf(strategy, name);
        std::set<int64_t> covered, numbers;
        for (int64_t rank = 0; rank < 120; ++rank) {
          std::vector<int64_t> group = axis.groupFrom(rank);
          for (int64_t member : group) {
            EXPECT_TRUE(covered.insert(member).second);
            EXPECT_EQ(axis.groupOf(member), axis.groupOf(rank));
          }
          bool isKnown = !group.empty() && !numbers.insert(axis.groupOf(rank)).second;
          EXPECT_FALSE(isKnown);
        }
        EXPECT_EQ(covered.size(), 120u) << name;
        EXPECT_EQ(*numbers.rbegin(), 120 / axis.ranks() - 1) << name;
      }
  } while (std::next_permutation(order.begin(), order.end()));
}

/// Experts take the nearest of the ranks that data and context have, or a place of their own.
TEST(PlacementTest, ExpertsTakeRanksOfDataAndContext) {
  Strategy strategy = strategyOf(Strategy().nesting);
  strategy.expert = 6;
  EXPECT_EQ(placeOf(strategy, "expert"), AxisPlace(6, 2));
  EXPECT_EQ(placeOf(strategy, "expert_data"), AxisPlace(2, 12));
  strategy.expert = 2;
  strategy.nesting = {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Expert,
                      RankAxis::Pipeline};
  EXPECT_EQ(placeOf(strategy, "expert"), AxisPlace(2, 12));
  EXPECT_EQ(placeOf(strategy, "expert_data"), AxisPlace(6, 2));
  EXPECT_EQ(placeOf(strategy, "data"), AxisPlace(12, 2));
  strategy.sequence = true; // each tensor-parallel rank has experts of its own
  EXPECT_EQ(placeOf(strategy, "expert_data"), AxisPlace(12, 1));
}

/// An axis in two places, as data on the first and third dimension of a torus.
TEST(PlacementTest, FactorsOfAnAxisStandWhereTheyAreListed) {
  Strategy strategy;
  strategy.tensor = 4;
  strategy.data = 16;
  strategy.factors = {{RankAxis::Data, 4}, {RankAxis::Tensor, 4}, {RankAxis::Data, 4}};
  EXPECT_EQ(placeOf(strategy, "tensor"), AxisPlace(4, 4));
  AxisPlace data(4, 1);
  data.add(4, 16);
  EXPECT_EQ(placeOf(strategy, "data"), data);
}

/// What is sharded is so among the nearest ranks; the ranks across the groups have the same part.
TEST(PlacementTest, ShardGroupsDivideTheDataAxis) {
  Strategy strategy = strategyOf(Strategy().nesting);
  EXPECT_EQ(placeOf(strategy, "shard"), placeOf(strategy, "data"));
  EXPECT_EQ(placeOf(strategy, "replica").ranks(), 1);
  strategy.shard.ranks = 6;
  EXPECT_EQ(placeOf(strategy, "shard"), AxisPlace(6, 2));
  EXPECT_EQ(placeOf(strategy, "replica"), AxisPlace(2, 12));
  strategy.expert = 3; // of twelve ranks, so that two in each group have the same experts
  EXPECT_EQ(placeOf(strategy, "expert_shard"), AxisPlace(2, 6));
  EXPECT_EQ(placeOf(strategy, "expert_replica"), AxisPlace(2, 12));
}

/// The chips of all stages are all chips, each once, wherever the pipeline stands.
TEST(PlacementTest, StagesOfEveryOrderCoverAllChips) {
  AxisOrder order = {RankAxis::Tensor, RankAxis::Context, RankAxis::Data, RankAxis::Pipeline};
  do {
    Strategy strategy = strategyOf(order);
    AxisPlace pipeline = placeOf(strategy, "pipeline");
    std::vector<int64_t> starts = pipeline.offsets();
    for (int64_t chip = 0; chip < 120; ++chip) {
      int64_t first = chip; // the rank of its group on the first stage
      while (pipeline.groupFrom(first).empty())
        first -= pipeline.stride();
      for (int64_t stage = 0; stage < 5; ++stage)
        EXPECT_EQ(stageChips(strategy, stage).meets(chip, 1), chip == first + starts[stage]);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  Strategy whole = strategyOf(Strategy().nesting);
  whole.pipeline = 1;
  EXPECT_TRUE(stageChips(whole, 0).meets(23, 1));
}
