// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tori and meshes whose dimensions have a bandwidth and a latency of their own: the closed forms
// and the simulated messages agree, and equal figures are one figure.
#include "backends/network/Sends.h"
#include "test/unit/backends/network/Agreement.h"

using namespace perfc;
using namespace perfc::network;

namespace {

class UnequalGrid : public Agreement {
protected:
  /// Values of each dimension as the attribute `name`, or one for all.
  static std::string listOf(llvm::StringRef name, llvm::ArrayRef<int64_t> values,
                            llvm::StringRef unit) {
    std::string text;
    for (int64_t value : values)
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", value, unit);
    return fmt::format("{} = [{}]", name, text);
  }

  /// A grid of these sizes inside or around switches, with what its network says of itself.
  void grid(llvm::StringRef topology, llvm::ArrayRef<int64_t> sizes, const std::string &figures,
            int64_t inside = 1, int64_t outside = 1) {
    std::string groups = inside > 1 ? group(0, inside, "switch", "") : "", arguments;
    size_t number = inside > 1 ? 1 : 0;
    int64_t points = 1;
    for (size_t d = 0; d < sizes.size(); ++d) {
      points *= sizes[d];
      arguments += fmt::format("{}d{} = {}", d ? ", " : "", d, sizes[d]);
    }
    groups += fmt::format("target.group @g{} {{ target.members (count = {}, of = @{})\n"
                          "  target.network (topology = \"{}\", topology_arguments = {{{}}}, {}, "
                          "energy = 2J/B) }}\n",
                          number, points, inside > 1 ? "g0" : "chip", topology, arguments, figures);
    if (outside > 1)
      groups += group(number + 1, outside, "switch", "");
    system(groups);
  }

  std::vector<int64_t> some(size_t count, int64_t low, int64_t high) {
    std::vector<int64_t> values;
    for (size_t i = 0; i < count; ++i)
      values.push_back(pick(low, high));
    return values;
  }
};

} // namespace

/// By hand: 60 and 20 GB/s along two dimensions of two chips, 1 and 3 us. Three quarters of the
/// buffer begin in the first, so that both take as long; then a quarter of the buffer's halves
/// crosses 60 GB/s and three quarters of them 20 GB/s.
TEST_F(UnequalGrid, ByHand) {
  grid("torus", {2, 2}, "bandwidths = [60GB/s, 20GB/s], latencies = [1us, 3us]");
  bytes = 160e3;
  // 1 us and 60 kB at 60 GB/s against 3 us and 20 kB at 20 GB/s; 10 kB and 1 us against 30 kB at 20
  // GB/s and 3 us.
  EXPECT_NEAR(closed(CollectiveKind::ReduceScatter) * 1e6, (3 + 1) + (3 + 1.5), 1e-9);
  EXPECT_NEAR(simulated(CollectiveKind::ReduceScatter) * 1e6, (3 + 1) + (3 + 1.5), 1e-6);
}

TEST_F(UnequalGrid, ClosedFormsAreSimulations) {
  for (int round = 0; round < 150; ++round) {
    std::vector<int64_t> sizes = some(static_cast<size_t>(pick(1, 4)), 1, 4);
    if (sizes.size() == 4)
      sizes[0] = std::min<int64_t>(sizes[0], 2);
    std::string figures = listOf("bandwidths", some(sizes.size(), 1, 500), "GB/s") + ", " +
                          (pick(0, 3) ? listOf("latencies", some(sizes.size(), 0, 9), "us")
                                      : fmt::format("latency = {}us", pick(0, 9)));
    grid(pick(0, 2) ? "torus" : "mesh", sizes, figures, pick(1, 2), pick(1, 2));
    for (CollectiveKind kind : kinds)
      compare(kind);
  }
  EXPECT_GT(exact, 900);
  EXPECT_GT(bounds, 20);
}

/// What each dimension has of one figure for all is the figure over their number.
TEST_F(UnequalGrid, EqualFiguresAreOne) {
  for (int round = 0; round < 60; ++round) {
    std::vector<int64_t> sizes = some(static_cast<size_t>(pick(1, 3)), 2, 4);
    auto count = static_cast<int64_t>(sizes.size());
    int64_t bandwidth = pick(1, 100), latency = pick(0, 9);
    llvm::StringRef topology = pick(0, 1) ? "torus" : "mesh";
    std::vector<double> times;
    double size = 0;
    for (const std::string &figures :
         {fmt::format("bandwidth = {}GB/s, latency = {}us", count * bandwidth, latency),
          listOf("bandwidths", std::vector<int64_t>(sizes.size(), bandwidth), "GB/s") + ", " +
              listOf("latencies", std::vector<int64_t>(sizes.size(), latency), "us")}) {
      grid(topology, sizes, figures);
      size = bytes = times.empty() ? bytes : size;
      for (CollectiveKind kind : kinds) {
        times.push_back(closed(kind));
        times.push_back(simulated(kind));
      }
    }
    for (size_t i = 0; i < times.size() / 2; ++i)
      EXPECT_DOUBLE_EQ(times[i], times[times.size() / 2 + i]) << text;
  }
}

/// Groups of ranks along some dimensions have what these have.
TEST_F(UnequalGrid, GroupsHaveTheirDimensions) {
  for (int round = 0; round < 60; ++round) {
    std::vector<int64_t> sizes = some(3, 2, 4);
    grid("torus", sizes,
         listOf("bandwidths", some(3, 1, 500), "GB/s") + ", " +
             listOf("latencies", some(3, 0, 9), "us"));
    NetworkLevels whole = *levels;
    for (auto [ranks, stride] : {std::pair<int64_t, int64_t>(sizes[0], 1),
                                 {sizes[0] * sizes[1], 1},
                                 {sizes[1], sizes[0]},
                                 {sizes[1] * sizes[2], sizes[0]},
                                 {sizes[2], sizes[0] * sizes[1]}}) {
      levels = levelsOfGroup(whole, GroupDim{ranks, stride});
      ASSERT_TRUE(levels);
      auto firsts = groupsOf(GroupDim{ranks, stride}, static_cast<uint32_t>(levels->enclosing),
                             fabric->ranks());
      for (CollectiveKind kind : {CollectiveKind::AllReduce, CollectiveKind::AllGather,
                                  CollectiveKind::AllToAll, CollectiveKind::Broadcast}) {
        auto messages = inAllGroups(
            *patternMessages(kind, patternLevels(levels->levels, bytes), bytes, 1 << 22), firsts,
            GroupDim{ranks, stride});
        double seconds = simulateMessages(*fabric, messages, {}, parsed->diagnostics)->seconds;
        double expected = closed(kind);
        ++(isClosedFormExact(kind, levels->levels) ? exact : bounds);
        EXPECT_GE(seconds, expected * (1 - 1e-6) - 1e-9) << nameOf(kind).str() << text;
        if (isClosedFormExact(kind, levels->levels)) {
          EXPECT_LE(seconds, expected * (1 + 1e-6) + 1e-9) << nameOf(kind).str() << text;
        }
      }
    }
  }
  EXPECT_GT(exact, 500);
}

/// A message alone takes the latency of each dimension and the slowest of their links.
TEST_F(UnequalGrid, SendsAreSimulations) {
  int crossed = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<int64_t> sizes = some(3, 1, 5);
    grid(pick(0, 1) ? "torus" : "mesh", sizes,
         listOf("bandwidths", some(3, 1, 500), "GB/s") + ", " +
             listOf("latencies", some(3, 0, 9), "us"));
    int64_t ranks = levels->ranks();
    if (ranks < 2)
      continue;
    int64_t from = pick(0, ranks - 1), to = (from + pick(1, ranks - 1)) % ranks;
    auto steps = sendSteps(levels->levels, {from, 1, ranks, to - from}, bytes);
    ASSERT_TRUE(steps);
    double expected = 0;
    for (const CollectiveStep &step : steps->steps)
      expected += step.latency.central();
    crossed += steps->steps.size() > 1;
    Messages messages;
    messages.add(static_cast<uint32_t>(from), static_cast<uint32_t>(to), bytes, {});
    EXPECT_NEAR(simulateMessages(*fabric, messages, {}, parsed->diagnostics)->seconds, expected,
                1e-6 * expected + 1e-9)
        << from << " to " << to << text;
  }
  EXPECT_GT(crossed, 50);
}
