// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a closed form claims to be exact, the simulated messages take as long and send as much;
// elsewhere they never take less.
#include "test/unit/backends/network/Agreement.h"

using namespace perfc;
using namespace perfc::network;

namespace {

TEST_F(Agreement, ProductsOfSwitchesRingsAndFullConnections) {
  static const char *const topologies[] = {"switch", "switch", "fat_tree", "fully_connected",
                                           "ring"};
  for (int round = 0; round < 150; ++round) {
    std::string groups;
    size_t depth = static_cast<size_t>(pick(1, 3));
    for (size_t level = 0; level < depth; ++level) {
      llvm::StringRef topology = topologies[pick(0, 4)];
      int64_t nics = topology == "switch" ? pick(1, 4) : 1;
      groups += group(level, pick(1, depth == 1 ? 13 : 5), topology,
                      nics > 1 ? fmt::format(", nics = {}", nics) : "");
    }
    system(groups);
    for (CollectiveKind kind : kinds)
      compare(kind);
  }
  EXPECT_GT(exact, 900);
  EXPECT_GT(bounds, 20);
}

TEST_F(Agreement, ToriAreRingsInEachDimension) {
  for (int round = 0; round < 60; ++round) {
    std::string arguments;
    int64_t points = 1, dimensions = pick(1, 3);
    for (int64_t d = 0; d < dimensions; ++d) {
      int64_t size = pick(1, 5);
      points *= size;
      arguments += fmt::format("{}d{} = {}", d ? ", " : "", d, size);
    }
    std::string groups = pick(0, 1) ? group(0, pick(1, 3), "switch", "") : "";
    groups += group(groups.empty() ? 0 : 1, points, "torus",
                    ", topology_arguments = {" + arguments + "}");
    system(groups);
    for (CollectiveKind kind : kinds)
      compare(kind);
  }
  EXPECT_GT(exact, 400);
}

TEST_F(Agreement, TopologiesThatBlockTakeNoLess) {
  for (int round = 0; round < 40; ++round) {
    int64_t shape = pick(0, 4), count = pick(4, 24);
    if (shape == 0) {
      system(group(0, count, "fat_tree",
                   fmt::format(", topology_arguments = {{radix = {}, oversubscription = {}}}",
                               pick(2, 8), pick(2, 4))));
    } else if (shape == 1) {
      int64_t groups = pick(1, 4), routers = pick(1, 3), hosts = pick(1, 3);
      system(group(0, groups * routers * hosts, "dragonfly",
                   fmt::format(", topology_arguments = {{groups = {}, routers = {}, hosts = {}}}",
                               groups, routers, hosts)));
    } else if (shape == 2) {
      int64_t x = pick(1, 5), y = pick(1, 5);
      system(group(0, x * y, "mesh",
                   fmt::format(", topology_arguments = {{d0 = {}, d1 = {}}}", x, y)));
    } else if (shape == 3) {
      system(group(0, count, "tree",
                   fmt::format(", topology_arguments = {{radix = {}}}", pick(2, 5))));
    } else {
      system(group(0, count, "bus", ""));
    }
    for (CollectiveKind kind : kinds)
      compare(kind);
  }
  EXPECT_GT(bounds, 200);
}

/// Leaves with as many ways up as chips are one switch.
TEST_F(Agreement, FatTreesThatDoNotBlockAreSwitches) {
  for (int round = 0; round < 60; ++round) {
    int64_t below = pick(1, 3), leaf = below * pick(1, 4), count = pick(2, 24 / below);
    std::string inner = below > 1 ? group(0, below, "switch", "") : "";
    std::mt19937_64 atGroup = random;
    auto timesOn = [&](llvm::StringRef topology, const std::string &rest) {
      random = atGroup;
      system(inner + group(below > 1 ? 1 : 0, count, topology, rest));
      std::vector<double> times;
      for (CollectiveKind kind : kinds)
        times.push_back(simulated(kind));
      return times;
    };
    std::vector<double> through = timesOn("switch", "");
    std::vector<double> over =
        timesOn("fat_tree", fmt::format(", topology_arguments = {{radix = {}}}", 2 * leaf));
    for (size_t i = 0; i < through.size(); ++i)
      EXPECT_NEAR(over[i], through[i], 1e-9 * through[i] + 1e-11)
          << nameOf(kinds[i]).str() << " of " << bytes << " on\n"
          << text;
  }
}

/// Less oversubscription and more bandwidth never take longer.
TEST_F(Agreement, MoreNeverHurts) {
  static const char *const topologies[] = {
      "switch", "fat_tree", "fully_connected", "ring", "torus", "mesh", "tree", "bus"};
  for (int round = 0; round < 60; ++round) {
    int64_t below = pick(1, 4), count = pick(2, 24 / below), radix = pick(2, 12);
    const char *topology = topologies[pick(0, 3) ? 1 : pick(0, 7)];
    bool isTree = llvm::StringRef(topology) == "fat_tree";
    int64_t latency = pick(0, 9), slow = pick(1, 40);
    std::string inner = below > 1 ? group(0, below, "switch", "") : "";
    std::mt19937_64 atSystem = random;
    std::vector<double> before;
    // From the most oversubscription and the least bandwidth on.
    for (int64_t step = 0; step < 8; ++step) {
      int64_t tenths = 10 + (isTree ? (7 - step) * 7 : 0);
      int64_t bandwidth = isTree && step < 7 ? slow : slow * (step + 1);
      random = atSystem;
      system(inner +
             fmt::format("target.group @outer {{ target.members (count = {}, of = @{})\n"
                         "  target.network (topology = \"{}\", bandwidth = {}GB/s, latency = {}us{}"
                         ") }}\n",
                         count, below > 1 ? "g0" : "chip", topology, bandwidth, latency,
                         isTree ? fmt::format(", topology_arguments = {{radix = {}, "
                                              "oversubscription = {}.{}}}",
                                              radix, tenths / 10, tenths % 10)
                                : ""));
      std::vector<double> now;
      for (CollectiveKind kind : kinds) {
        now.push_back(simulated(kind));
        now.push_back(closed(kind));
      }
      for (size_t i = 0; i < before.size(); ++i)
        EXPECT_LE(now[i], before[i] * (1 + 1e-9) + 1e-11)
            << (i % 2 ? "form" : "simulation") << " of " << nameOf(kinds[i / 2]).str() << " of "
            << bytes << ", step " << step << " on\n"
            << text;
      before = now;
    }
  }
}

/// Members of several chips share links that one chip does not fill, and the bound knows.
TEST_F(Agreement, LinksThatChipsShareBoundTheTime) {
  int gained = 0;
  for (int round = 0; round < 120; ++round) {
    int64_t shape = pick(0, 3), below = pick(1, 4), count = pick(2, 12);
    std::string groups = below > 1 ? group(0, below, "switch", "") : "";
    size_t outer = below > 1 ? 1 : 0;
    if (shape == 0)
      groups += group(outer, count, "fat_tree",
                      fmt::format(", topology_arguments = {{radix = {}, oversubscription = {}}}",
                                  pick(2, 12), pick(1, 5)));
    else if (shape == 1)
      groups += group(outer, count, "tree",
                      fmt::format(", topology_arguments = {{radix = {}}}", pick(2, 5)));
    else if (shape == 2)
      groups += group(outer, count, "bus", "");
    else {
      int64_t wide = pick(1, 5), routers = pick(1, 4), hosts = pick(1, 3);
      groups +=
          group(outer, wide * routers * hosts, "dragonfly",
                fmt::format(", topology_arguments = {{groups = {}, routers = {}, hosts = {}}}",
                            wide, routers, hosts));
    }
    system(groups);
    bool isAligned = levels->levels.back().shared.leaf.down % below == 0;
    for (CollectiveKind kind : kinds)
      if (isAligned || !isRoot(kind))
        compare(kind);
    gained += levels->levels.back().pairsLoad > 1;
  }
  EXPECT_GT(gained, 30);
}

TEST_F(Agreement, UnequalSizesTakeNoLessThanTheirBusiestRank) {
  static const char *const topologies[] = {"switch", "fully_connected", "ring"};
  double slowest = 0;
  for (int round = 0; round < 60; ++round) {
    std::string groups;
    size_t depth = static_cast<size_t>(pick(1, 2));
    for (size_t level = 0; level < depth; ++level)
      groups += group(level, pick(2, 6), topologies[pick(0, 2)], "");
    system(groups);
    uint32_t ranks = fabric->ranks();
    PairSizes pairs;
    pairs.ranks = ranks;
    if (pick(0, 1)) {
      pairs.imbalance = 1 + static_cast<double>(pick(0, 100)) / 100 * (ranks - 1);
    } else {
      double most = 0;
      for (uint32_t from = 0; from < ranks; ++from) {
        double sum = 0;
        for (uint32_t to = 0; to < ranks; ++to) {
          pairs.matrix.push_back(pick(0, 3) ? static_cast<double>(pick(1, 100)) : 0);
          sum += pairs.matrix.back();
        }
        most = std::max(most, sum);
      }
      for (double &entry : pairs.matrix)
        entry /= std::max(most, 1.0);
    }
    compare(CollectiveKind::AllToAllV, &pairs);
    slowest = std::max(slowest, simulated(CollectiveKind::AllToAllV, &pairs) /
                                    std::max(1e-12, closed(CollectiveKind::AllToAllV, &pairs)));
    // Equal sizes are those of an all_to_all.
    PairSizes equal;
    equal.ranks = ranks;
    EXPECT_EQ(simulated(CollectiveKind::AllToAllV, &equal), simulated(CollectiveKind::AllToAll));
  }
  RecordProperty("slowest", std::to_string(slowest));
}

/// One slow chip slows the whole, and never speeds it up.
TEST_F(Agreement, FaultsTakeNoLess) {
  static const char *const topologies[] = {"switch", "fully_connected", "ring", "torus",
                                           "fat_tree"};
  for (int round = 0; round < 40; ++round) {
    int64_t count = pick(3, 12), shape = pick(0, 4);
    std::string whole = group(0, count, topologies[shape], "");
    bool isChip = pick(0, 1) || shape > 0;
    std::string fault =
        isChip ? fmt::format("target.fault (kind = \"chip\", ends = [\"chip[{}]\"], slowdown = {})",
                             pick(0, count - 1), pick(1, 4))
               : fmt::format("target.fault (kind = \"link\", ends = [\"chip[{}]\", "
                             "\"switch[0]\"], bandwidth_factor = 0.{})",
                             pick(0, count - 1), pick(1, 9));
    system(whole);
    double before = bytes;
    std::vector<double> healthy;
    for (CollectiveKind kind : kinds)
      healthy.push_back(simulated(kind));
    std::string broken = whole;
    broken.insert(broken.rfind('}'), fault + " ");
    system(broken);
    bytes = before;
    for (size_t i = 0; i < std::size(kinds); ++i)
      EXPECT_GE(simulated(kinds[i]), healthy[i] * (1 - 1e-9)) << nameOf(kinds[i]).str() << broken;
  }
}

} // namespace
