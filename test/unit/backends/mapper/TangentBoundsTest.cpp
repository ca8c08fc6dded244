// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of weighted sums close in on the least product of sums.
#include "backends/mapper/TangentBounds.h"
#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::mapper;
using loopnest::Candidate;
using loopnest::Score;

namespace {

/// Nests with a few points each, and the least product over all combinations.
struct Program {
  explicit Program(std::mt19937 &random) {
    std::uniform_real_distribution<double> draw(1, 100);
    nests.resize(1 + random() % 4);
    for (auto &nest : nests)
      for (unsigned i = 0, count = 1 + random() % 7; i < count; ++i)
        nest.push_back({draw(random), draw(random)});
    best = combine(0, {0, 0});
  }
  double combine(unsigned nest, Score sum) const {
    if (nest == nests.size())
      return sum.energy * sum.latency;
    double least = HUGE_VAL;
    for (const Score &s : nests[nest])
      least = std::min(least, combine(nest + 1, {sum.energy + s.energy, sum.latency + s.latency}));
    return least;
  }
  std::vector<std::vector<Score>> nests;
  double best;
};

} // namespace

static Score answer(const std::vector<Score> &nest, double weight) {
  return *std::min_element(nest.begin(), nest.end(), [&](const Score &a, const Score &b) {
    return a.energy + weight * a.latency < b.energy + weight * b.latency;
  });
}

/// The least of energy + weight * latency over all combinations.
static double leastLine(const Program &program, double weight) {
  double sum = 0;
  for (const auto &nest : program.nests)
    sum += answer(nest, weight).energy + weight * answer(nest, weight).latency;
  return sum;
}

/// With searches that prove everything the bound meets the best product, by products of sums of
/// corners; `slack` lowers the lines, as searches do that leave something open.
static void compare(const Program &program, double slack) {
  Score least{0, 0};
  for (const auto &nest : program.nests) {
    least.energy += answer(nest, 0).energy;
    least.latency += answer(nest, 1e12).latency;
  }
  TangentBounds bounds(least.energy * 0.5, least.latency * 0.7);
  std::vector<NestAnswers> known(program.nests.size());
  double found = HUGE_VAL, weight = 1;
  bool ended = false;
  for (unsigned round = 0; round < 100 && !ended; ++round) {
    Score sum{0, 0};
    for (size_t i = 0; i < known.size(); ++i) {
      Score own = answer(program.nests[i], weight);
      if (const Candidate *same = known[i].at(weight)) {
        EXPECT_NEAR(same->score.energy + weight * same->score.latency,
                    own.energy + weight * own.latency, 1e-9 * own.energy);
      }
      known[i].add(weight, {loopnest::Mapping(), own}, true);
      if (own.latency <= answer(program.nests[i], 1e12).latency)
        known[i].add(HUGE_VAL, {loopnest::Mapping(), own}, true);
      sum = {sum.energy + own.energy, sum.latency + own.latency};
    }
    found = std::min(found, sum.energy * sum.latency);
    bounds.add(weight, (sum.energy + weight * sum.latency) * slack, sum.energy, sum.latency);
    EXPECT_LE(bounds.leastCorner().product(), program.best * (1 + 1e-9));
    // What is known to be enough does as well as what is least.
    llvm::Optional<TangentBounds::Cut> cut = bounds.cut(found);
    bool isOpen = bounds.leastCorner().product() < found * (1 - 1e-9);
    if (isOpen && cut && cut->least < leastLine(program, cut->weight)) {
      TangentBounds::Corner before = bounds.leastCorner();
      EXPECT_LT(before.energy + cut->weight * before.latency, cut->least);
      bounds.add(cut->weight, cut->least);
      EXPECT_LE(bounds.leastCorner().product(), program.best * (1 + 1e-9));
    }
    llvm::Optional<double> next = bounds.nextWeight();
    ended = !next;
    weight = next ? *next : weight;
  }
  EXPECT_TRUE(ended);
  if (slack == 1) {
    EXPECT_NEAR(found, program.best, 1e-9 * program.best);
    EXPECT_NEAR(bounds.leastCorner().product(), program.best, 1e-8 * program.best);
  }
}

TEST(TangentBounds, MeetTheLeastProductOfSums) {
  std::mt19937 random(3);
  for (unsigned i = 0; i < 2000 && !testing::Test::HasFailure(); ++i)
    compare(Program(random), 1);
}

TEST(TangentBounds, StayBelowItWhereSearchesLeaveSomethingOpen) {
  std::mt19937 random(4);
  for (unsigned i = 0; i < 500 && !testing::Test::HasFailure(); ++i)
    compare(Program(random), 0.9);
}
