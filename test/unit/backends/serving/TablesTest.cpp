// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Costs from tables, between their sizes and beyond them, and VIDUR's own rules about the same
// tables.
#include "backends/serving/TableCost.h"
#include "backends/serving/vidur/Costs.h"
#include "backends/serving/vidur/Deployment.h"
#include "backends/serving/vidur/Schedulers.h"
#include "backends/serving/vidur/Stream.h"

#include "gtest/gtest.h"

using namespace perfc;
using namespace perfc::serving;

/// Times in whole seconds.
static study::OpTable smallTable() {
  study::OpTable table;
  table.kernels = {"one", "two", "all_reduce"};
  table.layer = {{8, 16}, {0, 1, 2}, {1, 2, 5, 3, 4, 7}};
  table.decode = {{1, 4}, {64, 128}, {10, 20, 40, 80}};
  table.prefill = {{10, 20}, {0, 64}, {100, 200, 400, -1}};
  table.send = {{8, 16}, {0}, {3, 5}};
  return table;
}

/// A layer without anything that samples would add: the table's kernels alone.
static double native(int64_t tokens, const BatchShape &shape) {
  std::vector<Sample> samples(2);
  samples[0].isPiece = samples[1].isDecode = true;
  auto frame = std::make_shared<SampleFrame>(samples);
  auto part = std::make_unique<SampledCost>(
      frame, samples, [](const GraphCost &cost) -> const StepBlock & { return cost.before.block; });
  TableCost cost(std::make_shared<study::OpTable>(smallTable()), std::move(part));
  double seconds = cost.run(tokens, shape, 1).seconds(), total = 0;
  for (const ItemTotal &item : cost.totals())
    total += item.seconds;
  EXPECT_DOUBLE_EQ(total, seconds);
  return seconds;
}

TEST(TableCost, InterpolatesBetweenSizes) {
  EXPECT_DOUBLE_EQ(native(8, {}), 3);
  EXPECT_DOUBLE_EQ(native(12, {}), 5);
  EXPECT_DOUBLE_EQ(native(2, {}), 3);   // below the first size
  EXPECT_DOUBLE_EQ(native(32, {}), 14); // twice the last one
  BatchShape tokens;
  tokens.decodes = 4;
  tokens.decodeContext = 4 * 96;
  EXPECT_DOUBLE_EQ(native(8, tokens), 3 + 60);
  tokens.decodes = 8;
  tokens.decodeContext = 8 * 256;
  EXPECT_DOUBLE_EQ(native(8, tokens), 3 + 80 * 2 * 2);
  BatchShape prompt;
  prompt.chunks = {{10, 32}};
  EXPECT_DOUBLE_EQ(native(8, prompt), 3 + 150);
  prompt.chunks = {{20, 0}, {40, 0}}; // each by itself, beyond the last size with its square
  EXPECT_DOUBLE_EQ(native(8, prompt), 3 + 400 + 1600);
  prompt.chunks = {{20, 64}}; // not measured: the last one before
  EXPECT_DOUBLE_EQ(native(8, prompt), 3 + 400);
  prompt.chunks = {{15, 0}}; // (225 - 100) / (400 - 100)
  EXPECT_DOUBLE_EQ(native(8, prompt), 3 + 100 + 300 * 125.0 / 300);
}

TEST(TableCost, HasMessagesBetweenStages) {
  EXPECT_DOUBLE_EQ(tableSendSeconds(smallTable(), 12), 4);
  EXPECT_DOUBLE_EQ(tableSendSeconds(smallTable(), 32), 10);
}

TEST(Vidur, RoundsSizes) {
  vidur::Costs costs(smallTable(), 4, true, 2, 2);
  BatchShape shape;
  shape.tokens = 9; // 16: 3 + 4 and two exchanges of 7 s and 0.02 ms
  std::vector<double> seconds;
  costs.run(shape, seconds);
  double layer = 7 + 2 * (7 + 0.02e-3);
  EXPECT_EQ(seconds, (std::vector<double>{2 * layer + 5, 2 * layer}));
  shape.chunks = {{6, 1},
                  {8, 1}}; // one kernel of 10 tokens behind 128: the last column, and a tenth
  costs.run(shape, seconds);
  EXPECT_DOUBLE_EQ(seconds[1], 2 * (layer + 200 * 1.1));
  shape.chunks.clear();
  shape.decodes = 4;
  shape.decodeContext = 4 * 64 + 3; // a mean of 64
  costs.run(shape, seconds);
  EXPECT_DOUBLE_EQ(seconds[1], 2 * (layer + 40 * 1.1));
}

/// Pools of VIDUR's runs on an A100: of Llama 2 7B with 4096 and 1024 tokens, and of 70B on 4.
TEST(Vidur, CountsBlocks) {
  auto small = *vidur::modelNamed("meta-llama/Llama-2-7b-hf");
  double memory = *vidur::deviceMemory("a100");
  vidur::Pool pool =
      vidur::poolOf(memory, small.weightBytes(1, 1), small.cacheBytes(1), 4096, 16, 1);
  EXPECT_EQ(pool.slots, 29);
  EXPECT_EQ(pool.blocks, 29 * 256);
  EXPECT_EQ(vidur::shortName("meta-llama/Meta-Llama-3-8B-Instruct"), "Llama-3-8B");
  EXPECT_FALSE(vidur::modelNamed("gpt2"));
}

/// The first gaps of VIDUR at 4 requests/s with a deviation of two means, and of Poisson at 2 per
/// s.
TEST(Vidur, MakesItsStream) {
  vidur::StreamSpec spec;
  spec.arrival = "gamma";
  spec.rate = 4;
  spec.deviation = 2;
  spec.lengths = "fixed";
  spec.prompt = spec.answer = 9;
  spec.count = 4;
  std::vector<RequestSpec> requests = vidur::makeStream(spec);
  EXPECT_NEAR(requests[0].arrival, 0.0196785627, 1e-10);
  EXPECT_NEAR(requests[1].arrival, 0.306776417, 1e-9);
  EXPECT_NEAR(requests[3].arrival, 0.307380323, 1e-9);
  spec.arrival = "poisson";
  spec.rate = 2;
  requests = vidur::makeStream(spec);
  EXPECT_NEAR(requests[0].arrival, 0.510030144, 1e-9);
  for (size_t i = 1; i < requests.size(); ++i)
    EXPECT_LE(requests[i].arrival - requests[i - 1].arrival, 1.5); // three means
}

static SimulationResult serveAs(const char *kind, bool isVidur, Limits limits,
                                std::vector<Request> requests) {
  PoolSetup setup{isVidur ? vidur::schedulerOf(kind) : schedulerOf(kind), limits};
  return simulate(std::move(requests), setup,
                  [](const BatchShape &, std::vector<double> &seconds) { seconds = {1}; });
}

static Request requestOf(int64_t prompt, int64_t answer) {
  Request request;
  request.prompt = prompt;
  request.answer = answer;
  return request;
}

TEST(Vidur, KeepsItsDefects) {
  Limits limits;
  limits.blocks = 4;
  limits.reserved = 2;
  // Batches of two; the second one ends first and keeps its blocks, so that the next batch has room
  // for one.
  std::vector<Request> unequal = {requestOf(16, 3), requestOf(16, 1), requestOf(16, 3),
                                  requestOf(16, 1), requestOf(16, 3)};
  EXPECT_EQ(serveAs("static", false, limits, unequal).batches[3].requests, 2);
  EXPECT_EQ(serveAs("static", true, limits, unequal).batches[3].requests, 1);
  // Prompts that no batch holds stop the others.
  limits.blocks = 1000;
  limits.maxTokens = 4096;
  std::vector<Request> longOne = {requestOf(5000, 1), requestOf(16, 1)};
  EXPECT_EQ(serveAs("vllm", false, limits, longOne).failure, "");
  EXPECT_EQ(serveAs("vllm", true, limits, longOne).failure, "2 requests are never taken in");
}

/// With room for 100 tokens, admission by the peak of what requests will hold: 30 + 20 and 30 + 20
/// tokens end at 98 together, 30 + 22 do not fit beside them.
TEST(LightLlm, TakesInWhatWillFit) {
  Limits limits;
  limits.blocks = 100;
  limits.blockTokens = 1;
  std::vector<Request> requests = {requestOf(30, 20), requestOf(30, 20), requestOf(30, 20)};
  SimulationResult result = serveAs("lightllm", false, limits, requests);
  EXPECT_EQ(result.failure, "");
  EXPECT_EQ(result.batches[0].requests, 2);
  EXPECT_EQ(result.requests[0].scheduled, result.requests[1].scheduled);
  EXPECT_EQ(result.requests[2].scheduled, result.requests[0].done);
  EXPECT_LE(result.pools[0].peakBlocks, 100);
}
