// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pipelines of groups of ranks: one rank per stage gives the same times as all of them.
#include "backends/network/astra/Folding.h"
#include "backends/network/astra/ClosedForm.h"
#include <gtest/gtest.h>
#include <memory>
#include <random>

using namespace perfc;
using namespace perfc::astra;
using chakra::Field;
using chakra::Node;
using chakra::NodeType;

namespace {

/// tensor x data x pipeline ranks: microbatches go through all stages, each with collectives of
/// the tensor groups; then collectives of the data groups.
class Pipeline {
public:
  Pipeline(std::mt19937 &random) : random(random) {
    static constexpr uint32_t sizes[] = {2, 3, 4};
    for (uint32_t &degree : degrees)
      degree = sizes[random() % 3];
    for (uint32_t degree : degrees)
      cluster.network.push_back({static_cast<Topology>(random() % 3), degree,
                                 12.5 * (1 + random() % 8), 100.0 * (random() % 9)});
    cluster.system.localMemBandwidth = 1600;
    cluster.system.splits = 1 + random() % 4;
    cluster.system.activeChunks = 1 + random() % 3;
    cluster.system.queues = 1 + random() % 2;
    cluster.system.localBwAware = random() % 2;
    for (auto &algorithms : cluster.system.algorithms)
      algorithms.assign(3, Algorithm());
    addGroups();
    for (uint32_t rank = 0; rank < count(); ++rank)
      traces.push_back(std::make_unique<chakra::Trace>());
    build();
  }

  uint32_t count() const { return degrees[0] * degrees[1] * degrees[2]; }
  std::vector<const chakra::Trace *> list() const {
    std::vector<const chakra::Trace *> all;
    for (const auto &trace : traces)
      all.push_back(trace.get());
    return all;
  }

  Cluster cluster;
  uint32_t degrees[3];

private:
  void addGroups() {
    for (uint32_t rank = 0; rank < count(); ++rank) {
      uint32_t t = rank % degrees[0], d = rank / degrees[0] % degrees[1];
      cluster.groups[1 + rank - t].push_back(rank);
      cluster.groups[1000 + rank - d * degrees[0]].push_back(rank);
    }
  }
  void set(Node &node, Field field, int64_t value) {
    node.values[static_cast<unsigned>(field)] = value;
    node.states[static_cast<unsigned>(field)] = chakra::FieldState::Integer;
  }
  void add(uint32_t rank, Node node, std::vector<uint64_t> after) {
    node.id = traces[rank]->nodes.size();
    traces[rank]->add(node, after);
  }
  void addCollective(uint32_t rank, int64_t group, int64_t type, int64_t size) {
    chakra::Trace &trace = *traces[rank];
    Node node;
    node.type = NodeType::Collective;
    set(node, Field::CommType, type);
    set(node, Field::CommSize, size);
    std::string name = std::to_string(group);
    auto known = std::find(trace.groupNames.begin(), trace.groupNames.end(), name);
    node.group = static_cast<uint32_t>(known - trace.groupNames.begin());
    if (known == trace.groupNames.end())
      trace.groupNames.push_back(name);
    add(rank, node, {trace.nodes.size() - 1});
  }
  void addMessage(uint32_t rank, bool sends, uint32_t peer, int64_t tag, int64_t size) {
    Node node;
    node.type = sends ? NodeType::Send : NodeType::Receive;
    set(node, sends ? Field::CommDst : Field::CommSrc, peer);
    set(node, Field::CommTag, tag);
    set(node, Field::CommSize, size);
    std::vector<uint64_t> after;
    if (sends)
      after = {traces[rank]->nodes.size() - 1};
    add(rank, node, after);
  }
  void build() {
    static constexpr int64_t types[] = {0, 2, 6, 7};
    uint32_t stride = degrees[0] * degrees[1];
    int64_t size = 1 + random() % 3000000, type = types[random() % 4], micros = random() % 300;
    for (uint32_t rank = 0; rank < count(); ++rank) {
      uint32_t t = rank % degrees[0], d = rank / degrees[0] % degrees[1], stage = rank / stride;
      for (int64_t microbatch = 0; microbatch < 4; ++microbatch) {
        std::vector<uint64_t> after;
        if (microbatch > 0)
          after = {traces[rank]->nodes.size() - 1};
        if (stage > 0)
          addMessage(rank, false, rank - stride, microbatch, size);
        if (stage > 0)
          after.push_back(traces[rank]->nodes.size() - 1);
        Node compute;
        compute.type = NodeType::Compute;
        compute.durationMicros = micros + 10 * stage;
        add(rank, compute, after);
        addCollective(rank, 1 + rank - t, type, size);
        if (stage + 1 < degrees[2])
          addMessage(rank, true, rank + stride, microbatch, size);
      }
      addCollective(rank, 1000 + rank - d * degrees[0], 0, 4 * size);
      traces[rank]->link();
    }
  }

  std::mt19937 &random;
  std::vector<std::unique_ptr<chakra::Trace>> traces;
};

} // namespace

TEST(Folding, OneRankPerStageTellsOfAll) {
  std::mt19937 random(5);
  int folded = 0;
  for (int round = 0; round < 200; ++round) {
    Pipeline pipeline(random);
    SimulationResult fast = simulate(pipeline.cluster, pipeline.list());
    ASSERT_FALSE(fast.aborted());
    if (!fast.folded)
      continue;
    ++folded;
    SimulationResult slow = simulate(pipeline.cluster, pipeline.list(), Fidelity::Events);
    EXPECT_LT(fast.events, slow.events);
    for (uint32_t rank = 0; rank < pipeline.count(); ++rank) {
      ASSERT_EQ(fast.ranks[rank].finish, slow.ranks[rank].finish) << round << ", rank " << rank;
      ASSERT_EQ(fast.ranks[rank].exposed(), slow.ranks[rank].exposed());
      ASSERT_EQ(fast.ranks[rank].communicationBusy, slow.ranks[rank].communicationBusy);
    }
  }
  EXPECT_GT(folded, 100);
}

TEST(Folding, ClassesAreStages) {
  std::mt19937 random(1);
  for (int round = 0; round < 20; ++round) {
    Pipeline pipeline(random);
    auto folding = foldRanks(pipeline.cluster, pipeline.list());
    if (!folding)
      continue;
    ASSERT_EQ(folding->firsts.size(), pipeline.degrees[2]);
    uint32_t stride = pipeline.degrees[0] * pipeline.degrees[1];
    for (uint32_t rank = 0; rank < pipeline.count(); ++rank)
      EXPECT_EQ(folding->classOf[rank], rank / stride);
  }
}

TEST(Folding, RingsOfUnequalStepsAreNotFolded) {
  Network network = {{Topology::Switch, 4, 50, 500}, {Topology::Ring, 4, 50, 500}};
  EXPECT_EQ(ringDistance(network, {0u, 1u, 2u, 3u}).hops, 2u);
  EXPECT_EQ(ringDistance(network, {0u, 4u, 8u, 12u}).dim, 1u);
  EXPECT_EQ(ringDistance(network, {0u, 1u, 5u, 4u}).hops, 0u);
}
