// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branch and bound finds what exhaustive enumeration finds.
#include "backends/loopnest/search/Search.h"
#include "Spaces.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// All mappings of a small space that fit: the best value, and the front.
struct Exhaustive {
  int64_t mappings = 0, fitting = 0;
  double best = 0;
  std::vector<Score> front;
};

} // namespace

static double edp(const Score &score) { return score.energy * score.latency; }

/// Nothing for spaces with more than `limit` mappings.
static llvm::Optional<Exhaustive> enumerate(const MapSpace &space, const CostWeights &weights,
                                            const SearchGoal &goal, int64_t limit) {
  MappingEvaluator evaluator(space, weights);
  Exhaustive all;
  EnumerationOptions options;
  options.allOrders = true;
  forEachMapping(space, openRules(space), options, [&](const Mapping &mapping) {
    if (++all.mappings > limit)
      return false;
    if (!evaluator.fits(mapping))
      return true;
    Score score = evaluator.evaluate(mapping);
    if (!all.fitting++ || goal.value(score) < all.best)
      all.best = goal.value(score);
    auto covers = [](const Score &a, const Score &b) {
      return a.energy <= b.energy && a.latency <= b.latency;
    };
    if (llvm::none_of(all.front, [&](const Score &s) { return covers(s, score); })) {
      llvm::erase_if(all.front, [&](const Score &s) { return covers(score, s); });
      all.front.push_back(score);
    }
    return true;
  });
  return all.mappings > limit ? llvm::None : llvm::Optional<Exhaustive>(all);
}

static llvm::Optional<MapSpace> anySpace(std::mt19937 &random) { return randomSpace(random); }

static llvm::Optional<MapSpace> partialSpace(std::mt19937 &random) {
  llvm::Optional<MapSpace> space = random() % 4 ? randomSpace(random) : symmetricSpace(random);
  if (space)
    tellPartial(*space, random);
  return space;
}

static void compareSearch(std::mt19937 &random, const SearchGoal &goal, unsigned wanted,
                          llvm::Optional<MapSpace> (*make)(std::mt19937 &) = anySpace,
                          bool linksAreFree = false) {
  unsigned compared = 0, empty = 0;
  while (compared < wanted) {
    llvm::Optional<MapSpace> space = make(random);
    if (!space)
      continue;
    CostWeights weights = weightsOf(*space, random);
    if (linksAreFree)
      freeLinks(weights);
    llvm::Optional<Exhaustive> all = enumerate(*space, weights, goal, 30000);
    if (!all || all->mappings < 20)
      continue;
    SearchOptions options;
    options.descents = compared % 3;
    SearchResult result = search(*space, weights, openRules(*space), goal, options);
    ASSERT_TRUE(result.isProven());
    ASSERT_EQ(result.front.empty(), all->fitting == 0);
    ++compared;
    if (result.front.empty()) {
      ++empty;
      continue;
    }
    if (goal.kind == SearchGoal::Front) {
      ASSERT_EQ(result.front.size(), all->front.size()) << compared;
      continue;
    }
    double best = goal.value(result.front.front().score);
    for (const Candidate &candidate : result.front)
      best = std::min(best, goal.value(candidate.score));
    ASSERT_NEAR(best, all->best, 1e-9 * all->best) << "space " << compared;
    // Every corner is on the front.
    for (const Candidate &candidate : result.front) {
      bool onFront = llvm::is_contained(all->front, candidate.score);
      ASSERT_TRUE(onFront || goal.kind != SearchGoal::Hull);
    }
  }
  EXPECT_LT(empty, wanted / 2);
}

TEST(Search, EnergyEqualsExhaustive) {
  std::mt19937 random(3);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 30);
}

TEST(Search, LatencyEqualsExhaustive) {
  std::mt19937 random(4);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.latency; }}, 20);
}

TEST(Search, EdpEqualsExhaustive) {
  std::mt19937 random(5);
  compareSearch(random, {SearchGoal::Scalar, edp}, 30);
}

TEST(Search, SymmetricSpacesEqualExhaustive) {
  std::mt19937 random(7);
  compareSearch(random, {SearchGoal::Scalar, edp}, 20, symmetricSpace);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 20,
                symmetricSpace);
}

TEST(Search, SpacesWithPartialSumsEqualExhaustive) {
  std::mt19937 random(9);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 60,
                partialSpace);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.latency; }}, 20,
                partialSpace);
  compareSearch(random, {SearchGoal::Scalar, edp}, 60, partialSpace);
  compareSearch(random, {SearchGoal::Front, edp}, 20, partialSpace);
}

/// Where links cost nothing, lanes are dealt to axes in the best ways alone; where only energy
/// counts, partial mappings with lanes are compared as well.
TEST(Search, SpacesWithFreeLinksEqualExhaustive) {
  std::mt19937 random(17);
  SearchGoal energy{SearchGoal::Scalar, [](const Score &s) { return s.energy; }, true};
  auto narrow = [](std::mt19937 &numbers) { return randomSpace(numbers, /*roomyAxes=*/false); };
  for (auto *make : {anySpace, symmetricSpace, +narrow}) {
    compareSearch(random, energy, 20, make, /*linksAreFree=*/true);
    compareSearch(random, {SearchGoal::Scalar, edp}, 10, make, /*linksAreFree=*/true);
  }
  compareSearch(random, {SearchGoal::Front, edp}, 10, anySpace, /*linksAreFree=*/true);
}

TEST(Search, CornersOfTheHullAreOnTheFront) {
  std::mt19937 random(6);
  compareSearch(random, {SearchGoal::Hull, edp}, 20);
}

TEST(Search, FrontEqualsExhaustive) {
  std::mt19937 random(8);
  compareSearch(random, {SearchGoal::Front, edp}, 20);
}

/// Larger spaces than can be enumerated, with arrays that have room: with and without tables the
/// same optimum is proven.
TEST(Search, TablesChangeNothing) {
  std::mt19937 random(21);
  unsigned compared = 0;
  for (unsigned i = 0; i < 400 && compared < 60; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random, /*roomyAxes=*/true);
    if (!space)
      continue;
    if (i % 3 == 0)
      tellPartial(*space, random);
    CostWeights weights = weightsOf(*space, random);
    if (i % 4 < 2)
      freeLinks(weights);
    if (i % 5 == 0)
      weights.leak = 0;
    SearchGoal goal{SearchGoal::Scalar, i % 2 ? edp : [](const Score &s) { return s.energy; }};
    goal.energyOnly = i % 2 == 0;
    SearchOptions options;
    options.descents = 1;
    options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    options.useFloors = false;
    SearchResult plain = search(*space, weights, openRules(*space), goal, options);
    if (!plain.isProven() || plain.front.empty())
      continue;
    options.useFloors = true;
    options.deadline = llvm::None;
    SearchResult tables = search(*space, weights, openRules(*space), goal, options);
    ASSERT_TRUE(tables.isProven());
    ASSERT_FALSE(tables.front.empty());
    double best = goal.value(plain.front.front().score);
    ASSERT_NEAR(goal.value(tables.front.front().score), best, 1e-9 * best) << "space " << i;
    // Tables made when something hardly worse is known leave the best in.
    Candidate worse = plain.front.front();
    worse.score.energy *= 1 + 1e-6;
    worse.score.latency *= 1 + 1e-6;
    options.known = {worse};
    options.descents = 0;
    SearchResult again = search(*space, weights, openRules(*space), goal, options);
    ASSERT_TRUE(again.isProven());
    ASSERT_NEAR(goal.value(again.front.front().score), best, 1e-9 * best) << "space " << i;
    ++compared;
  }
  EXPECT_GT(compared, 30U);
}

TEST(Search, SameForAnyNumberOfThreads) {
  std::mt19937 random(9);
  for (unsigned i = 0; i < 10; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
    SearchGoal goal{SearchGoal::Scalar, edp};
    SearchOptions options;
    options.descents = 4;
    SearchResult one = search(*space, weights, openRules(*space), goal, options);
    options.threads = 3;
    SearchResult three = search(*space, weights, openRules(*space), goal, options);
    ASSERT_EQ(one.front.size(), three.front.size());
    EXPECT_EQ(one.evaluated, three.evaluated);
    if (one.front.empty())
      continue;
    EXPECT_EQ(one.front[0].mapping.factor, three.front[0].mapping.factor);
    EXPECT_EQ(one.front[0].mapping.order, three.front[0].mapping.order);
  }
}

TEST(Search, StopsAtTheDeadlineWithABound) {
  std::mt19937 random(12);
  Nest nest = parseNest(R"({"dims": {"m": 64, "k": 64, "n": 64},
    "tensors": {"A": [{"m": 1}, {"k": 1}], "B": [{"k": 1}, {"n": 1}], "Z": [{"m": 1}, {"n": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M0", "keep": ["A", "B", "Z"]},
    {"memory": "M1", "keep": ["A", "B", "Z"]}, {"memory": "M2", "keep": ["A", "B", "Z"]}],
    "mapping": {"M0": [["m", 64], ["k", 64], ["n", 64]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  CostWeights weights = randomWeights(*space, random);
  SearchGoal goal{SearchGoal::Scalar, edp};
  SearchOptions options;
  options.deadline = std::chrono::steady_clock::now();
  SearchResult result = search(*space, weights, openRules(*space), goal, options);
  ASSERT_FALSE(result.isProven());
  SearchOptions patient;
  SearchResult best = search(*space, weights, openRules(*space), goal, patient);
  ASSERT_TRUE(best.isProven());
  ASSERT_FALSE(best.front.empty());
  for (const Score &bound : result.open)
    EXPECT_LE(edp(bound), edp(best.front.front().score));
}

/// Indices that every tensor has stand at the outermost memory, unless rules say otherwise; spaces
/// with them are among those of the tests above.
TEST(Search, LeavesSharedLoopsOutside) {
  std::mt19937 random(15);
  unsigned narrowed = 0;
  for (unsigned i = 0; i < 200; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    SlotRules rules = openRules(*space), outside = withSharedOutside(*space, rules);
    for (unsigned d = 0; d < space->dims(); ++d) {
      bool shared = llvm::all_of(space->tensors,
                                 [&](const FlatTensor &t) { return (t.plain & ~t.cut) >> d & 1; });
      for (unsigned s = 1; s < space->slots.size(); ++s) {
        bool closed = shared && !space->slots[s].isAxis;
        ASSERT_EQ(outside[s].allows(d, 2), !closed);
        narrowed += closed;
      }
      ASSERT_TRUE(outside[0].allows(d, 2));
    }
    rules[0].orderOpen = false;
    outside = withSharedOutside(*space, rules);
    for (unsigned d = 0; d < space->dims(); ++d)
      ASSERT_TRUE(outside.back().allows(d, 2));
  }
  EXPECT_GT(narrowed, 50U);
}
