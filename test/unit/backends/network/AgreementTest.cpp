// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two fidelities of the native level on random systems: where a closed form claims to be exact,
// the simulated messages take as long and as much energy; elsewhere they never take less.
#include "backends/network/Chunks.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/Simulated.h"
#include "test/unit/ProviderTest.h"
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce,     CollectiveKind::AllGather,
                                    CollectiveKind::ReduceScatter, CollectiveKind::AllToAll,
                                    CollectiveKind::Broadcast,     CollectiveKind::Reduce,
                                    CollectiveKind::Barrier,       CollectiveKind::Send};

class Agreement : public testing::Test {
protected:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }

  std::string group(size_t number, int64_t count, llvm::StringRef topology, llvm::StringRef more) {
    return fmt::format("target.group @g{0} {{ target.members (count = {1}, of = @{2})\n"
                       "  target.network (topology = \"{3}\", bandwidth = {4}GB/s, latency = "
                       "{5}us, energy = 2J/B{6}) }}\n",
                       number, count, number == 0 ? "chip" : fmt::format("g{}", number - 1),
                       topology, pick(1, 500), pick(0, 9), more);
  }

  /// A torus or mesh of two or three dimensions.
  std::string grid(size_t number) {
    int64_t x = pick(1, 4), y = pick(2, 4), z = pick(1, 2);
    return group(number, x * y * z, pick(0, 2) ? "torus" : "mesh",
                 fmt::format(", topology_arguments = {{d0 = {}, d1 = {}, d2 = {}}}", x, y, z));
  }

  /// Any product of `groups`, `ranks` in all.
  void system(std::string groups) {
    text = std::move(groups);
    parsed = std::make_unique<ParsedModule>("target.chip @chip (dtype = \"fp16\") { }\n"
                                            "target.system @s {\n" +
                                            text + "}\n");
    const ir::Operation &op = *parsed->module->lookup("s");
    fabric = Fabric::build(op, parsed->diagnostics);
    std::string reason;
    levels = networkLevels(op, reason);
    ASSERT_TRUE(fabric && levels) << text;
    bytes = static_cast<double>(pick(1, pick(0, 1) ? 1 << 30 : 1 << 14));
  }

  double simulated(CollectiveKind kind, const PairSizes *pairs = nullptr) {
    auto messages =
        patternMessages(kind, patternLevels(levels->levels, bytes), bytes, 1 << 22, pairs);
    auto result = simulateMessages(*fabric, *messages, {}, parsed->diagnostics);
    energy = result ? result->energy : -1;
    return result ? result->seconds : -1;
  }

  double closed(CollectiveKind kind, const PairSizes *pairs = nullptr) {
    double sum = 0, most = 0;
    expectedEnergy = 0;
    for (const CollectiveStep &step : closedForm(kind, levels->levels, bytes, pairs)) {
      expectedEnergy += 2 * step.sentBytes * static_cast<double>(levels->ranks());
      sum += step.latency.central();
      most = std::max(most, step.latency.central());
    }
    bool overlaps = kind == CollectiveKind::AllToAll || kind == CollectiveKind::AllToAllV;
    return overlaps ? most : sum;
  }

  void compare(CollectiveKind kind, const PairSizes *pairs = nullptr) {
    double seconds = simulated(kind, pairs), expected = closed(kind, pairs);
    std::string what = nameOf(kind).str() + fmt::format(" of {} on\n", bytes) + text;
    if (isClosedFormExact(kind, levels->levels, pairs)) {
      ++exact;
      EXPECT_NEAR(seconds, expected, 1e-6 * expected + 1e-9) << what;
      EXPECT_NEAR(energy, expectedEnergy, 1e-9 * expectedEnergy) << what;
    } else {
      ++bounds;
      EXPECT_GE(seconds, expected * (1 - 1e-6) - 1e-9) << what;
    }
  }

  /// Where a member lies across switches, its own network may be another way for trees.
  static bool isRoot(CollectiveKind kind) {
    return kind == CollectiveKind::Broadcast || kind == CollectiveKind::Reduce;
  }

  std::mt19937_64 random{11};
  std::string text;
  std::unique_ptr<ParsedModule> parsed;
  std::unique_ptr<Fabric> fabric;
  llvm::Optional<NetworkLevels> levels;
  double bytes = 0, energy = 0, expectedEnergy = 0;
  int exact = 0, bounds = 0;
};

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

/// Groups of a system: all of them at once take what the levels of one say.
TEST_F(Agreement, GroupsOfASystemRunTogether) {
  static const char *const topologies[] = {"switch", "fully_connected", "ring", "mesh", "fat_tree"};
  for (int round = 0; round < 150; ++round) {
    int64_t below = pick(1, 4), count = pick(2, 12);
    std::string groups = below > 1 ? group(0, below, topologies[pick(0, 3)], "") : "";
    const char *outer = topologies[pick(0, 4)];
    size_t level = below > 1 ? 1 : 0;
    groups += pick(0, 3) == 0
                  ? grid(level)
                  : group(level, count, outer,
                          llvm::StringRef(outer) == "fat_tree"
                              ? ", topology_arguments = {radix = 4, oversubscription = 3}"
                              : "");
    system(groups);
    NetworkLevels whole = *levels;
    for (int64_t stride = 1; stride < whole.ranks(); ++stride)
      for (int64_t ranks = 2; ranks * stride <= whole.ranks(); ++ranks) {
        auto part = levelsOfGroup(whole, GroupDim{ranks, stride});
        if (!part)
          continue;
        levels = part;
        auto firsts = groupsOf(GroupDim{ranks, stride}, static_cast<uint32_t>(part->enclosing),
                               fabric->ranks());
        for (CollectiveKind kind : kinds) {
          if (isRoot(kind) && whole.levels.back().shared.leaf.down % below != 0)
            continue;
          auto messages = inAllGroups(
              *patternMessages(kind, patternLevels(levels->levels, bytes), bytes, 1 << 22), firsts,
              GroupDim{ranks, stride});
          double seconds = simulateMessages(*fabric, messages, {}, parsed->diagnostics)->seconds;
          double expected = closed(kind);
          std::string what = fmt::format("{} ranks, {} apart: {} of {} on\n", ranks, stride,
                                         nameOf(kind).str(), bytes) +
                             text;
          if (isClosedFormExact(kind, levels->levels)) {
            ++exact;
            EXPECT_NEAR(seconds, expected, 1e-6 * expected + 1e-9) << what;
          } else {
            ++bounds;
            EXPECT_GE(seconds, expected * (1 - 1e-6) - 1e-9) << what;
          }
        }
      }
  }
  EXPECT_GT(exact, 1000);
  EXPECT_GT(bounds, 1000);
}

/// The same for groups with two dimensions, as an axis has that others are nested in.
TEST_F(Agreement, GroupsOfTwoDimensionsRunTogether) {
  static const char *const topologies[] = {"switch", "fully_connected", "ring", "mesh", "fat_tree"};
  int64_t sizes[] = {1, 2, 4, 8};
  for (int round = 0; round < 300; ++round) {
    int64_t below = sizes[pick(0, 3)], count = sizes[pick(1, 3)];
    std::string groups = below > 1 ? group(0, below, topologies[pick(0, 3)], "") : "";
    const char *outer = topologies[pick(0, 4)];
    bool isTree = llvm::StringRef(outer) == "fat_tree";
    size_t level = below > 1 ? 1 : 0;
    groups += pick(0, 2) == 0
                  ? grid(level)
                  : group(level, count, outer,
                          isTree ? ", topology_arguments = {radix = 4, oversubscription = 3}" : "");
    system(groups);
    NetworkLevels whole = *levels;
    GroupDim near{sizes[pick(1, 2)], sizes[pick(0, 2)]};
    GroupDim far{sizes[pick(1, 2)], near.ranks * near.stride * sizes[pick(1, 2)]};
    if (far.ranks * far.stride > whole.ranks())
      continue;
    auto part = levelsOfGroup(whole, {near, far});
    if (!part) { // of three members somewhere
      EXPECT_NE(whole.levels.back().grid, 0) << text;
      continue;
    }
    EXPECT_EQ(part->ranks(), near.ranks * far.ranks);
    levels = part;
    auto firsts = groupsOf({near, far}, static_cast<uint32_t>(part->enclosing), fabric->ranks());
    for (CollectiveKind kind : kinds) {
      if (isRoot(kind))
        continue;
      auto messages =
          inAllGroups(*patternMessages(kind, patternLevels(levels->levels, bytes), bytes, 1 << 22),
                      firsts, {near, far});
      double seconds = simulateMessages(*fabric, messages, {}, parsed->diagnostics)->seconds;
      double expected = closed(kind);
      bool isExact = isClosedFormExact(kind, levels->levels);
      (isExact ? exact : bounds) += 1;
      std::string what =
          fmt::format("{} ranks, {} apart, {} times {} apart: {} of {} on\n", near.ranks,
                      near.stride, far.ranks, far.stride, nameOf(kind).str(), bytes);
      EXPECT_GE(seconds, expected * (1 - 1e-6) - 1e-9) << what << text;
      EXPECT_TRUE(!isExact || seconds <= expected * (1 + 1e-6) + 1e-9)
          << seconds << " above " << expected << " for " << what << text;
    }
  }
  EXPECT_GT(exact, 50);
  EXPECT_GT(bounds, 50);
}

/// Chunks one at a time in each level: stretch by stretch as message by message.
TEST_F(Agreement, ChunksThatHaveALevelForThemselves) {
  static const char *const topologies[] = {"switch", "switch", "fully_connected", "ring"};
  int differ = 0;
  for (int round = 0; round < 150; ++round) {
    std::string groups;
    size_t depth = static_cast<size_t>(pick(1, 3));
    for (size_t level = 0; level < depth; ++level)
      groups += depth < 3 && pick(0, 2) == 0 ? grid(level)
                                             : group(level, pick(1, 4), topologies[pick(0, 3)], "");
    system(groups);
    for (CollectiveKind kind : kinds) {
      if (!isClosedFormExact(kind, levels->levels) || kind == CollectiveKind::Barrier ||
          kind == CollectiveKind::Send)
        continue;
      double times[2];
      int64_t count = pick(2, 9);
      for (bool takesLatest : {false, true}) {
        Chunking chunking{count, takesLatest};
        double chunk = bytes / static_cast<double>(chunking.count);
        auto messages =
            patternMessages(kind, patternLevels(levels->levels, chunk, /*isChunk=*/true), bytes,
                            1 << 22, nullptr, chunking);
        auto result = simulateMessages(*fabric, *messages, {}, parsed->diagnostics);
        bool overlaps = kind == CollectiveKind::AllToAll;
        std::vector<CollectiveStep> steps =
            closedForm(kind, levels->levels, chunk, nullptr, /*isChunk=*/true);
        double expected = chunkedTime(steps, overlaps, chunking).central();
        if (!overtakeOnLines(chunking, levels->levels)) {
          EXPECT_NEAR(result->seconds, expected, 1e-6 * expected + 1e-9)
              << nameOf(kind).str() << inChunks(chunking) << " of " << bytes << " on\n"
              << text;
        }
        // No level is faster than what all chunks take there, and none waits for ever.
        double least = 0, most = 0;
        for (const CollectiveStep &step : steps) {
          least = std::max(least, step.latency.central());
          most += step.latency.central();
        }
        auto chunks = static_cast<double>(count);
        EXPECT_GE(expected, chunks * least * (1 - 1e-9));
        EXPECT_LE(expected, chunks * most * (1 + 1e-9) + 1e-12);
        times[takesLatest] = expected;
        ++exact;
      }
      differ += std::abs(times[0] - times[1]) > 1e-6 * times[0];
    }
  }
  EXPECT_GT(exact, 800);
  EXPECT_GT(differ, 10);
}

/// Chunks that share a level: with places for all of them, no chunk waits at its door.
TEST_F(Agreement, ChunksThatShareALevel) {
  int gained = 0;
  for (int round = 0; round < 60; ++round) {
    int64_t active = pick(2, 6), count = pick(2, 12), ranks = pick(2, 9);
    system(group(0, ranks, "switch", fmt::format(", active_chunks = {}", active)));
    const NetworkLevel &level = levels->levels[0];
    Chunking chunking{count, false};
    EXPECT_TRUE(shareLevels(chunking, levels->levels));
    double chunk = bytes / static_cast<double>(count);
    auto messages = patternMessages(CollectiveKind::AllGather, patternLevels(levels->levels, chunk),
                                    bytes, 1 << 22, nullptr, chunking);
    double seconds = simulateMessages(*fabric, *messages, {}, parsed->diagnostics)->seconds;
    double part = chunk / static_cast<double>(ranks) / level.bandwidth->central();
    double latency = level.latency.central(), steps = static_cast<double>(ranks - 1);
    auto all = static_cast<double>(count);
    // Every link carries all parts, and the last chunk goes round behind all others.
    EXPECT_GE(seconds, (all * steps * part + latency) * (1 - 1e-6) - 1e-9) << text;
    EXPECT_LE(seconds, all * steps * (part + latency) * (1 + 1e-6) + 1e-9) << text;
    // k chunks pass a link in turn: as long as k parts or a part and its latency.
    if (count <= active) {
      double turn = std::max(all * part, part + latency);
      double expected = (steps - 1) * turn + all * part + latency;
      EXPECT_NEAR(seconds, expected, 1e-6 * expected + 1e-9) << text;
      ++gained;
    }
  }
  EXPECT_GT(gained, 5);
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
