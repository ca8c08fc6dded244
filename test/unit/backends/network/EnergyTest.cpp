// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The energy of collectives is one rule, whether their time is that of a closed form or simulated:
// the bytes that cross each network, at its energy.
#include "backends/network/Network.h"
#include "backends/network/NetworkLevels.h"
#include "test/unit/ProviderTest.h"
#include <random>

using namespace perfc;

namespace {

/// Random systems, each evaluated as it is, and with a fault that slows nothing: that is simulated.
class EnergyTest : public testing::Test {
protected:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }

  /// Given, given with an interval (of one of two sources), or not.
  std::string energy() {
    switch (pick(0, 3)) {
    case 0:
      return "";
    case 1:
      return fmt::format(", energy = {}pJ/b", pick(1, 300));
    default:
      return fmt::format(", energy = ~{}e-12J/B +- {}e-12@{}", pick(100, 300), pick(1, 99),
                         pick(1, 2));
    }
  }

  std::string group(size_t number, int64_t count, const std::string &network) {
    return fmt::format("target.group @g{0} {{ target.members (count = {1}, of = @{2})\n"
                       "  target.network @n{0} ({3}, bandwidth = {4}GB/s, latency = {5}us{6}) }}\n",
                       number, count, number == 0 ? "chip" : fmt::format("g{}", number - 1),
                       network, pick(1, 500), pick(0, 9), energy());
  }

  std::string randomGroup(size_t number) {
    static const char *const topologies[] = {"switch", "fat_tree", "fully_connected", "ring",
                                             "mesh"};
    int64_t shape = pick(0, 6);
    if (shape < 5)
      return group(number, pick(1, 5), fmt::format("topology = \"{}\"", topologies[shape]));
    int64_t x = pick(1, 4), y = pick(1, 3);
    return group(number, x * y,
                 fmt::format("topology = \"{}\", topology_arguments = {{d0 = {}, d1 = {}}}",
                             shape == 5 ? "torus" : "mesh", x, y));
  }

  static llvm::Optional<Cost> costOf(const std::string &groups, const std::string &collective) {
    ParsedModule module("target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n" + groups +
                        "}\ncollective.program @run (system = @s) { " + collective + " }\n");
    return module.costOf<network::NetworkProvider>(module.module->lookup("run")->body().front(),
                                                   "s");
  }

  /// Whether the two forms were compared, and agree.
  void compare(const std::string &groups, const std::string &collective);

  std::mt19937_64 random{3};
  int given = 0, missing = 0, partly = 0;
};

void EnergyTest::compare(const std::string &groups, const std::string &collective) {
  std::string slowed = groups;
  slowed.insert(slowed.rfind('}'),
                "target.fault (kind = \"chip\", ends = [\"chip[0]\"], slowdown = 1) ");
  auto closed = costOf(groups, collective), simulated = costOf(slowed, collective);
  ASSERT_TRUE(closed && simulated) << groups << collective;
  auto isSimulated = [](const Cost &cost) {
    return llvm::StringRef(cost.provenance.formula).contains("simulated");
  };
  ASSERT_TRUE(isSimulated(*simulated)) << slowed << collective;
  if (isSimulated(*closed)) // there is no exact form
    return;
  const Figure &one = closed->energy, &other = simulated->energy;
  EXPECT_EQ(one.missing, other.missing) << groups << collective;
  EXPECT_NEAR(one.known.central(), other.known.central(), 1e-9 * one.known.central())
      << groups << collective;
  EXPECT_NEAR(one.known.halfWidth(), other.known.halfWidth(), 1e-9 * one.known.halfWidth())
      << groups << collective;
  given += one.isGiven() && one.known.halfWidth() > 0;
  missing += !one.isGiven();
  partly += !one.isGiven() && one.known.central() > 0;
}

TEST_F(EnergyTest, ClosedFormsAndSimulationsAgree) {
  static const char *const kinds[] = {"all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                      "broadcast",  "reduce",     "barrier",        "send"};
  for (int round = 0; round < 120; ++round) {
    std::string groups;
    size_t depth = static_cast<size_t>(pick(1, 3));
    for (size_t number = 0; number < depth; ++number)
      groups += randomGroup(number);
    ParsedModule module("target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n" + groups +
                        "}\n");
    std::string reason;
    int64_t ranks = network::networkLevels(*module.module->lookup("s"), reason)->ranks();
    for (const char *kind : kinds)
      compare(groups, fmt::format("collective.{} (bytes = {}, group = \"g\", ranks = {})", kind,
                                  pick(1, 1 << 24), ranks));
  }
  EXPECT_GT(given, 100);
  EXPECT_GT(missing, 100);
  EXPECT_GT(partly, 50);
}

/// Four of eight chips on a switch of energy 16 pJ/B +- 50 %, and two such groups on one of 80
/// pJ/B.
TEST_F(EnergyTest, GroupsTakeTheirOwnShare) {
  for (const char *fault :
       {"", "target.fault (kind = \"chip\", ends = [\"chip[0]\"], slowdown = 1)"}) {
    std::string groups =
        "target.group @node { target.members (count = 4, of = @chip)\n"
        "  target.network @inner (topology = \"switch\", bandwidth = 1GB/s, energy "
        "= ~16e-12J/B +- 8e-12@1) }\ntarget.group @all { target.members (count = 2, of = "
        "@node)\n  target.network @outer (topology = \"switch\", bandwidth = "
        "1GB/s, energy = 80pJ/B) " +
        std::string(fault) + " }\n";
    // Each of four ranks sends three quarters of 1 MB twice.
    auto inside =
        costOf(groups, "collective.all_reduce (bytes = 1000000, group = \"g\", ranks = 4)");
    EXPECT_NEAR(inside->energy.known.central(), 4 * 2 * 0.75e6 * 16e-12, 1e-12) << fault;
    EXPECT_NEAR(inside->energy.known.halfWidth(), 4 * 2 * 0.75e6 * 8e-12, 1e-12) << fault;
    // Each of two sends half of it twice.
    auto across = costOf(
        groups, "collective.all_reduce (bytes = 1000000, group = \"g\", ranks = 2, stride = 4)");
    EXPECT_NEAR(across->energy.known.central(), 2 * 2 * 0.5e6 * 80e-12, 1e-12) << fault;
    EXPECT_EQ(across->energy.known.halfWidth(), 0) << fault;
  }
}

} // namespace
