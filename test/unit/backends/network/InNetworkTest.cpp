// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Switches that add and copy: closed form and messages agree on random products of such switches
// and of other networks.
#include "backends/network/InNetwork.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/Messages.h"
#include "test/unit/ProviderTest.h"
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

constexpr CollectiveKind switchedKinds[] = {
    CollectiveKind::AllReduce, CollectiveKind::AllGather, CollectiveKind::ReduceScatter,
    CollectiveKind::Broadcast, CollectiveKind::Reduce,    CollectiveKind::Barrier};

struct Case {
  std::string text;
  std::unique_ptr<ParsedModule> parsed;
  std::unique_ptr<Fabric> fabric;
  std::vector<NetworkLevel> levels;

  explicit Case(std::string groups) : text(std::move(groups)) {
    parsed = std::make_unique<ParsedModule>(
        "target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n" + text + "}\n");
    const ir::Operation &op = *parsed->module->lookup("s");
    fabric = Fabric::build(op, parsed->diagnostics);
    std::string reason;
    levels = networkLevels(op, reason)->levels;
  }
};

double closed(CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels, double bytes) {
  double sum = 0;
  for (const CollectiveStep &step : closedForm(kind, levels, bytes))
    sum += step.latency.central();
  return sum;
}

double simulated(Case &one, CollectiveKind kind, llvm::ArrayRef<NetworkLevel> levels,
                 double bytes) {
  auto messages = patternMessages(kind, patternLevels(levels, bytes), bytes, 1 << 22);
  auto result = simulateMessages(*one.fabric, *messages, {}, one.parsed->diagnostics);
  return result ? result->seconds : -1;
}

TEST(InNetworkTest, ClosedFormsAreWhatMessagesTake) {
  std::mt19937_64 random(5);
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int compared = 0;
  for (int round = 0; round < 80; ++round) {
    std::string groups;
    int64_t depth = pick(1, 3);
    for (int64_t level = 0; level < depth; ++level) {
      bool isAble = pick(0, 2) > 0;
      const char *topology = isAble || pick(0, 1) ? "switch" : "ring";
      groups += fmt::format(
          "target.group @g{0} {{ target.members (count = {1}, of = @{2})\n  target.network "
          "(topology = \"{3}\", bandwidth = {4}GB/s, latency = {5}us{6}{7}) }}\n",
          level, pick(1, depth == 1 ? 12 : 4), level == 0 ? "chip" : fmt::format("g{}", level - 1),
          topology, pick(1, 500), pick(0, 9), isAble ? ", multicast = [], reduce = []" : "",
          isAble && pick(0, 1) ? ", nics = 2" : "");
    }
    Case one(groups);
    auto bytes = static_cast<double>(pick(1, 1 << 24));
    for (CollectiveKind kind : switchedKinds) {
      std::string reason;
      auto levels = levelsInNetwork(kind, one.levels, reason);
      if (!levels)
        continue;
      double expected = closed(kind, *levels, bytes);
      EXPECT_NEAR(simulated(one, kind, *levels, bytes), expected, 1e-6 * expected + 1e-9)
          << nameOf(kind).str() << " of " << bytes << " on\n"
          << groups;
      ++compared;
    }
  }
  EXPECT_GT(compared, 200);
}

/// What a rank sends and gets counts, not how many there are.
TEST(InNetworkTest, TimeDoesNotGrowWithRanks) {
  for (int64_t ranks : {2, 8, 64, 1024}) {
    NetworkLevel level;
    level.members = ranks;
    level.bandwidth = Uncertain(100e9);
    level.latency = Uncertain(1e-6);
    level.multicasts = level.reduces = true;
    std::string reason;
    auto levels = levelsInNetwork(CollectiveKind::AllGather, level, reason);
    ASSERT_TRUE(levels);
    EXPECT_DOUBLE_EQ(closed(CollectiveKind::AllGather, *levels, 1e9), 1e-6 + 1e-2);
    EXPECT_NEAR(closed(CollectiveKind::AllReduce, *levels, 1e9), 1e-6 + 65.0 / 64 * 1e-2, 1e-12);
  }
}

TEST(InNetworkTest, NetworksDoWhatTheySay) {
  NetworkLevel level;
  level.members = 8;
  level.multicasts = true;
  std::string reason;
  EXPECT_TRUE(levelsInNetwork(CollectiveKind::Broadcast, level, reason));
  EXPECT_FALSE(levelsInNetwork(CollectiveKind::AllReduce, level, reason));
  EXPECT_EQ(reason, "no network between its ranks has `reduce` and `multicast`");
  EXPECT_FALSE(levelsInNetwork(CollectiveKind::AllToAll, level, reason));
}

} // namespace
