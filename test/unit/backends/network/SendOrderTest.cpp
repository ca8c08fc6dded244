// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/network/FabricSimulation.h"
#include "backends/network/Schedule.h"
#include "gtest/gtest.h"
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::network;

namespace {

struct Send {
  uint32_t from, to, chunk;
  bool replaces;
};

constexpr uint32_t ranks = 5, chunks = 3;

uint64_t slot(uint32_t rank, uint32_t chunk) { return rank * chunks + chunk; }

/// The rule itself: a send lists all that it waits for.
Messages listed(llvm::ArrayRef<Send> sends) {
  Messages messages;
  std::map<uint64_t, std::vector<uint32_t>> brought, taken;
  std::map<uint64_t, uint32_t> latest;
  for (const Send &send : sends) {
    uint64_t from = slot(send.from, send.chunk), to = slot(send.to, send.chunk);
    std::vector<uint32_t> before = brought[from];
    before.insert(before.end(), taken[to].begin(), taken[to].end());
    if (send.replaces)
      before.insert(before.end(), brought[to].begin(), brought[to].end());
    uint32_t index = messages.add(send.from, send.to, 1000.0 * (1 + send.chunk), before);
    uint64_t way = send.from * ranks + send.to;
    if (auto known = latest.find(way); known != latest.end())
      messages.list[index].after = known->second;
    latest[way] = index;
    if (send.replaces)
      brought[to].clear();
    brought[to].push_back(index);
    taken[from].push_back(index);
  }
  return messages;
}

Messages ordered(llvm::ArrayRef<Send> sends) {
  Messages messages;
  SendOrder order;
  for (const Send &send : sends)
    order.add(messages, {send.from, send.to, 1000.0 * (1 + send.chunk)},
              slot(send.from, send.chunk), slot(send.to, send.chunk), send.from * ranks + send.to,
              send.replaces);
  return messages;
}

/// Through one switch.
FabricResult run(const Messages &messages) {
  std::vector<FabricLink> links;
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    links.push_back({rank, ranks, 0, 1e9, 1e-6, true});
    links.push_back({ranks, rank, 0, 1e9, 0, false});
  }
  uint32_t route[2];
  auto result = simulateOnLinks(links, messages, [&](const Message &message) {
    route[0] = 2 * message.from;
    route[1] = 2 * message.to + 1;
    return llvm::Optional<llvm::ArrayRef<uint32_t>>(route);
  });
  EXPECT_TRUE(result);
  return *result;
}

TEST(SendOrder, RunsAsIfEachSendListedWhatItWaitsFor) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 dice(seed);
    std::vector<Send> sends(1 + dice() % 120);
    for (Send &send : sends) {
      send.from = dice() % ranks;
      send.to = (send.from + 1 + dice() % (ranks - 1)) % ranks;
      send.chunk = dice() % chunks;
      send.replaces = dice() % (1 + seed % 4) == 0;
    }
    Messages messages = ordered(sends);
    FabricResult joined = run(messages), plain = run(listed(sends));
    EXPECT_EQ(messages.sent(), sends.size());
    EXPECT_EQ(joined.seconds, plain.seconds) << seed;
    EXPECT_EQ(joined.events, plain.events) << seed;
    EXPECT_EQ(joined.sentBytes, plain.sentBytes) << seed;
    EXPECT_EQ(joined.busiestLink, plain.busiestLink) << seed;
  }
}

/// n ranks add to one, which sends the sum to all, again and again: listed, n^2 waits a round.
TEST(SendOrder, TakesMemoryInProportionToTheSends) {
  constexpr uint32_t n = 300;
  Messages messages;
  SendOrder order;
  for (uint32_t round = 0; round < 3; ++round)
    for (bool replaces : {false, true})
      for (uint32_t rank = 1; rank < n; ++rank)
        order.add(messages, {replaces ? 0 : rank, replaces ? rank : 0, 8}, replaces ? 0 : rank,
                  replaces ? rank : 0, replaces ? n + rank : rank, replaces);
  EXPECT_EQ(messages.sent(), 6u * (n - 1));
  EXPECT_LE(messages.list.size(), 2 * messages.sent());
  EXPECT_LE(messages.needs.size(), 5 * messages.sent());
}

} // namespace
