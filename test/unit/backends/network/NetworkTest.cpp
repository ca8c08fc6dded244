// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Closed forms by hand: 8 ranks, 8 MB, 100 GB/s, 1 us per message.
#include "backends/network/Network.h"
#include "test/unit/ProviderTest.h"

using namespace perfc;

static const char *const systems = R"(
target.chip @chip (dtype = "fp16") { target.compute @unit (rate = {any = 1GHz}) }
target.system @node {
  target.group @node { target.members (count = 8, of = @chip)
    target.network @link (topology = "switch", bandwidth = 100GB/s, latency = 1us) }
}
target.system @mesh {
  target.group @node { target.members (count = 8, of = @chip)
    target.network @link (topology = "fully_connected", bandwidth = 100GB/s, latency = 1us) }
}
target.system @slow {
  target.group @node { target.members (count = 8, of = @chip)
    target.network @link (topology = "switch", bandwidth = 100GB/s, latency = 1us)
    target.fault (kind = "chip", ends = ["chip[3]"], slowdown = 2) }
}
target.system @pod {
  target.group @node { target.members (count = 8, of = @chip)
    target.network @link (topology = "switch", bandwidth = 100GB/s, latency = 1us) }
  target.group @pod { target.members (count = 4, of = @node)
    target.network @wire (topology = "fat_tree", bandwidth = 10GB/s, latency = 5us) }
}
)";

static llvm::Optional<Cost> costOf(llvm::StringRef kind, llvm::StringRef system, int64_t ranks,
                                   int64_t bytes = 8000000, int64_t stride = 1) {
  ParsedModule module(
      systems + fmt::format("collective.program @run (system = @{}) {{ collective.{} (bytes = {}, "
                            "group = \"g\", ranks = {}, stride = {}) }}\n",
                            system, kind, bytes, ranks, stride));
  return module.costOf<network::NetworkProvider>(module.module->lookup("run")->body().front(),
                                                 system);
}

TEST(Network, RingOnOneLevel) {
  // 2 * 7 steps of 1 us + 1 MB / 100 GB/s.
  auto cost = costOf("all_reduce", "node", 8);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->latency.central(), 14 * (1e-6 + 10e-6), 1e-15);
  EXPECT_NEAR(cost->busBandwidth->central(), 2 * 7.0 / 8 * 8e6 / 154e-6, 1);
  EXPECT_NEAR(costOf("all_gather", "node", 8)->latency.central(), 77e-6, 1e-15);
  EXPECT_NEAR(costOf("reduce_scatter", "node", 8)->latency.central(), 77e-6, 1e-15);
  EXPECT_NEAR(costOf("all_to_all", "node", 8)->latency.central(), 77e-6, 1e-15);
  EXPECT_NEAR(costOf("send", "node", 8)->latency.central(), 81e-6, 1e-15);
  // Scatter and all-gather: (1 + 7) us + 2 * 7/8 * 80 us, against a tree of 3 * 81 us.
  EXPECT_NEAR(costOf("broadcast", "node", 8)->latency.central(), 148e-6, 1e-15);
  EXPECT_EQ(cost->bottleneck(), "network link");
}

TEST(Network, DirectWhereAllAreConnected) {
  EXPECT_NEAR(costOf("all_gather", "mesh", 8)->latency.central(), 1e-6 + 70e-6, 1e-15);
  EXPECT_NEAR(costOf("all_to_all", "mesh", 8)->latency.central(), 1e-6 + 70e-6, 1e-15);
}

TEST(Network, TwoLevels) {
  // In the nodes 77 us there and back; between them 2 * 3 steps of 5 us + 0.25 MB / 10 GB/s.
  auto cost = costOf("all_reduce", "pod", 32);
  ASSERT_TRUE(cost);
  EXPECT_NEAR(cost->latency.central(), 2 * 77e-6 + 6 * (5e-6 + 25e-6), 1e-15);
  EXPECT_EQ(cost->chips, 32);
  // 24 peers outside the node with 1/32 each; the node's own traffic is over sooner.
  EXPECT_NEAR(costOf("all_to_all", "pod", 32)->latency.central(),
              24 * 5e-6 + 24.0 / 32 * 8e6 / 10e9, 1e-15);
  EXPECT_EQ(costOf("all_to_all", "pod", 32)->bottleneck(), "network wire");
}

TEST(Network, EnergyOfAnUnknownNetworkIsNotGiven) {
  auto cost = costOf("all_reduce", "node", 8);
  ASSERT_FALSE(cost->energy.isGiven());
  EXPECT_EQ(cost->energy.missing.front(), "network `link`");
}

TEST(Network, RanksMustLieEvenlyOnTheSystem) {
  // Six of the eight: 2 * 5 steps of 1 us and a sixth.
  EXPECT_NEAR(costOf("all_reduce", "node", 6)->latency.central(), 10 * (1e-6 + 80e-6 / 6), 1e-15);
  EXPECT_FALSE(costOf("all_reduce", "pod", 12));
  EXPECT_FALSE(costOf("all_reduce", "node", 16));
}

TEST(Network, FaultsSlowTheGroupsThatHaveThem) {
  // All pairs run; that of chip 3 waits for 4 MB over 50 GB/s in each of two steps, and for its
  // 2 us in one or the other.
  auto pairs = costOf("all_reduce", "slow", 2);
  ASSERT_TRUE(pairs);
  EXPECT_NEAR(pairs->latency.central(), 1e-6 + 2e-6 + 2 * 80e-6, 1e-12);
  EXPECT_EQ(pairs->chips, 2);
  EXPECT_NEAR(costOf("all_reduce", "slow", 2, 8000000, 4)->latency.central(), 163e-6, 1e-12);
  // Four that stand two apart: six parts of 2 MB come to chip 3 of the second group.
  EXPECT_GT(costOf("all_reduce", "slow", 4, 8000000, 2)->latency.central(), 6 * 40e-6);
}

TEST(Network, PartsOfAFullConnectionHaveTheirLinksOnly) {
  // One of seven links.
  EXPECT_NEAR(costOf("all_gather", "mesh", 2)->latency.central(), 1e-6 + 4e6 / (100e9 / 7), 1e-12);
}

TEST(Network, ReduceAndBarrier) {
  EXPECT_NEAR(costOf("reduce", "node", 8)->latency.central(), 148e-6, 1e-15);
  EXPECT_NEAR(costOf("barrier", "node", 8)->latency.central(), 3e-6, 1e-15);
}
