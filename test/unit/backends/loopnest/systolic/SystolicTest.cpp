// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds, streams and buffers on random layers: the closed forms equal what the streams do, and a
// run over endless bandwidth or into large buffers equals the run without stalls.
#include "backends/loopnest/systolic/Buffers.h"
#include "backends/loopnest/systolic/Product.h"
#include "backends/loopnest/systolic/Replay.h"
#include "backends/loopnest/systolic/Streams.h"
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace perfc::loopnest;

namespace {

struct Case {
  Layer layer;
  Gemm gemm;
  SystolicArray array;
  FoldPlan plan;
};

/// Sizes from 1 on, so that arrays are larger and smaller than their operands.
Case randomCase(std::mt19937 &random) {
  auto size = [&](int most) {
    return 1 + static_cast<int64_t>(random() % static_cast<unsigned>(most));
  };
  Case result;
  Layer &layer = result.layer;
  if (random() % 2) {
    layer = Layer::ofGemm({size(20), size(20), size(20)});
  } else {
    layer.filterHeight = size(3), layer.filterWidth = size(3);
    layer.height = layer.filterHeight + size(6) - 1, layer.width = layer.filterWidth + size(6) - 1;
    layer.channels = size(4), layer.filters = size(6);
    layer.strideY = size(3), layer.strideX = size(3);
  }
  result.gemm = *layer.gemm();
  result.array = {size(9), size(9), static_cast<Stationary>(random() % 3), false};
  result.plan = *planFolds(result.gemm, result.array);
  return result;
}

/// Calls `visit(fold, cycle)` for every cycle.
template <typename Visitor> void everyCycle(const FoldPlan &plan, Visitor visit) {
  for (Fold fold; fold.column < plan.columnFolds; ++fold.column)
    for (fold.row = 0; fold.row < plan.rowFolds; ++fold.row)
      for (int64_t cycle = 0; cycle < plan.foldCycles; ++cycle)
        visit(fold, cycle);
}

constexpr int64_t large = int64_t(1) << 20;

} // namespace

TEST(Folds, ExamplesByHand) {
  // M, N, K = 33, 65, 129 on 16 x 16.
  Gemm gemm{33, 65, 129};
  EXPECT_EQ(planFolds(gemm, {16, 16, Stationary::Output, false})->cycles, 3 * 5 * 159);
  EXPECT_EQ(planFolds(gemm, {16, 16, Stationary::Weight, false})->cycles, 9 * 5 * 79);
  EXPECT_EQ(planFolds(gemm, {16, 16, Stationary::Input, false})->cycles, 9 * 3 * 111);
  // Overlapping folds follow each other every max(T, R) cycles.
  EXPECT_EQ(planFolds(gemm, {16, 16, Stationary::Weight, true})->cycles, 44 * 33 + 79);
  EXPECT_EQ(planFolds({4, 65, 129}, {16, 16, Stationary::Weight, true})->cycles, 44 * 16 + 50);
}

TEST(Folds, ProductsFollowEachOther) {
  Gemm gemm{33, 65, 129};
  SystolicArray apart{16, 16, Stationary::Weight, false},
      together{16, 16, Stationary::Weight, true};
  EXPECT_EQ(cyclesOf(*planFolds(gemm, apart), apart, 3), 3 * 45 * 79);
  EXPECT_EQ(cyclesOf(*planFolds(gemm, together), together, 1), planFolds(gemm, together)->cycles);
  EXPECT_EQ(cyclesOf(*planFolds(gemm, together), together, 3), 134 * 33 + 79);
}

TEST(Folds, CountsThatDoNotFitAreNoPlan) {
  int64_t huge = int64_t(1) << 40;
  EXPECT_FALSE(planFolds({huge, huge, huge}, {1, 1, Stationary::Weight, false}));
}

TEST(Folds, EdgesMoveWhatTheStreamsAskFor) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    Case one = randomCase(random);
    OperandWords inputs = OperandWords::input(one.layer, one.gemm);
    OperandWords weights = OperandWords::weight(one.gemm);
    OperandStream input(inputs, true, one.gemm, one.array, one.plan);
    OperandStream weight(weights, false, one.gemm, one.array, one.plan);
    int64_t inputReads = 0, weightReads = 0, outputs = 0, lastOutput = -1, index = 0;
    std::set<int32_t> inputWords;
    everyCycle(one.plan, [&](const Fold &fold, int64_t cycle) {
      input.cycle(fold, cycle, [&](int32_t word) {
        ++inputReads;
        inputWords.insert(word);
      });
      weight.cycle(fold, cycle, [&](int32_t) { ++weightReads; });
      int64_t now = outputsInCycle(fold, cycle, one.array, one.plan);
      outputs += now;
      if (now)
        lastOutput = index;
      ++index;
    });
    EXPECT_EQ(index, one.plan.cycles);
    EXPECT_EQ(weightReads, one.plan.weightReads);
    EXPECT_EQ(outputs, one.plan.outputWrites);
    // Where windows hang over the edge, what they lack is not asked for.
    EXPECT_LE(inputReads, one.plan.inputReads);
    EXPECT_EQ(static_cast<int64_t>(inputWords.size()), one.layer.inputWords());
    // The last result of a full array leaves in the last cycle.
    if (one.plan.columnExtent % one.array.columns == 0) {
      EXPECT_EQ(lastOutput, one.plan.cycles - 1);
    }
  }
}

TEST(Folds, PrefetchOrderIsOneSweep) {
  std::mt19937 random(2);
  for (int i = 0; i < 200; ++i) {
    Case one = randomCase(random);
    OperandWords weights = OperandWords::weight(one.gemm);
    OperandStream weight(weights, false, one.gemm, one.array, one.plan);
    std::multiset<int32_t> words;
    for (int32_t word : weight.prefetchOrder())
      if (word >= 0)
        words.insert(word);
    EXPECT_EQ(static_cast<int64_t>(words.size()), one.gemm.k * one.gemm.n);
    EXPECT_EQ(std::set<int32_t>(words.begin(), words.end()).size(), words.size());
    EXPECT_EQ(weight.sweeps() * one.gemm.k * one.gemm.n, one.plan.weightReads);
  }
}

TEST(Replay, LargeBuffersReadEachWordOnce) {
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    Case one = randomCase(random);
    DramTraffic traffic =
        estimatedTraffic(one.layer, one.gemm, one.array, one.plan, {large, large, large});
    EXPECT_EQ(traffic.inputReads, one.layer.inputWords());
    EXPECT_EQ(traffic.weightReads, one.gemm.k * one.gemm.n);
    EXPECT_EQ(traffic.outputWrites, one.plan.outputWrites);
    TimedRun run = timedRun(one.layer, one.gemm, one.array, one.plan, {large, large, large}, large);
    EXPECT_EQ(run.stalls, 0);
    EXPECT_EQ(run.cycles, one.plan.cycles - 1);
  }
}

TEST(Replay, SmallBuffersReadMoreAndNeverMoreThanAsked) {
  std::mt19937 random(4);
  for (int i = 0; i < 200; ++i) {
    Case one = randomCase(random);
    int64_t bytes = 100 + static_cast<int64_t>(random() % 200);
    DramTraffic traffic =
        estimatedTraffic(one.layer, one.gemm, one.array, one.plan, {bytes, bytes, bytes});
    EXPECT_GE(traffic.inputReads, one.layer.inputWords());
    EXPECT_LE(traffic.inputReads, one.plan.inputReads);
    EXPECT_GE(traffic.weightReads, one.gemm.k * one.gemm.n);
    EXPECT_LE(traffic.weightReads, one.plan.weightReads);
    TimedRun slow = timedRun(one.layer, one.gemm, one.array, one.plan, {bytes, bytes, bytes}, 1);
    EXPECT_GE(slow.cycles, one.plan.cycles - 1);
  }
}

TEST(Buffers, AnEpochDropsAllItHolds) {
  EXPECT_EQ(epochWords(64 * 1024), 32750);
  EpochBuffer buffer(200, 200); // epochs of 100 words
  for (int sweep = 0; sweep < 2; ++sweep)
    for (int32_t word = 0; word < 150; ++word)
      buffer.read(word);
  EXPECT_EQ(buffer.fetches(), 300);
  EpochBuffer roomy(400, 200);
  for (int sweep = 0; sweep < 2; ++sweep)
    for (int32_t word = 0; word < 150; ++word)
      roomy.read(word);
  EXPECT_EQ(roomy.fetches(), 150);
}

TEST(Product, ConvolutionIsOne) {
  // O[p] += I[2 p + r - 1] W[r]: p = 4, r = 3, an input of 8 words, padding on the left.
  Nest nest;
  nest.dims = {{"p", 4}, {"r", 3}};
  Tensor input{"I", false, 8, {}}, weight{"W", false, 8, {}}, output{"O", true, 8, {}};
  Subscript window;
  window.terms.push_back({0, 2});
  window.terms.push_back({1, 1});
  window.constant = -1;
  window.extent = 8;
  input.ranks.push_back(window);
  Subscript plain;
  plain.terms.push_back({1, 1});
  weight.ranks.push_back(plain);
  plain.terms[0] = {0, 1};
  output.ranks.push_back(plain);
  nest.tensors = {weight, input, output};
  auto product = findProduct(nest, {true, false, false});
  ASSERT_TRUE(product);
  EXPECT_EQ(product->gemm.m, 4);
  EXPECT_EQ(product->gemm.n, 1);
  EXPECT_EQ(product->gemm.k, 3);
  EXPECT_EQ(product->input.tensor, 1u);
  EXPECT_EQ(product->input.words, 8);                 // -1 is padding, 0 to 7 are touched
  EXPECT_DOUBLE_EQ(product->input.inside, 11.0 / 12); // of 12 points one is outside
  // An index of one input alone makes it something else.
  nest.dims.push_back({"z", 2});
  nest.tensors[0].ranks[0].terms.push_back({2, 1});
  EXPECT_FALSE(findProduct(nest, {true, false, false}));
}
