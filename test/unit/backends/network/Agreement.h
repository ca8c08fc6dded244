// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two fidelities of the native level on random systems: closed forms and simulated messages.
#ifndef PERFC_TEST_UNIT_BACKENDS_NETWORK_AGREEMENT_H
#define PERFC_TEST_UNIT_BACKENDS_NETWORK_AGREEMENT_H

#include "backends/network/Chunks.h"
#include "backends/network/FabricSimulation.h"
#include "backends/network/Simulated.h"
#include "test/unit/ProviderTest.h"
#include <numeric>
#include <random>

namespace perfc {
namespace network {

inline constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce,     CollectiveKind::AllGather,
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
                       "{5}us{6}) }}\n",
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
    sent = result ? std::accumulate(result->sentBytes.begin(), result->sentBytes.end(), 0.0) : -1;
    return result ? result->seconds : -1;
  }

  double closed(CollectiveKind kind, const PairSizes *pairs = nullptr) {
    double sum = 0, most = 0;
    expectedSent = 0;
    for (const CollectiveStep &step : closedForm(kind, levels->levels, bytes, pairs)) {
      expectedSent += step.sentBytes * static_cast<double>(levels->ranks());
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
      EXPECT_NEAR(sent, expectedSent, 1e-9 * expectedSent) << what;
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
  double bytes = 0;
  double sent = 0, expectedSent = 0; ///< bytes of all ranks together
  int exact = 0, bounds = 0;
};

} // namespace network
} // namespace perfc

#endif // PERFC_TEST_UNIT_BACKENDS_NETWORK_AGREEMENT_H
