// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/core/StepProgram.h"

#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace perfc;
using Kind = StepNode::Kind;

static StepItem kernel(const char *name, std::vector<uint32_t> after) {
  StepItem item;
  item.name = name;
  item.seconds = 1;
  item.flops = 10;
  item.after = std::move(after);
  return item;
}

static StepItem gather(std::vector<uint32_t> after) {
  StepItem item = kernel("gather", std::move(after));
  item.kind = "all_gather";
  item.axis = "tensor";
  return item;
}

/// Two stages of one layer each, two microbatches in order, two ranks in a tensor group.
static StepProgram twoStages() {
  StepProgram program;
  program.ranks = 8;
  program.stageStride = 4;
  program.microbatches = 2;
  program.axes = {{"tensor", {2, 1}}, {"data", {2, 2}}, {"expert_data", {}}};
  StepBlock forward, backward;
  forward.items = {kernel("a", {}), gather({0}), kernel("b", {1})};
  forward.outputs = {2};
  forward.weights = 100;
  backward.items = {kernel("dx", {}), kernel("dw", {}), kernel("out", {0})};
  backward.outputs = {2};
  backward.weights = 100;
  program.blocks = {forward, backward};
  for (int stage = 0; stage < 2; ++stage) {
    StepStage entry;
    entry.forward = {{0}};
    entry.backward = {{1}};
    entry.tasks = {{false, 0, 0}, {false, 1, 0}, {true, 0, 0}, {true, 1, 0}};
    program.stages.push_back(std::move(entry));
  }
  program.exchange = GradientExchange::AllReduce;
  program.boundaryBytes = 64;
  return program;
}

TEST(StepProgram, nodesWaitForEarlierOnesOnly) {
  for (size_t stage = 0; stage < 2; ++stage) {
    std::vector<StepNode> nodes = twoStages().nodesOf(stage);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (uint32_t before : nodes[i].after)
        EXPECT_LT(before, i) << nodes[i].name;
    EXPECT_EQ(nodes.back().name, "optimizer");
  }
}

TEST(StepProgram, everyMessageIsReceived) {
  std::map<std::pair<int64_t, int64_t>, std::multiset<int64_t>> sent, received;
  StepProgram program = twoStages();
  for (int64_t stage = 0; stage < 2; ++stage)
    for (const StepNode &node : program.nodesOf(static_cast<size_t>(stage))) {
      if (node.kind == Kind::Send)
        sent[{stage, node.peer}].insert(node.tag);
      if (node.kind == Kind::Receive)
        received[{node.peer, stage}].insert(node.tag);
    }
  EXPECT_EQ(sent, received);
  EXPECT_EQ(sent.size(), 2u);
  EXPECT_EQ((sent[{0, 1}].size()), 2u);
}

TEST(StepProgram, gradientsOfTheLastMicrobatchAreExchanged) {
  std::vector<StepNode> nodes = twoStages().nodesOf(0);
  std::vector<size_t> reductions, sums;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].collective == "all_reduce")
      reductions.push_back(i);
    if (nodes[i].name == "dw")
      sums.push_back(i);
  }
  ASSERT_EQ(reductions.size(), 1u);
  ASSERT_EQ(sums.size(), 2u);
  EXPECT_EQ(nodes[reductions[0]].bytes, 200);
  auto waits = [&](size_t node, size_t before) {
    const std::vector<uint32_t> &after = nodes[node].after;
    return std::count(after.begin(), after.end(), before) == 1;
  };
  EXPECT_TRUE(waits(sums[1], sums[0]));
  EXPECT_TRUE(waits(reductions[0], sums[1]));
  EXPECT_TRUE(waits(nodes.size() - 1, reductions[0]));
}

TEST(StepProgram, zeroBubblePutsGradientsOfWeightsOff) {
  StepProgram program = twoStages();
  program.defersWeights = true;
  std::vector<StepNode> nodes = program.nodesOf(0);
  size_t firstSum = 0, lastOut = 0;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (nodes[i].name == "dw")
      firstSum = i;
    if (nodes[i].name == "out" && lastOut == 0)
      lastOut = i;
    for (uint32_t before : nodes[i].after)
      EXPECT_LT(before, i);
  }
  EXPECT_GT(firstSum, lastOut);
}

TEST(StepProgram, shardedParametersAreGatheredForEachLayer) {
  StepProgram program = twoStages();
  program.exchange = GradientExchange::PerLayer;
  int gathers = 0, scatters = 0;
  for (const StepNode &node : program.nodesOf(1)) {
    gathers += node.name == "all_gather data";
    scatters += node.name == "reduce_scatter data";
  }
  EXPECT_EQ(gathers, 4);
  EXPECT_EQ(scatters, 2);
}

/// Four data-parallel ranks in shard groups of two: gradients are scattered inside of these for
/// each microbatch; each rank's half is added up across the groups behind the last one.
TEST(StepProgram, shardGroupsAddUpAcrossEachOther) {
  StepProgram program = twoStages();
  program.exchange = GradientExchange::PerLayer;
  program.axes = {{"tensor", {}}, {"data", {4, 1}}, {"shard", {2, 1}}, {"replica", {2, 2}}};
  std::vector<StepNode> nodes = program.nodesOf(1);
  std::vector<size_t> gathers, scatters, sums;
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].name == "all_gather shard")
      gathers.push_back(i);
    if (nodes[i].name == "reduce_scatter shard")
      scatters.push_back(i);
    if (nodes[i].name == "all_reduce replica")
      sums.push_back(i);
    EXPECT_EQ(nodes[i].name.find("data"), std::string::npos);
  }
  EXPECT_EQ(gathers.size(), 4u);
  ASSERT_EQ(scatters.size(), 2u);
  ASSERT_EQ(sums.size(), 1u);
  EXPECT_EQ(nodes[scatters[1]].bytes, 200);
  EXPECT_EQ(nodes[sums[0]].bytes, 100);
  EXPECT_EQ(nodes[sums[0]].after, (std::vector<uint32_t>{static_cast<uint32_t>(scatters[1])}));
  EXPECT_EQ(std::count(nodes.back().after.begin(), nodes.back().after.end(), sums[0]), 1);
}

TEST(StepBlock, mergingKeepsTimeAndOrder) {
  StepBlock block;
  block.items = {kernel("a", {}), kernel("b", {0}), gather({1}), kernel("c", {0, 2}),
                 kernel("d", {3})};
  block.items[1].count = 3;
  block.outputs = {4};
  StepBlock merged = block.merged();
  ASSERT_EQ(merged.items.size(), 3u);
  EXPECT_EQ(merged.items[0].seconds, 4);
  EXPECT_EQ(merged.items[0].flops, 40);
  EXPECT_EQ(merged.items[1].kind, "all_gather");
  EXPECT_EQ(merged.items[2].after, (std::vector<uint32_t>{0, 1}));
  EXPECT_EQ(merged.outputs, (std::vector<uint32_t>{2}));
}
