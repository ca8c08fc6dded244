// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/astra/Simulation.h"
#include "backends/network/astra/ClosedForm.h"
#include "backends/network/astra/Effort.h"
#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::astra;

namespace {

/// One dimension of four ranks in a ring, rings everywhere: an all-reduce of 1 MB takes 33,829 ns.
Cluster plainCluster() {
  Cluster cluster;
  Dimension dim;
  dim.npus = 4;
  dim.bandwidth = 50;
  dim.latency = 500;
  cluster.network = {dim};
  cluster.system.localMemBandwidth = 1600;
  cluster.system.localBwAware = true;
  for (auto &algorithms : cluster.system.algorithms)
    algorithms.assign(1, Algorithm());
  return cluster;
}

Cluster randomCluster(std::mt19937 &random) {
  auto pick = [&](auto... values) {
    double list[] = {static_cast<double>(values)...};
    return list[random() % sizeof...(values)];
  };
  Cluster cluster = plainCluster();
  cluster.network.clear();
  size_t dims = pick(1, 1, 2, 3);
  cluster.aware = dims == 1 && random() % 2;
  for (size_t dim = 0; dim < dims; ++dim) {
    Dimension made;
    made.topology = static_cast<Topology>(random() % 3);
    made.npus = static_cast<uint32_t>(dims == 3 ? pick(2, 3, 4) : pick(2, 3, 4, 8, 12));
    made.bandwidth = pick(12.5, 50, 400, 741.34);
    made.latency = pick(0, 250, 936.25);
    if (cluster.aware && made.topology == Topology::Ring && made.npus == 2)
      made.npus = 3;
    cluster.network.push_back(made);
  }
  cluster.system.splits = static_cast<int64_t>(pick(1, 1, 2, 3, 8));
  cluster.system.activeChunks = static_cast<int64_t>(pick(1, 1, 2, 4));
  cluster.system.queues = static_cast<uint32_t>(pick(1, 1, 2, 3));
  cluster.system.endpointDelay = static_cast<int64_t>(pick(1, 10, 100));
  cluster.system.localBwAware = random() % 2;
  for (auto &algorithms : cluster.system.algorithms) {
    algorithms.clear();
    for (const Dimension &dim : cluster.network) {
      Algorithm algorithm;
      bool isPower = (dim.npus & (dim.npus - 1)) == 0;
      algorithm.kind = static_cast<AlgorithmKind>(random() % (isPower ? 3 : 2));
      algorithms.push_back(algorithm);
    }
  }
  return cluster;
}

} // namespace

TEST(Simulation, KnownTime) {
  Cluster cluster = plainCluster();
  chakra::Trace trace = collectiveTrace(Collective::AllReduce, 1 << 20);
  for (Fidelity fidelity : {Fidelity::Fastest, Fidelity::Events}) {
    SimulationResult result = simulate(cluster, {&trace}, fidelity);
    ASSERT_EQ(result.ranks.size(), 4u);
    for (const RankResult &rank : result.ranks)
      EXPECT_EQ(rank.finish, 33829);
    EXPECT_EQ(result.folded, fidelity == Fidelity::Fastest);
  }
}

/// Wherever there is a closed form, the events give the same time on every rank.
TEST(Simulation, ClosedFormsAgreeWithEvents) {
  std::mt19937 random(7);
  int compared = 0;
  for (int round = 0; round < 1500; ++round) {
    Cluster cluster = randomCluster(random);
    auto op = static_cast<Collective>(random() % collectiveCount);
    int64_t size = 1 + static_cast<int64_t>(random() % (round % 2 ? 5000 : 8000000));
    chakra::Trace trace = collectiveTrace(op, size);
    SimulationResult fast = simulate(cluster, {&trace});
    if (fast.aborted() || !fast.folded)
      continue;
    SimulationResult slow = simulate(cluster, {&trace}, Fidelity::Events);
    ++compared;
    ASSERT_EQ(slow.ranks.size(), fast.ranks.size());
    for (const RankResult &rank : slow.ranks)
      ASSERT_EQ(rank.finish, fast.ranks[0].finish)
          << "round " << round << ", " << collectiveWord(op).str() << " of " << size;
  }
  EXPECT_GT(compared, 300);
}

TEST(Simulation, AMillionRanksInStep) {
  Cluster cluster = plainCluster();
  cluster.network[0].npus = 1 << 20;
  chakra::Trace trace = collectiveTrace(Collective::AllGather, 64);
  SimulationResult result = simulate(cluster, {&trace});
  ASSERT_FALSE(result.aborted());
  EXPECT_EQ(result.ranks.size(), size_t(1) << 20);
  // d + (N - 1) (L + d) with L = floor(500 + 64 / 53.69) = 501.
  EXPECT_EQ(result.ranks.back().finish, 10 + ((int64_t(1) << 20) - 1) * 511);
}

// A ring of n ranks sends 2 (n - 1) times on each rank for each chunk; both ways have one link.
TEST(Effort, CountsMessagesAndMemoryOfAllRanks) {
  Cluster cluster = plainCluster();
  cluster.network.front().npus = 1024;
  cluster.aware = true;
  cluster.system.activeChunks = 2;
  chakra::Trace trace;
  auto refusal = [&](int64_t splits) {
    cluster.system.splits = splits;
    trace = collectiveTrace(Collective::AllReduce, splits << 20);
    std::vector<Finding> findings = checkEffort(cluster, &trace);
    return findings.empty() ? std::string() : findings.front().reason;
  };
  // 1909 * 1024 * 2046 < 4e9 < 1910 * 1024 * 2046
  EXPECT_EQ(refusal(1909), "");
  EXPECT_NE(refusal(1910).find("1910 chunks on 1024 ranks are the most of about 4.0e+09 messages"),
            std::string::npos)
      << refusal(1910);
  // 400 B for each chunk, and a message of 100 B for each that runs.
  EXPECT_NE(refusal(8192).find("8192 chunks on 1024 ranks take about 3.4 GB of memory"),
            std::string::npos)
      << refusal(8192);
  SimulationResult result = simulate(cluster, &trace);
  EXPECT_TRUE(result.aborted());
  EXPECT_EQ(result.events, 0u);
  cluster.aware = false; // a closed form
  EXPECT_FALSE(simulate(cluster, &trace).aborted());
}

TEST(Algorithm, Names) {
  Algorithm algorithm;
  for (const char *name : {"ring", "direct", "direct12", "halvingDoubling", "doubleBinaryTree",
                           "oneRing", "oneDirect", "oneDirect3", "oneHalvingDoubling"}) {
    ASSERT_TRUE(parseAlgorithm(name, algorithm)) << name;
    EXPECT_EQ(algorithmName(algorithm), name);
  }
  for (const char *name : {"", "rings", "direct-1", "one", "oneX", "direct99999999999"})
    EXPECT_FALSE(parseAlgorithm(name, algorithm)) << name;
}
