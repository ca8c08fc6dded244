// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of a system that run a collective at the same time: where the form of one claims to be
// exact, the messages of all take as long; elsewhere they never take less.
#include "test/unit/backends/network/Agreement.h"

using namespace perfc;
using namespace perfc::network;

namespace {

class GroupAgreement : public Agreement {};

/// Groups of a system: all of them at once take what the levels of one say.
TEST_F(GroupAgreement, GroupsOfASystemRunTogether) {
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
TEST_F(GroupAgreement, GroupsOfTwoDimensionsRunTogether) {
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

} // namespace
