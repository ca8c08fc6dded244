// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/Sends.h"
#include "backends/network/FabricSimulation.h"
#include "test/unit/ProviderTest.h"
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

double secondsOf(const llvm::Optional<SendSteps> &sends) {
  double sum = sends ? 0 : -1;
  for (const CollectiveStep &step : sends ? sends->steps : std::vector<CollectiveStep>())
    sum += step.latency.central();
  return sum;
}

/// Groups from the inside out, each with its topology and so many members.
struct Given {
  std::unique_ptr<ParsedModule> parsed;
  NetworkLevels levels;
  std::unique_ptr<Fabric> fabric;

  explicit Given(const std::vector<std::string> &groups) {
    std::string text = "target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n";
    for (size_t i = 0; i < groups.size(); ++i) {
      auto [count, network] = llvm::StringRef(groups[i]).split(' ');
      text +=
          fmt::format("target.group @g{} {{ target.members (count = {}, of = @{})\n"
                      "  target.network ({}, energy = 2J/B) }}\n",
                      i, count.str(), i == 0 ? "chip" : fmt::format("g{}", i - 1), network.str());
    }
    parsed = std::make_unique<ParsedModule>(text + "}\n");
    const ir::Operation &system = *parsed->module->lookup("s");
    std::string reason;
    levels = *networkLevels(system, reason);
    fabric = Fabric::build(system, parsed->diagnostics);
  }

  double closed(const SendPattern &pattern, double bytes) const {
    return secondsOf(sendSteps(levels.levels, pattern, bytes));
  }
  /// What the routes that a simulation takes say of its time.
  struct Routed {
    double closed = 0; ///< latencies of the longest and the time of the busiest link
    double least = 0; ///< the busiest link, and each message alone, take so long whatever the order
    /// No message waits at a link for longer than all that cross it take there.
    double most = 0;
  };
  Routed routed(const SendPattern &pattern, double bytes) {
    std::map<uint32_t, double> busy; // by link
    std::vector<std::vector<uint32_t>> routes;
    for (int64_t from = pattern.first; from < pattern.first + pattern.count; ++from) {
      auto route = fabric->route(static_cast<uint32_t>(from),
                                 static_cast<uint32_t>(from + pattern.distance));
      for (uint32_t number : routes.emplace_back(route.begin(), route.end()))
        busy[number] += bytes / fabric->links()[number].bandwidth;
    }
    Routed result;
    double longest = 0;
    for (const std::vector<uint32_t> &route : routes) {
      double latency = 0, waiting = 0, slowest = 0;
      for (uint32_t number : route) {
        const FabricLink &link = fabric->links()[number];
        latency += link.latency;
        waiting += busy[number];
        slowest = std::max(slowest, bytes / link.bandwidth);
      }
      longest = std::max(longest, latency);
      result.least = std::max(result.least, latency + slowest);
      result.most = std::max(result.most, latency + waiting);
    }
    double busiest = 0;
    for (const auto &[number, seconds] : busy)
      busiest = std::max(busiest, seconds);
    result.closed = longest + busiest;
    result.least = std::max(result.least, busiest);
    return result;
  }
  double simulated(const SendPattern &pattern, double bytes) {
    Messages messages;
    for (int64_t start = pattern.first; start < levels.ranks(); start += pattern.step)
      for (int64_t from = start; from < std::min(start + pattern.count, levels.ranks()); ++from)
        messages.add(static_cast<uint32_t>(from), static_cast<uint32_t>(from + pattern.distance),
                     bytes, {});
    return simulateMessages(*fabric, messages, {}, parsed->diagnostics)->seconds;
  }
};

constexpr const char *torus = "16 topology = \"torus\", topology_arguments = {x = 4, y = 4}, "
                              "bandwidth = 60GB/s, latency = 1us";
constexpr const char *mesh = "16 topology = \"mesh\", topology_arguments = {x = 4, y = 4}, "
                             "bandwidth = 60GB/s, latency = 1us";

} // namespace

/// A chip of a torus of two dimensions has four links of 15 GB/s.
TEST(Sends, AcrossDimensionsByHand) {
  Given given({torus}), open({mesh});
  double bytes = 15e3; // 1 us on a link
  auto one = [&](const Given &on, int64_t from, int64_t to) {
    return on.closed({from, 1, 16, to - from}, bytes) * 1e6;
  };
  EXPECT_NEAR(one(given, 2, 3), 2, 1e-9);  // a neighbour
  EXPECT_NEAR(one(given, 3, 4), 3, 1e-9);  // (3, 0) to (0, 1): around x, then along y
  EXPECT_NEAR(one(open, 3, 4), 5, 1e-9);   // without links around: three and one
  EXPECT_NEAR(one(given, 15, 0), 3, 1e-9); // (3, 3) to (0, 0): around both
  EXPECT_NEAR(one(open, 15, 0), 7, 1e-9);
  EXPECT_NEAR(one(given, 1, 9), 3, 1e-9); // (1, 0) to (1, 2): two links along y
  // A line of four, two chips to a stage: (0), (1) to (2), (3) both cross the link from 1 to 2.
  Given line({"4 topology = \"mesh\", bandwidth = 30GB/s, latency = 1us"});
  EXPECT_NEAR(line.closed({0, 2, 4, 2}, bytes) * 1e6, 2 + 2, 1e-9);
  // A row to the next one: each chip has a link of its own.
  EXPECT_NEAR(given.closed({0, 4, 16, 4}, bytes) * 1e6, 2, 1e-9);
}

/// Through a switch to any chip behind it; inside a group over its own network.
TEST(Sends, ThroughSwitchesByHand) {
  Given given({"4 topology = \"ring\", bandwidth = 30GB/s, latency = 1us",
               "3 topology = \"switch\", bandwidth = 15GB/s, latency = 5us"});
  double bytes = 15e3;
  EXPECT_NEAR(given.closed({0, 1, 12, 1}, bytes) * 1e6, 1 + 1, 1e-9);
  EXPECT_NEAR(given.closed({3, 1, 12, 3}, bytes) * 1e6, 5 + 1, 1e-9);
  // All of a node to the next.
  EXPECT_NEAR(given.closed({0, 4, 12, 4}, bytes) * 1e6, 5 + 1, 1e-9);
}

/// A message alone takes as long as a simulated one. Of several the longest way and the busiest
/// link need not be of the same one, and those that share a link may wait for each other elsewhere,
/// too: the simulated time stays between what the busiest link and each message alone take, and
/// waiting for all others at each link.
TEST(Sends, AgreeWithSimulation) {
  std::mt19937_64 random{5};
  auto pick = [&](int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  };
  int alone = 0, shared = 0;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::string> groups;
    int64_t ranks = 1;
    for (int64_t level = pick(1, 2); level > 0; --level) {
      static const char *const names[] = {"switch", "ring", "torus", "mesh", "fully_connected"};
      std::string name = names[pick(0, 4)], arguments;
      int64_t members = pick(1, 6);
      if (name == "torus" || name == "mesh") {
        int64_t x = pick(1, 5), y = pick(1, 4);
        members = x * y;
        arguments = fmt::format(", topology_arguments = {{x = {}, y = {}}}", x, y);
      }
      ranks *= members;
      // In this order whatever the compiler: that of arguments is not specified.
      int64_t latency = pick(0, 5), bandwidth = pick(1, 100);
      groups.push_back(fmt::format("{} topology = \"{}\"{}, bandwidth = {}GB/s, latency = {}us",
                                   members, name, arguments, bandwidth, latency));
    }
    if (ranks < 2)
      continue;
    Given given(groups);
    SendPattern pattern;
    pattern.distance = pick(1, ranks - 1);
    pattern.count = pick(1, ranks - pattern.distance);
    pattern.first = pick(0, ranks - pattern.distance - pattern.count);
    pattern.step = ranks;
    if (pick(0, 1)) { // back
      pattern.first += pattern.distance;
      pattern.distance = -pattern.distance;
    }
    double bytes = static_cast<double>(pick(1, 1 << 20));
    double closed = given.closed(pattern, bytes), seconds = given.simulated(pattern, bytes);
    std::string what =
        fmt::format("{} + {} by {} of {}: ", pattern.first, pattern.count, pattern.distance, bytes);
    for (const std::string &group : groups)
      what += group + "; ";
    ++(pattern.count == 1 ? alone : shared);
    double rounding = 1e-6 * closed + 1e-9;
    Given::Routed routed = given.routed(pattern, bytes);
    if (pattern.count == 1) {
      EXPECT_NEAR(seconds, closed, rounding) << what;
    }
    EXPECT_GE(seconds, routed.least - rounding) << what;
    EXPECT_LE(seconds, routed.most + rounding) << what;
    EXPECT_NEAR(routed.closed, closed, 1e-9 * closed) << what;
  }
  EXPECT_GT(alone, 50);
  EXPECT_GT(shared, 50);
}

/// Half of a ring to the other half: all but the first, which goes up, go down n / 2 links. Those
/// of the chips before the second one are crossed by all of these. Link by link 10^12
/// would be counted; what is beyond 2^20 messages is left out, and said.
TEST(Sends, OfManyChips) {
  NetworkLevel ring;
  ring.name = "all";
  ring.topology = Topology::Ring;
  ring.bandwidth = Uncertain(2e9);
  ring.latency = 1e-6;
  auto halves = [&](int64_t n) {
    ring.members = n;
    return sendSteps(ring, {0, n / 2, n, n / 2}, 1e3);
  };
  auto busy = [](int64_t n, double messages) {
    return static_cast<double>(n / 2) * 1e-6 + messages * 1e3 / 1e9;
  };
  for (int64_t n : {int64_t(8), int64_t(1) << 21}) {
    auto sends = halves(n);
    EXPECT_NEAR(secondsOf(sends), busy(n, static_cast<double>(n / 2 - 1)), 1e-9) << n;
    EXPECT_EQ(sends->note, "") << n;
  }
  auto sends = halves(int64_t(1) << 22);
  EXPECT_NEAR(secondsOf(sends), busy(int64_t(1) << 22, (1 << 20) - 1), 1e-9);
  EXPECT_EQ(sends->note, "a stage sends more than 1048576 messages at the same time: the first "
                         "of them are followed, all may take longer");
}
