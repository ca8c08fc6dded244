// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of protocols by hand.
#include "backends/network/Library.h"
#include "backends/network/NetworkLevels.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::network;

static NetworkLevel level(int64_t members, double bandwidth, double latency) {
  NetworkLevel result;
  result.name = "wire";
  result.members = members;
  result.bandwidth = Uncertain(bandwidth);
  result.latency = latency;
  return result;
}

static Protocol protocol(Pattern pattern, double start, double latency, double bandwidth) {
  Protocol result;
  result.pattern = pattern;
  result.start = start;
  result.latency = Uncertain(latency);
  result.bandwidth = Uncertain(bandwidth);
  return result;
}

static double micros(const Library &library, CollectiveKind kind, std::vector<NetworkLevel> levels,
                     double bytes) {
  auto time = libraryTime(library, kind, levels, bytes);
  return time ? time->total().central() * 1e6 : -1;
}

TEST(Library, FastestProtocol) {
  Library library;
  library.launch = 2e-6;
  library.protocols = {protocol(Pattern::Ring, 1e-6, 1e-6, 10e9),
                       protocol(Pattern::Ring, 9e-6, 2e-6, 50e9)};
  std::vector<NetworkLevel> node = {level(8, 100e9, 1e-6)};
  EXPECT_NEAR(micros(library, CollectiveKind::AllGather, node, 8e3), 2 + 1 + 7 + 0.7, 1e-9);
  EXPECT_NEAR(micros(library, CollectiveKind::AllGather, node, 8e6), 2 + 9 + 14 + 140, 1e-9);
  EXPECT_EQ(micros(library, CollectiveKind::AllToAll, node, 8e6), -1);
}

TEST(Library, TheNetworkLimits) {
  Library library;
  library.protocols = {protocol(Pattern::InNetwork, 0, 1e-6, 100e9)};
  EXPECT_NEAR(micros(library, CollectiveKind::AllReduce, {level(8, 50e9, 1e-6)}, 1e6), 1 + 20,
              1e-9);
}

/// Four channels of 10 GB/s are the limit of this protocol, and of its outer network's another one.
TEST(Library, ChannelsLimit) {
  Library library;
  library.protocols = {protocol(Pattern::Ring, 0, 1e-6, 100e9)};
  auto gathered = [&](std::vector<NetworkLevel> levels) {
    return micros(library, CollectiveKind::AllGather, std::move(levels), 8e6);
  };
  std::vector<NetworkLevel> node = {level(8, 200e9, 1e-6)};
  EXPECT_NEAR(gathered(node), 7 + 70, 1e-6);
  library.protocols[0].channels = Uncertain(40e9);
  EXPECT_NEAR(gathered(node), 7 + 175, 1e-6);
  library.protocols[0].channels = Uncertain(400e9);
  EXPECT_NEAR(gathered(node), 7 + 70, 1e-6);
  node[0].bandwidth = Uncertain(50e9); // nor is it faster than the network
  EXPECT_NEAR(gathered(node), 7 + 140, 1e-6);
  // Between two nodes one rank's eighth: 4 MB / 8 at 1 GB/s.
  std::vector<NetworkLevel> nodes = {level(8, 200e9, 1e-6), level(2, 50e9, 1e-6)};
  nodes[1].libraries = {library};
  nodes[1].libraries[0].protocols[0].channels = Uncertain(1e9);
  EXPECT_NEAR(gathered(nodes), 14 + 1 + 15.0 / 16 * 8e6 / 8 / 1e9 * 1e6, 1e-6);
}

TEST(Library, RingsCrossNodesThroughAllAdapters) {
  Library library;
  library.protocols = {protocol(Pattern::Ring, 0, 1e-6, 100e9)};
  // 4 nodes of 8: 2 * 28 steps inside, 2 * 3 outside; 2 * 31/32 of 32 MB through 8 * 5 GB/s.
  EXPECT_NEAR(micros(library, CollectiveKind::AllReduce,
                     {level(8, 100e9, 1e-6), level(4, 5e9, 10e-6)}, 32e6),
              56 + 60 + 62e6 / 40e9 * 1e6, 1e-6);
}

TEST(Library, OuterNetworksWithoutTheLibrary) {
  Library library;
  library.protocols = {protocol(Pattern::Tree, 0, 1e-6, 100e9)};
  library.protocols[0].groups = 2;
  library.protocols[0].outerLatency = 5e-6;
  library.protocols[0].outerShare = 0.5;
  // 4 nodes of 8: 2 * 7 steps inside, 2 * 2 outside; 2/8 of 32 MB at half of 5 GB/s.
  std::vector<NetworkLevel> nodes = {level(8, 100e9, 1e-6), level(4, 5e9, 2e-6)};
  EXPECT_NEAR(micros(library, CollectiveKind::AllReduce, nodes, 32e6), 14 + 20 + 8e6 / 2.5e9 * 1e6,
              1e-6);
  EXPECT_EQ(micros(library, CollectiveKind::AllReduce, {nodes[0]}, 32e6), -1); // one group
  nodes[1].latency = 10e-6; // no step is faster than the network
  EXPECT_NEAR(micros(library, CollectiveKind::AllReduce, nodes, 0), 14 + 40, 1e-9);
}

TEST(Library, RanksAndSizesOfAProtocol) {
  Protocol shot = protocol(Pattern::OneShot, 0, 1e-6, 100e9);
  shot.leastRanks = shot.mostRanks = 4;
  shot.upTo = 1e6;
  EXPECT_TRUE(shot.runs(CollectiveKind::AllReduce, 4, 1e6));
  EXPECT_FALSE(shot.runs(CollectiveKind::AllReduce, 4, 1e6 + 1));
  EXPECT_FALSE(shot.runs(CollectiveKind::AllReduce, 8, 1e3));
  EXPECT_FALSE(shot.runs(CollectiveKind::AllGather, 4, 1e3));
}

TEST(Library, GroupsOfASystem) {
  NetworkLevels system;
  system.levels = {level(8, 100e9, 1e-6), level(16, 10e9, 1e-6)};
  auto sizes = [&](int64_t ranks, int64_t stride) {
    auto group = levelsOfGroup(system, GroupDim{ranks, stride});
    std::vector<int64_t> members;
    if (group)
      for (const NetworkLevel &entry : group->levels)
        members.push_back(entry.members);
    return members;
  };
  EXPECT_EQ(sizes(4, 1), std::vector<int64_t>{4});
  EXPECT_EQ(sizes(32, 1), (std::vector<int64_t>{8, 4}));
  EXPECT_EQ(sizes(16, 8), std::vector<int64_t>{16});
  EXPECT_EQ(sizes(8, 4), (std::vector<int64_t>{2, 4}));
  EXPECT_TRUE(sizes(12, 1).empty());
  EXPECT_TRUE(sizes(256, 1).empty());
}
