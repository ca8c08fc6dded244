// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formulas of the algorithms of std.networks against the messages of their schedules, written out
// here for few ranks: equal where the formula says so, else on the side that it says.
#include "backends/network/NamedForms.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/Schedule.h"
#include "test/unit/ProviderTest.h"
#include "llvm/Support/MathExtras.h"
#include <functional>
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

using Kind = CollectiveKind;

/// A schedule that grows line by line, as the declarations in stdlib/networks.perf do.
struct Writer {
  Schedule schedule;
  int64_t n;

  Writer(Kind kind, int64_t ranks, int64_t chunks) : n(ranks) {
    schedule.kind = kind;
    schedule.ranks = static_cast<uint32_t>(ranks);
    schedule.chunks = static_cast<uint32_t>(chunks);
    schedule.moves.resize(2);
    schedule.reduces = {false, true};
  }
  void send(bool adds, int64_t chunk, int64_t from, int64_t to) {
    schedule.sends.push_back({adds, static_cast<uint32_t>(chunk), static_cast<uint32_t>(from),
                              static_cast<uint32_t>(to)});
  }
  int64_t mod(int64_t value, int64_t by) const { return ((value % by) + by) % by; }
  int64_t mod(int64_t value) const { return mod(value, n); }

  void ringHalf(bool adds, int64_t first) {
    for (int64_t s = 0; s + 1 < n; ++s)
      for (int64_t i = 0; i < n; ++i)
        send(adds, mod(i + first - s), i, mod(i + 1));
  }
  void bothWays(bool adds, int64_t first) {
    for (int64_t s = 0; s + 1 < n; ++s)
      for (int64_t i = 0; i < n; ++i) {
        send(adds, mod(i + first - s), i, mod(i + 1));
        send(adds, n + mod(i - first + s), i, mod(i - 1));
      }
  }
  void directHalf(bool adds) {
    for (int64_t s = 1; s < n; ++s)
      for (int64_t i = 0; i < n; ++i)
        send(adds, adds ? mod(i + s) : i, i, mod(i + s));
  }
  void pairs(bool adds, int64_t d, int64_t power) {
    for (int64_t i = 0; i < power; ++i) {
      for (int64_t k = 0; k < d; ++k)
        send(adds, adds ? i ^ d ^ (d - 1 - k) : i ^ k, i, i ^ d);
    }
  }
  /// Visits (rank, parent) of a tree in levels of `h`.
  void treeLevel(int64_t h, const std::function<void(int64_t, int64_t)> &visit) const {
    for (int64_t r = h; r < n; r += 2 * h)
      visit(r, r % (4 * h) == h && r + h < n ? r + h : r - h);
  }
  void doubleTree(int64_t pieces) {
    int64_t levels = llvm::Log2_64_Ceil(static_cast<uint64_t>(n));
    for (int64_t c = 0; c < pieces; ++c)
      for (int64_t l = 0; l < levels; ++l)
        treeLevel(int64_t(1) << l, [&](int64_t r, int64_t parent) {
          send(true, 2 * c, r, parent);
          send(true, 2 * c + 1, n - 1 - r, n - 1 - parent);
        });
    for (int64_t c = 0; c < pieces; ++c)
      for (int64_t l = levels; l-- > 0;)
        treeLevel(int64_t(1) << l, [&](int64_t r, int64_t parent) {
          send(false, 2 * c, parent, r);
          send(false, 2 * c + 1, n - 1 - parent, n - 1 - r);
        });
  }
  void hierarchical(int64_t m, Kind kind) {
    int64_t nodes = n / m;
    bool isBoth = kind == Kind::AllReduce;
    auto chunk = [&](int64_t a, int64_t b) { // of the halves, a rank's own is that of its number
      a = mod(a, m);
      b = mod(b, nodes);
      return isBoth ? a * nodes + b : b * m + a;
    };
    auto inside = [&](bool adds, int64_t first) {
      for (int64_t s = 0; s + 1 < m; ++s)
        for (int64_t v = 0; v < nodes; ++v)
          for (int64_t i = 0; i < m; ++i)
            for (int64_t k = 0; k < nodes; ++k)
              send(adds, chunk(i + first - s, v + first - k), v * m + i, v * m + (i + 1) % m);
    };
    auto between = [&](bool adds, int64_t first) {
      for (int64_t s = 0; s + 1 < nodes; ++s)
        for (int64_t v = 0; v < nodes; ++v)
          for (int64_t i = 0; i < m; ++i)
            send(adds, chunk(i + isBoth, v + first - s), v * m + i, (v + 1) % nodes * m + i);
    };
    if (kind != Kind::AllGather) {
      inside(true, isBoth ? 0 : -1);
      between(true, isBoth ? 0 : -1);
    }
    if (kind != Kind::ReduceScatter) {
      between(false, isBoth);
      inside(false, isBoth);
    }
  }
};

Schedule scheduleOf(llvm::StringRef name, Kind kind, int64_t n, int64_t number) {
  int64_t power = int64_t(1) << llvm::Log2_64(static_cast<uint64_t>(n));
  bool isPieces = name.startswith("chain"), isTree = name.startswith("binomial");
  int64_t chunks = isPieces                           ? number
                   : isTree                           ? 1
                   : name == "double_binary_tree"     ? 2 * number
                   : name == "halving_doubling"       ? power
                   : name.startswith("bidirectional") ? 2 * n
                                                      : n;
  Writer writer(kind, n, chunks);
  int64_t levels = llvm::Log2_64_Ceil(static_cast<uint64_t>(n));
  if (name == "ring" || name == "ring_scatter")
    writer.ringHalf(true, kind == Kind::AllReduce ? 0 : -1);
  if (name == "ring" || name == "ring_gather")
    writer.ringHalf(false, kind == Kind::AllReduce ? 1 : 0);
  if (name == "bidirectional_ring") {
    writer.bothWays(true, 0);
    writer.bothWays(false, 1);
  }
  if (name == "direct_reduce" || name == "direct_scatter")
    writer.directHalf(true);
  if (name == "direct_reduce" || name == "direct_gather")
    writer.directHalf(false);
  bool isBoth = name == "halving_doubling";
  for (int64_t i = power; isBoth && i < n; ++i)
    for (int64_t c = 0; c < power; ++c)
      writer.send(true, c, i, i - power);
  if (name.startswith("halving"))
    for (int64_t d = power / 2; d >= 1; d /= 2)
      writer.pairs(true, d, power);
  if (name.endswith("doubling"))
    for (int64_t d = 1; d < power; d *= 2)
      writer.pairs(false, d, power);
  for (int64_t i = power; isBoth && i < n; ++i)
    for (int64_t c = 0; c < power; ++c)
      writer.send(false, c, i - power, i);
  for (int64_t c = 0; isPieces && c < number; ++c)
    for (int64_t i = 0; i + 1 < n; ++i)
      kind == Kind::Broadcast ? writer.send(false, c, i, i + 1)
                              : writer.send(true, c, n - 1 - i, n - 2 - i);
  for (int64_t l = 0; isTree && l < levels; ++l) {
    bool isDown = kind == Kind::Broadcast;
    int64_t h = int64_t(1) << (isDown ? levels - 1 - l : l);
    for (int64_t r = h; r < n; r += 2 * h)
      isDown ? writer.send(false, 0, r - h, r) : writer.send(true, 0, r, r - h);
  }
  if (name == "double_binary_tree")
    writer.doubleTree(number);
  if (name.startswith("hierarchical"))
    writer.hierarchical(number, kind);
  return writer.schedule;
}

class NamedForms : public testing::Test {
protected:
  int64_t pick(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() % static_cast<uint64_t>(high - low + 1));
  }
  void system(llvm::ArrayRef<int64_t> members, const char *topology) {
    std::string text = "target.chip @chip (dtype = \"fp16\") { }\ntarget.system @s {\n";
    for (size_t i = 0; i < members.size(); ++i)
      text += fmt::format(
          "target.group @g{0} {{ target.members (count = {1}, of = @{2})\n  target.network "
          "(topology = \"{3}\", bandwidth = {4}GB/s, latency = {5}us) }}\n",
          i, members[i], i == 0 ? "chip" : fmt::format("g{}", i - 1), topology, pick(1, 500),
          pick(0, 9));
    parsed = std::make_unique<ParsedModule>(text + "}\n");
    fabric = Fabric::build(*parsed->module->lookup("s"), parsed->diagnostics);
    std::string reason;
    levels = networkLevels(*parsed->module->lookup("s"), reason)->levels;
  }
  /// Compares the formula with the messages; the formula over them.
  double compare(llvm::StringRef name, Kind kind, int64_t number) {
    auto bytes = static_cast<double>(pick(1, pick(0, 1) ? 1 << 26 : 1 << 12));
    return compare(name, kind, number, bytes);
  }
  double compare(llvm::StringRef name, Kind kind, int64_t number, double bytes) {
    Schedule schedule = scheduleOf(name, kind, fabric->ranks(), number);
    bool notChecked = false;
    EXPECT_TRUE(verifySchedule(schedule, notChecked, parsed->diagnostics)) << name.str();
    auto result = simulateMessages(*fabric, messagesOf(schedule, bytes, {schedule.ranks}), {},
                                   parsed->diagnostics);
    auto time = namedTime({name.str(), number}, kind, levels, bytes);
    EXPECT_TRUE(time && result) << name.str();
    if (!time || !result)
      return 0;
    std::string what = fmt::format("{} of {} among {}: {} or {}", name.str(), bytes,
                                   fabric->ranks(), time->seconds, result->seconds);
    double near = 1e-6 * result->seconds + 1e-9;
    EXPECT_TRUE(time->bound == "at most" || time->seconds <= result->seconds + near) << what;
    EXPECT_TRUE(time->bound == "at least" || time->seconds >= result->seconds - near) << what;
    ++compared;
    return time->seconds / std::max(result->seconds, 1e-12);
  }

  void compareNodes(int64_t m) {
    compare("hierarchical", Kind::AllReduce, m);
    compare("hierarchical_gather", Kind::AllGather, m);
    compare("hierarchical_scatter", Kind::ReduceScatter, m);
  }

  std::mt19937_64 random{17};
  std::unique_ptr<ParsedModule> parsed;
  std::unique_ptr<Fabric> fabric;
  std::vector<NetworkLevel> levels;
  int compared = 0;
};

TEST_F(NamedForms, AreWhatSchedulesTakeOnASwitch) {
  for (int round = 0; round < 40; ++round) {
    int64_t n = pick(2, 24), pieces = pick(1, 12);
    system(n, "switch");
    compare("ring", Kind::AllReduce, 8);
    compare("ring_gather", Kind::AllGather, 8);
    compare("ring_scatter", Kind::ReduceScatter, 8);
    compare("direct_gather", Kind::AllGather, 8);
    compare("direct_scatter", Kind::ReduceScatter, 8);
    compare("direct_reduce", Kind::AllReduce, 8);
    compare("chain", Kind::Broadcast, pieces);
    compare("chain_reduce", Kind::Reduce, pieces);
    compare("binomial_tree", Kind::Broadcast, 8);
    compare("binomial_tree_reduce", Kind::Reduce, 8);
    compare("double_binary_tree", Kind::AllReduce, pieces);
    compare("halving_doubling", Kind::AllReduce, 8);
    for (int64_t m = 1; m <= n; ++m)
      if (n % m == 0)
        compareNodes(m);
    int64_t power = int64_t(1) << pick(1, 5);
    system(power, "switch");
    compare("binomial_tree", Kind::Broadcast, 8);
    compare("halving", Kind::ReduceScatter, 8);
    compare("doubling", Kind::AllGather, 8);
    compare("halving_doubling", Kind::AllReduce, 8);
  }
  EXPECT_GT(compared, 600);
}

TEST_F(NamedForms, AreWhatSchedulesTakeBetweenNeighbours) {
  for (int round = 0; round < 40; ++round) {
    system(pick(3, 16), "ring");
    compare("bidirectional_ring", Kind::AllReduce, 8);
    compare("ring", Kind::AllReduce, 8);
    system(pick(2, 12), "fully_connected");
    compare("direct_reduce", Kind::AllReduce, 8);
    compare("direct_gather", Kind::AllGather, 8);
    compare("ring_scatter", Kind::ReduceScatter, 8);
  }
}

/// A ring through several levels has unlike links; nodes do their part beside each other.
TEST_F(NamedForms, AreWhatSchedulesTakeOnProductsOfSwitches) {
  for (int round = 0; round < 60; ++round) {
    std::vector<int64_t> members = {pick(2, 6), pick(2, 5)};
    if (pick(0, 1))
      members.push_back(pick(2, 3));
    system(members, "switch");
    compare("ring", Kind::AllReduce, 8);
    compare("ring_gather", Kind::AllGather, 8);
    if (members.size() == 2)
      compareNodes(members[0]);
  }
}

/// One rank for all: the same as all of them, message by message.
TEST_F(NamedForms, RanksThatAreAlikeAreFolded) {
  for (int64_t n : {2, 4, 16, 64, 128}) {
    system(n, "switch");
    compare("halving_doubling", Kind::AllReduce, 8);
    compare("halving", Kind::ReduceScatter, 8);
    compare("doubling", Kind::AllGather, 8);
    EXPECT_EQ(namedTime({"halving_doubling", 8}, Kind::AllReduce, levels, 1e6)->bound, "");
  }
  system(512, "switch");
  compare("doubling", Kind::AllGather, 8);
  for (auto [m, nodes] : {std::pair(4, 8), std::pair(8, 20)}) {
    system({m, nodes}, "switch");
    compareNodes(m);
    EXPECT_EQ(namedTime({"hierarchical", m}, Kind::AllReduce, levels, 1e6)->bound, "");
  }
  system(600, "switch");
  compare("hierarchical_gather", Kind::AllGather, 8);
}

/// Bounds that are reached: latencies alone, and buffers so large that only bytes count.
TEST_F(NamedForms, BoundsAreReached) {
  for (int64_t n : {2, 4, 8, 16, 32}) {
    system(n, "switch");
    levels[0].latency = Uncertain(0);
    while (levels[0].latency.central() < 1e-6)
      system(n, "switch");
    EXPECT_NEAR(compare("double_binary_tree", Kind::AllReduce, 8, 1), 1, 1e-3);
    EXPECT_GT(compare("double_binary_tree", Kind::AllReduce, 8, 1e12), 0.4);
  }
}

} // namespace
