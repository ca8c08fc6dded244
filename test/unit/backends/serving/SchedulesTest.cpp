// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch by batch against schedules of a replay of VIDUR's schedulers (test/serving/Inputs), and
// what holds for any stream of requests. Times are multiples of 2^-20 s, so that sums are exact.
#include "backends/serving/Simulation.h"

#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"
#include <fmt/format.h>
#include <map>

using namespace perfc;
using namespace perfc::serving;

namespace {
constexpr double tick = 1.0 / (1 << 20);

struct Case {
  std::string kind;
  Limits limits;
  std::vector<Request> requests;
  std::vector<std::array<int64_t, 3>> expected; ///< first and last token in ticks, restarts
  std::vector<std::string> batches;
};
} // namespace

/// The time of a batch that the schedules were made with.
static void stageTimes(const BatchShape &shape, std::vector<double> &seconds, int64_t stages) {
  int64_t before = 0;
  for (const BatchShape::Chunk &chunk : shape.chunks)
    before += chunk.tokens * chunk.before;
  seconds.clear();
  for (int64_t stage = 0; stage < stages; ++stage)
    seconds.push_back(
        static_cast<double>(20 + 2 * shape.tokens + shape.decodeContext + stage + before / 64) /
        1024);
}

static std::vector<Case> readCases() {
  auto file = llvm::MemoryBuffer::getFile(PERFC_TEST_DIR "/serving/Inputs/schedules.txt");
  std::vector<Case> cases;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  (*file)->getBuffer().split(lines, '\n', -1, false);
  auto number = [](llvm::StringRef text) {
    int64_t value = 0;
    EXPECT_FALSE(text.getAsInteger(10, value)) << text.str();
    return value;
  };
  for (llvm::StringRef line : lines) {
    auto [word, rest] = line.split(' ');
    llvm::SmallVector<llvm::StringRef, 16> cells;
    rest.split(cells, ' ');
    if (word == "case") {
      Case next;
      next.kind = cells[0].str();
      next.limits.stages = number(cells[2]);
      next.limits.blocks = number(cells[4]);
      next.limits.maxBatch = number(cells[6]);
      next.limits.chunk = number(cells[8]);
      next.limits.maxTokens = number(cells[10]);
      next.limits.reserved = number(cells[12]);
      cases.push_back(std::move(next));
    } else if (word == "request") {
      Request request;
      request.arrival = static_cast<double>(number(cells[0])) * tick;
      request.prompt = number(cells[1]);
      request.answer = number(cells[2]);
      cases.back().requests.push_back(request);
      cases.back().expected.push_back({number(cells[3]), number(cells[4]), number(cells[5])});
    } else {
      cases.back().batches.push_back(rest.str());
    }
  }
  return cases;
}

TEST(Schedules, EqualThoseOfTheReplay) {
  std::vector<Case> cases = readCases();
  ASSERT_GE(cases.size(), 12u);
  for (size_t i = 0; i < cases.size(); ++i) {
    const Case &entry = cases[i];
    SCOPED_TRACE(fmt::format("case {}: {}, {} stages", i, entry.kind, entry.limits.stages));
    std::vector<std::string> batches;
    SimulationResult result = simulate(
        entry.requests, {schedulerOf(entry.kind), entry.limits},
        [&](const BatchShape &shape, std::vector<double> &seconds) {
          stageTimes(shape, seconds, entry.limits.stages);
        },
        [&](const Batch &batch) { batches.push_back(textOf(batch)); });
    ASSERT_EQ(batches, entry.batches);
    for (size_t r = 0; r < entry.requests.size(); ++r) {
      const Request &request = result.requests[r];
      EXPECT_EQ(request.first, static_cast<double>(entry.expected[r][0]) * tick) << r;
      EXPECT_EQ(request.done, static_cast<double>(entry.expected[r][1]) * tick) << r;
      EXPECT_EQ(request.restarts, entry.expected[r][2]) << r;
    }
  }
}

/// Random streams that press on the cache.
static Case randomCase(std::mt19937 &random) {
  auto upTo = [&](int64_t most) { return static_cast<int64_t>(random() % (most + 1)); };
  static const char *const kinds[] = {"static",   "orca",    "vllm",   "sarathi",
                                      "lightllm", "vllm_v1", "sglang", "tensorrt_llm"};
  Case result;
  result.kind = kinds[upTo(7)];
  result.limits.blockTokens = result.kind == "lightllm" ? 1 : 16;
  int64_t count = 1 + upTo(40), now = 0, longest = 0;
  for (int64_t i = 0; i < count; ++i) {
    Request request;
    now += upTo(3) * upTo(500);
    request.arrival = static_cast<double>(now) / 1024;
    request.prompt = 1 + upTo(200);
    request.answer = 1 + upTo(60);
    longest = std::max(longest, request.total());
    result.requests.push_back(request);
  }
  Limits &limits = result.limits;
  limits.reserved = limits.blocksFor(longest);
  limits.blocks = limits.reserved + upTo(limits.reserved * 3); // at times just enough for one
  limits.blocks += limits.watermark();
  limits.stages = result.kind == "lightllm" ? 1 : 1 + upTo(3);
  limits.maxBatch = limits.stages + upTo(20);
  limits.chunk = 1 + upTo(300);
  limits.poll = 1 + upTo(12);
  limits.maxTokens = 1 + upTo(500);
  return result;
}

TEST(Schedules, ServeEachRequestOnceInOrder) {
  std::mt19937 random(7);
  int64_t restarts = 0;
  for (int round = 0; round < 1500; ++round) {
    Case entry = randomCase(random);
    SCOPED_TRACE(fmt::format("round {}: {}", round, entry.kind));
    int64_t ran = 0;
    SimulationResult result = simulate(
        entry.requests, {schedulerOf(entry.kind), entry.limits},
        [&](const BatchShape &shape, std::vector<double> &seconds) {
          stageTimes(shape, seconds, entry.limits.stages);
        },
        [&](const Batch &batch) {
          std::map<uint32_t, int64_t> seen;
          for (const BatchEntry &part : batch) {
            EXPECT_EQ(++seen[part.request], 1);
            EXPECT_GE(part.tokens, 1);
            ran += part.tokens;
          }
        });
    int64_t tokens = 0, outputs = 0, answers = 0;
    double scheduled = 0;
    for (size_t i = 0; i < entry.requests.size(); ++i) {
      const Request &before = entry.requests[i], &after = result.requests[i];
      ASSERT_TRUE(after.isDone());
      EXPECT_EQ(after.total(), before.total());
      EXPECT_EQ(after.processed, after.total());
      EXPECT_EQ(after.blocks, 0);
      EXPECT_GE(after.scheduled, before.arrival);
      EXPECT_GT(after.first, after.scheduled);
      EXPECT_GE(after.done, after.first);
      EXPECT_GE(after.scheduled, scheduled); // first come, first served
      scheduled = after.scheduled;
      restarts += after.restarts;
      tokens += before.prompt + before.answer - 1;
      answers += before.answer;
    }
    for (const ServedBatch &batch : result.batches)
      outputs += batch.outputs;
    // Each token of an answer comes out of one batch, and all but the last go back in; a restart
    // runs tokens again.
    EXPECT_EQ(outputs, answers);
    EXPECT_EQ(static_cast<int64_t>(result.gaps.size()),
              answers - static_cast<int64_t>(entry.requests.size()));
    EXPECT_GE(ran, tokens);
    bool isAgain = false;
    for (const Request &request : result.requests)
      isAgain |= request.restarts > 0;
    if (!isAgain) {
      EXPECT_EQ(ran, tokens);
    }
    EXPECT_LE(result.pools[0].peakBlocks, entry.limits.blocks);
  }
  EXPECT_GT(restarts, 1000); // the cache was small enough to matter
}

TEST(Schedules, StagesWorkOnOneBatchAtATime) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    Case entry = randomCase(random);
    SimulationResult result = simulate(entry.requests, {schedulerOf(entry.kind), entry.limits},
                                       [&](const BatchShape &shape, std::vector<double> &seconds) {
                                         stageTimes(shape, seconds, entry.limits.stages);
                                       });
    for (size_t i = 0; i < result.batches.size(); ++i) {
      const ServedBatch &batch = result.batches[i];
      for (size_t stage = 0; stage < batch.starts.size(); ++stage) {
        double ready = 0;
        if (stage > 0)
          ready = batch.starts[stage - 1] + batch.seconds[stage - 1];
        if (i > 0)
          ready = std::max(ready, result.batches[i - 1].starts[stage] +
                                      result.batches[i - 1].seconds[stage]);
        EXPECT_GE(batch.starts[stage], ready);
      }
    }
  }
}

/// Of requests that arrive together; 1 s per batch.
static std::vector<std::string> batchesOf(const std::vector<Request> &requests,
                                          llvm::StringRef kind, Limits limits) {
  std::vector<std::string> batches;
  simulate(
      requests, {schedulerOf(kind), limits},
      [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; },
      [&](const Batch &batch) { batches.push_back(textOf(batch)); });
  return batches;
}

/// Two prompts of 20 tokens, two tokens of answer each.
static std::vector<std::string> batchesOf(llvm::StringRef kind, Limits limits) {
  std::vector<Request> requests(2);
  for (Request &request : requests) {
    request.prompt = 20;
    request.answer = 2;
  }
  return batchesOf(requests, kind, limits);
}

TEST(Schedules, RulesOnTwoRequests) {
  using List = std::vector<std::string>;
  Limits limits;
  limits.blocks = 100;
  limits.reserved = 2;
  EXPECT_EQ(batchesOf("static", limits), (List{"0:20 1:20", "0-1"}));
  EXPECT_EQ(batchesOf("orca", limits), (List{"0:20 1:20", "0-1"}));
  EXPECT_EQ(batchesOf("vllm", limits), (List{"0:20 1:20", "0-1"}));
  limits.maxBatch = 1;
  EXPECT_EQ(batchesOf("static", limits), (List{"0:20", "0", "1:20", "1"}));
  limits.maxBatch = 128;
  limits.maxTokens = 30; // two prompts of 20 are 40: one after the other, both before any token
  EXPECT_EQ(batchesOf("vllm", limits), (List{"0:20", "1:20", "0-1"}));
  limits.chunk = 30; // the second prompt gets what the first leaves, then what the token leaves
  EXPECT_EQ(batchesOf("sarathi", limits), (List{"0:20 1:10", "1:10 0", "1"}));
  limits.chunk = 8;
  EXPECT_EQ(batchesOf("sarathi", limits),
            (List{"0:8", "0:8", "0:4 1:4", "1:7 0", "1:8", "1", "1"}));
  // Room for one request of 22 tokens, two blocks, and a half: the second one waits.
  limits.blocks = 3;
  EXPECT_EQ(batchesOf("orca", limits), (List{"0:20", "0", "1:20", "1"}));
}

/// Texts of three pieces that begin alike in one of three ways.
static void addTexts(std::vector<Request> &requests, std::mt19937 &random) {
  for (size_t i = 0; i < requests.size(); ++i) {
    Request &request = requests[i];
    if (request.prompt < 3)
      continue;
    int64_t first = request.prompt / 3;
    first -= first > 8 ? first % 8 : 0;
    uint64_t kind = 2 * (1000 * static_cast<uint64_t>(first) + random() % 3);
    request.text = std::make_shared<std::vector<PrefixPiece>>(std::vector<PrefixPiece>{
        {kind, first}, {2 * i + 1, request.prompt - first}, {1'000'001 + 2 * i, request.answer}});
  }
}

/// With copies, beginnings that are shared, priorities and followers: each request is served once,
/// blocks are given back, and nothing comes before its cause.
TEST(Schedules, ServeEachRequestOnceOnAnyDeployment) {
  std::mt19937 random(11);
  int64_t hits = 0, passed = 0;
  for (int round = 0; round < 600; ++round) {
    Case entry = randomCase(random);
    bool isPaged = entry.kind != "static" && entry.kind != "orca" && entry.kind != "lightllm";
    SCOPED_TRACE(fmt::format("round {}: {}", round, entry.kind));
    if (isPaged && random() % 2) {
      addTexts(entry.requests, random);
      entry.limits.prefixBlocks = entry.limits.blocks;
    }
    bool swaps = (entry.kind == "vllm" || entry.kind == "sarathi") && random() % 2;
    entry.limits.swapSeconds = swaps ? 1e-4 : 0;
    if (random() % 2) {
      entry.limits.admission.order = Admission::Order::Priority;
      for (Request &request : entry.requests)
        request.priority = random() % 3;
    }
    if (random() % 2) // users who ask again
      for (size_t i = 4; i < entry.requests.size(); ++i) {
        entry.requests[i].after = static_cast<int64_t>(i) - 4;
        entry.requests[i].think = 0.25 * static_cast<double>(random() % 3);
      }
    serving::PoolSetup setup{schedulerOf(entry.kind), entry.limits, 1 + random() % 3, roundRobin()};
    static Router (*const routers[])() = {roundRobin, leastQueued, leastOutstanding, mostCached,
                                          bySession};
    setup.router = routers[random() % 5]();
    int64_t ran = 0;
    SimulationResult result =
        simulate(entry.requests, setup, [&](const BatchShape &shape, std::vector<double> &seconds) {
          stageTimes(shape, seconds, entry.limits.stages);
          ran += shape.tokens;
        });
    EXPECT_EQ(result.failure, "");
    int64_t outputs = 0, answers = 0, tokens = 0, restarts = 0;
    double latency = 0;
    for (size_t i = 0; i < entry.requests.size(); ++i) {
      const Request &after = result.requests[i];
      ASSERT_TRUE(after.isDone());
      EXPECT_EQ(after.processed, after.total());
      EXPECT_EQ(after.blocks + after.shared, 0);
      EXPECT_FALSE(after.isResident);
      if (after.after >= 0) {
        EXPECT_GE(after.arrival, result.requests[static_cast<size_t>(after.after)].done);
      }
      EXPECT_GE(after.scheduled, after.arrival);
      EXPECT_GE(after.done, after.first);
      answers += entry.requests[i].answer;
      tokens += entry.requests[i].total() - 1;
      restarts += after.restarts;
      latency += after.done - after.arrival;
    }
    for (const ServedBatch &batch : result.batches)
      outputs += batch.outputs;
    EXPECT_EQ(outputs, answers);
    if (restarts == 0 || swaps) { // what is at the host is not read again
      EXPECT_EQ(ran + result.pools[0].prefixTokens, tokens);
    }
    EXPECT_LE(result.pools[0].peakBlocks, entry.limits.blocks);
    hits += result.pools[0].prefixTokens;
    passed += restarts;
    EXPECT_GT(latency, 0);
  }
  EXPECT_GT(hits, 1000);
  EXPECT_GT(passed, 100);
}

/// One token of prompt and one of answer, one request a batch: a queue with one server. The mean
/// waiting time of Poisson arrivals is load * s / (2 (1 - load)) where service takes s (M/D/1), and
/// twice that share of its second moment where it varies (M/G/1, Pollaczek and Khinchine); and the
/// mean number of requests is their rate times their time (Little).
TEST(Schedules, WaitAsQueuesDo) {
  for (bool varies : {false, true})
    for (double load : {0.3, 0.6}) {
      Random random(5), lengths(6);
      std::vector<Request> requests(40000);
      double now = 0;
      for (Request &request : requests) {
        now += random.exponential() / load;
        request.arrival = now;
        request.prompt = varies ? lengths.next() < 0.5 ? 1 : 3 : 2; // s of service times 2
        request.answer = 1;
      }
      Limits limits;
      limits.blocks = 100;
      limits.maxBatch = 1;
      limits.reserved = 1;
      SimulationResult result = simulate(requests, {schedulerOf("static"), limits},
                                         [](const BatchShape &shape, std::vector<double> &seconds) {
                                           seconds = {static_cast<double>(shape.tokens) / 2};
                                         });
      double waits = 0, times = 0;
      for (const Request &request : result.requests) {
        waits += request.scheduled - request.arrival;
        times += request.done - request.arrival;
      }
      auto count = static_cast<double>(requests.size());
      double second = varies ? (0.25 + 2.25) / 2 : 1; // E[s^2], of mean 1
      EXPECT_NEAR(waits / count, load * second / (2 * (1 - load)), 0.08 * second);
      // Little's law over the run, where nobody is left: the integral of their number is the sum of
      // their times.
      std::vector<std::pair<double, int>> moves;
      for (const Request &request : result.requests) {
        moves.emplace_back(request.arrival, 1);
        moves.emplace_back(request.done, -1);
      }
      std::sort(moves.begin(), moves.end());
      double area = 0, before = 0;
      int64_t inside = 0;
      for (auto [time, change] : moves) {
        area += static_cast<double>(inside) * (time - before);
        before = time;
        inside += change;
      }
      EXPECT_NEAR(area / times, 1, 1e-9);
      EXPECT_NEAR(result.pools[0].busy, count, 0.01 * count); // work is conserved
    }
}

/// A faster server never makes anybody wait longer where batches cannot differ.
TEST(Schedules, FasterIsNeverLater) {
  std::mt19937 random(12);
  for (int round = 0; round < 100; ++round) {
    Case entry = randomCase(random);
    entry.limits.stages = 1;
    entry.limits.maxBatch = 1;
    entry.limits.reserved = entry.limits.blocks;
    auto serve = [&](double factor) {
      return simulate(entry.requests, {schedulerOf("static"), entry.limits},
                      [&](const BatchShape &shape, std::vector<double> &seconds) {
                        stageTimes(shape, seconds, 1);
                        seconds[0] *= factor;
                      });
    };
    SimulationResult slow = serve(1), fast = serve(0.5);
    for (size_t i = 0; i < entry.requests.size(); ++i)
      EXPECT_LE(fast.requests[i].done, slow.requests[i].done);
  }
}

/// The second request comes at 1.5 s, during the first batch of tokens; the first is done at 11 s.
TEST(Schedules, NewRequestsWaitForThePoll) {
  for (auto [poll, scheduled] : {std::pair(1, 2.0), {2, 3.0}, {3, 4.0}, {30, 11.0}}) {
    std::vector<Request> requests(2);
    for (Request &request : requests) {
      request.prompt = 20;
      request.answer = 11;
    }
    requests[1].arrival = 1.5;
    Limits limits;
    limits.blocks = 100;
    limits.poll = poll;
    SimulationResult result =
        simulate(requests, {schedulerOf("sglang"), limits},
                 [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; });
    EXPECT_EQ(result.requests[1].scheduled, scheduled) << poll;
  }
}

static std::vector<std::string> batchesOfThree(llvm::StringRef kind, Limits limits) {
  std::vector<Request> requests(3);
  int64_t prompts[] = {20, 10, 30};
  for (size_t i = 0; i < 3; ++i) {
    requests[i].prompt = prompts[i];
    requests[i].answer = 2;
    requests[i].priority = static_cast<int64_t>(2 - i);
  }
  return batchesOf(requests, kind, limits);
}

TEST(Schedules, RulesOnThreeRequests) {
  using List = std::vector<std::string>;
  Limits limits;
  limits.blocks = 100;
  limits.chunk = 32;
  limits.maxTokens = 32;
  // The budget cuts the second prompt; tokens of those that run count first.
  EXPECT_EQ(batchesOfThree("vllm_v1", limits), (List{"0:20 1:10 2:2", "2:28 0-1", "2"}));
  EXPECT_EQ(batchesOfThree("sglang", limits), (List{"0:20 1:10 2:2", "2:28", "0-2"}));
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"0:20 1:10", "2:30 0-1", "2"}));
  limits.maxBatch = 1;
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"0:20", "0", "1:10", "1", "2:30", "2"}));
  limits.admission.order = Admission::Order::Priority;
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"2:30", "2", "1:10", "1", "0:20", "0"}));
  limits.admission.order = Admission::Order::Shortest;
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"1:10", "1", "0:20", "0", "2:30", "2"}));
  // The first token of the third one comes after 5 s: at 4 s who has waited longer than 3 s goes
  // behind.
  limits.admission = {Admission::Order::Goal, 3};
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"0:20", "0", "1:10", "1", "2:30", "2"}));
  // Blocks of the prompt and its answer are there from the start: two of 16 for each.
  limits = Limits();
  limits.blocks = 4;
  limits.maxTokens = 1000;
  EXPECT_EQ(batchesOfThree("tensorrt_llm", limits), (List{"0:20 1:10", "0-1", "2:30", "2"}));
}
