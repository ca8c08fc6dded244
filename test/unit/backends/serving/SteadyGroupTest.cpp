// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests that are counted together: a request alone by hand, and streams that come to the same as
// where each request is visited in each batch.
#include "backends/serving/Simulation.h"

#include "gtest/gtest.h"
#include <fmt/format.h>
#include <random>

using namespace perfc;
using namespace perfc::serving;

TEST(SteadyGroup, CountsTokensAndBlocks) {
  RequestList requests(std::vector<RequestSpec>(2));
  for (size_t i = 0; i < 2; ++i) {
    requests[i].prompt = 6;
    requests[i].answer = 5;
    requests[i].isPrefilled = true;
  }
  requests[0].processed = 7; // 6 in the cache: two blocks of 4
  requests[1].processed = 9; // 8 in the cache: two full ones
  requests[0].blocks = requests[1].blocks = 2;
  requests[1].arrival = 1;
  SteadyGroup group(requests, 4);
  EXPECT_TRUE(group.isBehind(requests[0]));
  group.join(0);
  group.join(1);
  EXPECT_FALSE(group.isBehind(requests[1]));
  EXPECT_EQ(group.context(), 16);
  EXPECT_EQ(group.blocksNeeded(), 1);
  EXPECT_TRUE(group.advance(0.5).empty());
  EXPECT_EQ(group.context(), 18);
  EXPECT_EQ(group.blocksNeeded(), 0);
  EXPECT_EQ(group.advance(1.5), std::vector<uint32_t>{1});
  EXPECT_EQ(requests[1].processed, 11);
  EXPECT_EQ(requests[1].blocks, 3);
  EXPECT_EQ(requests[1].last, 1.5);
  EXPECT_EQ(group.count(), 1);
  EXPECT_EQ(group.context(), 9);
  EXPECT_EQ(group.blocksNeeded(), 1);
  std::vector<uint32_t> left;
  group.dissolve(left);
  EXPECT_EQ(left, std::vector<uint32_t>{0});
  EXPECT_EQ(requests[0].processed, 9);
  EXPECT_EQ(requests[0].blocks, 2);
  EXPECT_EQ(group.context(), 0);
  EXPECT_EQ(group.blocksNeeded(), 0);
}

/// A stream of users who ask again, whose caches may be short, on copies that may break.
static std::pair<std::vector<Request>, Setup> randomStream(std::mt19937 &random) {
  auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  std::vector<Request> requests(static_cast<size_t>(1 + upTo(150)));
  int64_t users = 1 + upTo(40), longest = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    Request &request = requests[i];
    request.prompt = 1 + upTo(120);
    request.answer = 1 + upTo(90);
    longest = std::max(longest, request.total());
    auto number = static_cast<int64_t>(i);
    request.after = number < users ? -1 : number - users;
    request.arrival = static_cast<double>(upTo(2));
  }
  Setup setup;
  setup.keepsAll = false;
  for (int64_t pools = 1 + upTo(1); pools > 0; --pools) {
    PoolSetup pool{schedulerOf("vllm_v1"), Limits()};
    Limits &limits = pool.limits;
    limits.blockTokens = 1 + upTo(15);
    limits.blocks = limits.blocksFor(longest) * (1 + upTo(1) * upTo(60)) + upTo(9);
    limits.blocks += limits.watermark() + 1;
    limits.maxBatch = 1 + upTo(50);
    limits.chunk = 1 + upTo(300);
    pool.copies = static_cast<size_t>(1 + upTo(2));
    pool.router = upTo(1) ? roundRobin() : leastOutstanding();
    if (upTo(2) == 0) {
      pool.outages.between = 20;
      pool.outages.repair = 1;
      pool.outages.seed = random();
    }
    pool.times = [](const BatchShape &shape, std::vector<double> &seconds) {
      seconds = {static_cast<double>(20 + 2 * shape.tokens + shape.decodeContext) / 4096};
    };
    setup.pools.push_back(std::move(pool));
  }
  setup.transfer = [](double tokens) { return tokens / 8192; };
  return {std::move(requests), std::move(setup)};
}

TEST(SteadyGroup, ChangesNoSchedule) {
  std::mt19937 random(5);
  int64_t restarts = 0, reroutes = 0;
  for (int round = 0; round < 400; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    std::mt19937 again = random; // routers remember where they were
    auto [requests, setup] = randomStream(random);
    SimulationResult visited = simulate(requests, setup, [](const Batch &) {});
    SimulationResult counted = simulate(requests, randomStream(again).second);
    ASSERT_EQ(visited.failure, counted.failure);
    ASSERT_EQ(visited.end, counted.end);
    for (size_t i = 0; i < requests.size(); ++i) {
      const Request &one = visited.requests[i], &other = counted.requests[i];
      ASSERT_EQ(one.scheduled, other.scheduled) << i;
      ASSERT_EQ(one.first, other.first) << i;
      ASSERT_EQ(one.last, other.last) << i;
      ASSERT_EQ(one.done, other.done) << i;
      ASSERT_EQ(one.restarts, other.restarts) << i;
      restarts += one.restarts;
      reroutes += one.reroutes;
    }
    for (size_t i = 0; i < setup.pools.size(); ++i) {
      const PoolResult &one = visited.pools[i], &other = counted.pools[i];
      ASSERT_EQ(one.batches, other.batches);
      ASSERT_EQ(one.busy, other.busy);
      ASSERT_EQ(one.blockSeconds, other.blockSeconds);
      ASSERT_EQ(one.peakBlocks, other.peakBlocks);
    }
    ASSERT_EQ(visited.gapTally.count(), counted.gapTally.count());
    ASSERT_EQ(visited.gapTally.distribution().p90, counted.gapTally.distribution().p90);
    ASSERT_EQ(visited.tokenTally.distribution().mean, counted.tokenTally.distribution().mean);
    ASSERT_EQ(visited.sizeTally.distribution().mean, counted.sizeTally.distribution().mean);
  }
  EXPECT_GT(restarts, 100);
  EXPECT_GT(reroutes, 10);
}
