// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pools for prompts and for tokens, guesses, copies that break and copies that come and go: what
// holds for any stream of requests, and small cases worked out by hand.
#include "backends/serving/Simulation.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <fmt/format.h>
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::serving;

namespace {

/// Streams and deployments that press on caches.
class Draw {
public:
  explicit Draw(unsigned seed) : random(seed) {}

  int64_t upTo(int64_t most) { return static_cast<int64_t>(random() % (most + 1)); }
  bool coin() { return random() % 2; }

  std::vector<Request> requests() {
    std::vector<Request> list;
    int64_t count = 1 + upTo(40), now = 0;
    for (int64_t i = 0; i < count; ++i) {
      Request request;
      now += upTo(3) * upTo(500);
      request.arrival = static_cast<double>(now) / 1024;
      request.prompt = 1 + upTo(200);
      request.answer = 1 + upTo(60);
      list.push_back(request);
    }
    return list;
  }

  PoolSetup pool(llvm::ArrayRef<Request> requests, bool isPhase) {
    static const char *const kinds[] = {"orca",   "vllm",         "sarathi", "vllm_v1",
                                        "sglang", "tensorrt_llm", "static"};
    kind = kinds[upTo(isPhase ? 5 : 6)];
    PoolSetup setup;
    Limits &limits = setup.limits;
    if (coin()) {
      limits.guesses = 1 + upTo(3);
      setup.speculation = {limits.guesses, {0.1 * static_cast<double>(upTo(10))}, {}, 3};
    }
    int64_t longest = 0;
    for (const Request &request : requests)
      longest = std::max(longest, request.total() + limits.guesses);
    limits.reserved = limits.blocksFor(longest);
    limits.blocks = limits.reserved + upTo(limits.reserved * 3);
    limits.blocks += limits.watermark() + 1;
    limits.stages = 1 + upTo(2);
    limits.maxBatch = limits.stages + upTo(20);
    limits.chunk = limits.guesses + 1 + upTo(300);
    limits.poll = 1 + upTo(12);
    limits.maxTokens = 1 + upTo(500);
    setup.scheduler = schedulerOf(kind);
    setup.copies = static_cast<size_t>(1 + upTo(3));
    static Router (*const routers[])() = {roundRobin, leastQueued, leastOutstanding, bySession};
    setup.router = routers[upTo(3)]();
    setup.times = [this, stages = limits.stages](const BatchShape &shape,
                                                 std::vector<double> &seconds) {
      int64_t verified = 0;
      for (size_t i = shape.chunks.size() - static_cast<size_t>(shape.verified);
           i < shape.chunks.size(); ++i)
        verified += shape.chunks[i].tokens;
      ran += shape.tokens - verified + shape.verified;
      seconds.assign(static_cast<size_t>(stages),
                     static_cast<double>(20 + 2 * shape.tokens + shape.decodeContext) / 1024);
    };
    return setup;
  }

  std::mt19937 random;
  std::string kind;
  int64_t ran = 0; ///< tokens of all batches, without guesses
};

} // namespace

/// Each request is served once, all its tokens are made, and nobody holds anything in the end.
static void expectAllServed(llvm::ArrayRef<Request> before, const SimulationResult &result) {
  ASSERT_EQ(result.failure, "");
  int64_t answers = 0, outputs = 0;
  for (size_t i = 0; i < before.size(); ++i) {
    const Request &after = result.requests[i];
    ASSERT_TRUE(after.isDone()) << i;
    EXPECT_EQ(after.total(), before[i].total());
    EXPECT_EQ(after.processed, after.total());
    EXPECT_EQ(after.blocks + after.shared + after.incoming, 0);
    EXPECT_FALSE(after.isResident);
    EXPECT_GE(after.scheduled, before[i].arrival);
    EXPECT_GT(after.first, after.scheduled);
    EXPECT_GE(after.done, after.first);
    EXPECT_LE(after.done, result.end);
    answers += before[i].answer;
  }
  for (const ServedBatch &batch : result.batches) {
    outputs += batch.outputs;
    for (size_t stage = 0; stage < batch.starts.size(); ++stage)
      EXPECT_GE(batch.seconds[stage], 0);
    EXPECT_TRUE(llvm::is_sorted(batch.starts)); // time never runs back
  }
  EXPECT_EQ(outputs, answers);
  EXPECT_EQ(static_cast<int64_t>(result.gaps.size()),
            answers - static_cast<int64_t>(before.size()));
  EXPECT_TRUE(llvm::all_of(result.gaps, [](double gap) { return gap >= 0; }));
}

TEST(Pools, ServeEachRequestOnce) {
  Draw draw(21);
  int64_t moved = 0, waited = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    std::vector<Request> requests = draw.requests();
    serving::Setup setup;
    setup.pools = {draw.pool(requests, true)};
    setup.pools.push_back(draw.pool(requests, true));
    setup.transfer = [](double tokens) { return (1 + tokens) / 1024; };
    draw.ran = 0;
    SimulationResult result = simulate(requests, setup);
    expectAllServed(requests, result);
    int64_t tokens = 0, several = 0, cached = 0, restarts = 0;
    for (size_t i = 0; i < requests.size(); ++i) {
      tokens += requests[i].total() - 1;
      several += requests[i].answer > 1;
      cached += requests[i].answer > 1 ? requests[i].prompt : 0;
      restarts += result.requests[i].restarts;
    }
    // Each cache moves once, with the prompt alone unless it has been read again.
    EXPECT_GE(result.transfers, several);
    if (restarts == 0) {
      EXPECT_EQ(result.transfers, several);
      EXPECT_EQ(result.movedTokens, cached);
      EXPECT_NEAR(result.transferSeconds, static_cast<double>(cached + several) / 1024, 1e-6);
    }
    for (size_t i = 0; i < 2; ++i)
      EXPECT_LE(result.pools[i].peakBlocks, setup.pools[i].limits.blocks);
    moved += result.transfers;
    waited += result.transferWaiting > 0;
  }
  EXPECT_GT(moved, 5000);
  EXPECT_GT(waited, 100);
}

/// A prompt of 32 tokens and 3 of answer: the first one from the first pool, the cache of 32 tokens
/// moves for 4 s, then two steps.
TEST(Pools, HandOverByHand) {
  std::vector<Request> requests(2);
  for (Request &request : requests) {
    request.prompt = 32;
    request.answer = 3;
  }
  PoolSetup pool;
  pool.scheduler = schedulerOf("vllm_v1");
  pool.limits.blocks = 100;
  pool.limits.chunk = 32;
  pool.times = [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; };
  serving::Setup setup{{pool, pool}, [](double tokens) { return tokens / 8; }};
  SimulationResult result = simulate(requests, setup);
  // The second prompt ends at 2 s; the link is free at 5 s, and its cache is there at 9 s.
  EXPECT_EQ(result.requests[0].first, 1);
  EXPECT_EQ(result.requests[0].done, 7);
  EXPECT_EQ(result.requests[1].first, 2);
  EXPECT_EQ(result.requests[1].done, 11);
  EXPECT_EQ(result.transferWaiting, 3);
  EXPECT_EQ(result.pools[0].busy, 2);
  EXPECT_EQ(result.pools[1].busy, 4);
  // Both hold the cache while it moves: 2 blocks of the first pool from 0 to 5 s and from 1 to 9 s.
  EXPECT_EQ(result.pools[0].blockSeconds, 2 * 5 + 2 * 8);
}

/// Where a batch takes as long for each token as for many, a pool of each phase makes nobody wait
/// for prompts: no gap between tokens is longer than a step.
TEST(Pools, PromptsDelayNoTokens) {
  Draw draw(22);
  std::vector<Request> requests;
  for (int i = 0; i < 100; ++i) {
    requests.emplace_back();
    requests.back().arrival = 0.05 * i;
    requests.back().prompt = 100 + draw.upTo(100);
    requests.back().answer = 20;
  }
  PoolSetup pool;
  pool.scheduler = schedulerOf("vllm_v1");
  pool.limits.blocks = 10000;
  pool.times = [](const BatchShape &shape, std::vector<double> &seconds) {
    seconds = {0.01 + 0.001 * static_cast<double>(shape.tokens - shape.decodes)};
  };
  SimulationResult apart =
      simulate(requests, serving::Setup{{pool, pool}, [](double) { return 0.0; }});
  SimulationResult together = simulate(requests, serving::Setup{{pool}, {}});
  EXPECT_LE(*std::max_element(apart.gaps.begin(), apart.gaps.end()), 0.02 + 1e-9);
  EXPECT_GT(*std::max_element(together.gaps.begin(), together.gaps.end()), 0.1);
}

//===-- Guesses
//--------------------------------------------------------------------------------===//

/// (1 - p^(a + 1)) / (1 - p) tokens in the mean of a step (Leviathan et al., 2023), and as many
/// steps as that takes.
TEST(Speculation, MakesTheTokensOfTheFormula) {
  for (double chance : {0.0, 0.3, 0.8, 1.0})
    for (int64_t guesses : {1, 3, 5}) {
      std::vector<Request> requests(200);
      for (Request &request : requests) {
        request.prompt = 10;
        request.answer = 601;
      }
      PoolSetup pool;
      pool.scheduler = schedulerOf("vllm_v1");
      pool.limits.blocks = 100000;
      pool.limits.maxBatch = 200;
      pool.limits.chunk = 8192;
      pool.limits.guesses = guesses;
      pool.speculation = {guesses, {chance}, {}, 1};
      SimulationResult result =
          simulate(requests, pool, [&](const BatchShape &shape, std::vector<double> &seconds) {
            // A piece of several tokens for each, the last one made and the guesses.
            EXPECT_EQ(shape.decodes, 0);
            for (int64_t i = 0; i < shape.verified; ++i)
              EXPECT_EQ(shape.chunks[shape.chunks.size() - 1 - static_cast<size_t>(i)].tokens,
                        guesses + 1);
            seconds = {1};
          });
      expectAllServed(requests, result);
      double mean = chance == 1 ? static_cast<double>(guesses + 1)
                                : (1 - std::pow(chance, guesses + 1)) / (1 - chance);
      const PoolResult &did = result.pools[0];
      EXPECT_NEAR(1 + static_cast<double>(did.held) / static_cast<double>(did.steps), mean,
                  0.01 * mean);
      EXPECT_NEAR(static_cast<double>(did.steps), 200 * 600 / mean, 0.02 * 200 * 600 / mean);
    }
}

TEST(Speculation, DrawsFromRecordedSteps) {
  Speculation speculation{4, {}, {0, 4, 4, 9}, 5};
  std::map<int64_t, int> seen;
  for (int64_t step = 0; step < 20000; ++step)
    ++seen[speculation.held(7, step)];
  EXPECT_EQ(seen.size(), 2u); // never more than are guessed
  EXPECT_NEAR(seen[0], 5000, 200);
  EXPECT_EQ(speculation.held(7, 3), speculation.held(7, 3));
}

TEST(Speculation, ServesEachRequestOnce) {
  Draw draw(23);
  int64_t held = 0, restarts = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    std::vector<Request> requests = draw.requests();
    serving::Setup setup{{draw.pool(requests, false)}, {}};
    SimulationResult result = simulate(requests, setup);
    SCOPED_TRACE(draw.kind);
    expectAllServed(requests, result);
    EXPECT_LE(result.pools[0].peakBlocks, setup.pools[0].limits.blocks);
    EXPECT_LE(result.pools[0].held, result.pools[0].guessed);
    held += result.pools[0].held;
    for (const Request &request : result.requests)
      restarts += request.restarts;
  }
  EXPECT_GT(held, 10000);
  EXPECT_GT(restarts, 100);
}

//===-- Copies that break, come and go
//---------------------------------------------------------===//

TEST(Outages, LoseNothing) {
  Draw draw(24);
  int64_t faults = 0, reroutes = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    std::vector<Request> requests = draw.requests();
    serving::Setup setup;
    bool isApart = draw.coin();
    for (int i = 0; i <= isApart; ++i) {
      PoolSetup pool = draw.pool(requests, isApart);
      for (int64_t fault = draw.upTo(3); fault-- > 0;) {
        double at = 0.25 * static_cast<double>(draw.upTo(40));
        pool.outages.listed.push_back(
            {static_cast<size_t>(draw.upTo(static_cast<int64_t>(pool.copies) - 1)), at,
             at + 0.25 * static_cast<double>(1 + draw.upTo(20))});
      }
      if (draw.coin())
        pool.outages.between = 20, pool.outages.repair = 1, pool.outages.seed = 9;
      setup.pools.push_back(std::move(pool));
    }
    setup.transfer = [](double tokens) { return (1 + tokens) / 256; };
    SimulationResult result = simulate(requests, setup);
    expectAllServed(requests, result);
    for (const PoolResult &pool : result.pools)
      faults += pool.faults;
    for (const Request &request : result.requests)
      reroutes += request.reroutes;
  }
  EXPECT_GT(faults, 500);
  EXPECT_GT(reroutes, 500);
}

/// Two copies serve one request each; the first breaks after 2.5 of its steps of 1 s. It starts
/// again at the other one, with the prompt and what it had made.
TEST(Outages, ByHand) {
  std::vector<Request> requests(2);
  for (Request &request : requests) {
    request.prompt = 10;
    request.answer = 5;
  }
  PoolSetup pool;
  pool.scheduler = schedulerOf("vllm_v1");
  pool.limits.blocks = 100;
  pool.copies = 2;
  pool.router = roundRobin();
  pool.outages.listed = {{0, 2.5, never}};
  int64_t read = 0;
  SimulationResult result =
      simulate(requests, pool, [&](const BatchShape &shape, std::vector<double> &seconds) {
        read += shape.chunks.empty() ? 0 : shape.chunks[0].tokens;
        seconds = {1};
      });
  expectAllServed(requests, result);
  EXPECT_EQ(result.requests[1].done, 5);
  // Tokens at 1 and 2 s; at 3 s the other copy takes it in, and reads 12 tokens to make the third.
  EXPECT_EQ(read, 10 + 10 + 12);
  EXPECT_EQ(result.requests[0].first, 1);
  EXPECT_EQ(result.requests[0].done, 6);
  EXPECT_EQ(result.requests[0].reroutes, 1);
  EXPECT_EQ(result.pools[0].busy, 2.5 + 6);
  EXPECT_EQ(result.pools[0].faults, 1);
}

/// All copies are gone for good: the run ends and says so.
TEST(Outages, EndWhereNobodyIsLeft) {
  std::vector<Request> requests(3);
  for (Request &request : requests)
    request.prompt = request.answer = 10;
  PoolSetup pool;
  pool.scheduler = schedulerOf("vllm_v1");
  pool.limits.blocks = 100;
  pool.outages.listed = {{0, 2.5, never}};
  pool.scaling = {1, 2, 1, 1, 1};
  SimulationResult result = simulate(
      requests, pool, [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; });
  EXPECT_NE(result.failure, "");
}

/// Four copies of which one is on: a burst of 40 requests of 10 s. At 5, 10 and 15 s one more is
/// asked for, which serves 2 s later; in the end they stop one by one.
TEST(Scaling, FollowsTheLoad) {
  std::vector<Request> requests(40);
  for (Request &request : requests) {
    request.prompt = 1;
    request.answer = 10;
  }
  for (int i = 0; i < 20; ++i) {
    requests.emplace_back(requests[0]);
    requests.back().arrival = 200 + 30 * i;
  }
  PoolSetup pool;
  pool.scheduler = schedulerOf("vllm_v1");
  pool.limits.blocks = 1000;
  pool.limits.maxBatch = 4;
  pool.copies = 4;
  pool.router = leastOutstanding();
  pool.scaling = {1, 8, 2, 2, 5};
  auto times = [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; };
  SimulationResult few = simulate(requests, pool, times);
  expectAllServed(requests, few);
  pool.scaling = {};
  SimulationResult all = simulate(requests, pool, times);
  expectAllServed(requests, all);
  EXPECT_EQ(all.pools[0].secondsOn, 4 * all.end);
  // One copy for all of the time, others for the burst alone.
  EXPECT_GT(few.pools[0].secondsOn, few.end);
  EXPECT_LT(few.pools[0].secondsOn, 1.5 * few.end);
  // Requests that arrived at once stay with the copy that they were sent to.
  EXPECT_GE(few.requests[39].done, all.requests[39].done);
}

TEST(Scaling, LosesNothing) {
  Draw draw(25);
  for (int round = 0; round < 300; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    std::vector<Request> requests = draw.requests();
    serving::Setup setup{{draw.pool(requests, false)}, {}};
    setup.pools[0].scaling = {1, 1.0 + static_cast<double>(draw.upTo(5)), 0.5,
                              static_cast<double>(draw.upTo(5)), 0.5};
    setup.pools[0].outages.between = draw.coin() ? 5 : 0;
    setup.pools[0].outages.repair = 0.5;
    SimulationResult result = simulate(requests, setup);
    expectAllServed(requests, result);
    EXPECT_LE(result.pools[0].secondsOn,
              result.end * static_cast<double>(setup.pools[0].copies) + 1e-9);
  }
}
