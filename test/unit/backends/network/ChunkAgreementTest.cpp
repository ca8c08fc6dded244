// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in chunks: stays in levels take as long as their messages do.
#include "test/unit/backends/network/Agreement.h"

using namespace perfc;
using namespace perfc::network;

namespace {

class ChunkAgreement : public Agreement {};

/// Chunks one at a time in each level: stretch by stretch as message by message.
TEST_F(ChunkAgreement, ChunksThatHaveALevelForThemselves) {
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
TEST_F(ChunkAgreement, ChunksThatShareALevel) {
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

} // namespace
