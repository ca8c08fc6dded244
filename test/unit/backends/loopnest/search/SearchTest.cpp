// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branch and bound finds what exhaustive enumeration finds.
#include "Spaces.h"
#include "backends/loopnest/search/PlainSearch.h"
#include "backends/loopnest/search/SlowestResource.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// All mappings of a small space that fit, in all orders: the best value, and the front.
struct Exhaustive {
  int64_t mappings = 0;
  double best = 0;
  std::vector<Score> front;
};

} // namespace

static double edp(const Score &score) { return score.energy * score.latency; }

/// Nothing for spaces with more than `limit` mappings.
static llvm::Optional<Exhaustive> enumerate(const MapSpace &space, const CostWeights &weights,
                                            const SearchGoal &goal, int64_t limit) {
  SearchOptions options;
  options.mostEvaluations = limit;
  PlainOptions plain;
  plain.allOrders = true;
  SearchGoal front{SearchGoal::Front, goal.value};
  SearchResult found = plainSearch(space, weights, openRules(space), front, options, plain);
  if (!found.isProven())
    return llvm::None;
  EXPECT_EQ(double(found.evaluated), found.mappings);
  Exhaustive all{found.evaluated, HUGE_VAL, {}};
  for (const Candidate &candidate : found.front) {
    all.front.push_back(candidate.score);
    all.best = std::min(all.best, goal.value(candidate.score));
  }
  return all;
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
  while (compared < rounds(wanted)) {
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
    ASSERT_EQ(result.front.empty(), all->front.empty());
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
  EXPECT_LE(empty, compared / 2);
}

TEST(Search, EnergyEqualsExhaustive) {
  std::mt19937 random(3);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 30);
}

TEST(Search, LatencyEqualsExhaustive) {
  std::mt19937 random(4);
  compareSearch(random, {SearchGoal::Scalar, [](const Score &s) { return s.latency; }}, 20);
}

/// With the time of the slowest memory or network as the energy that tables bound.
TEST(Search, LatencyByTimeEqualsExhaustive) {
  std::mt19937 random(14);
  SearchGoal latency{SearchGoal::Scalar, [](const Score &s) { return s.latency; }};
  latency.latencyOnly = true;
  for (auto *make : {anySpace, symmetricSpace, partialSpace})
    compareSearch(random, latency, 60, make);
}

/// The energy of a timed chip is the time of its resource: no more than the latency of any mapping,
/// and all of it for many.
TEST(Search, TimedChipsBoundLatencies) {
  std::mt19937 random(15);
  unsigned timed = 0, met = 0;
  for (unsigned i = 0; i < 300; ++i) {
    llvm::Optional<MapSpace> space = i % 3 ? anySpace(random) : partialSpace(random);
    if (!space)
      continue;
    CostWeights weights = weightsOf(*space, random);
    MappingEvaluator evaluator(*space, weights);
    auto chip = slowestResource(*space, weights, randomMapping(*space, random));
    if (!chip)
      continue;
    ++timed;
    MappingEvaluator timer(*space, chip->weights);
    for (unsigned k = 0; k < 20; ++k) {
      Mapping mapping = randomMapping(*space, random);
      double latency = evaluator.evaluate(mapping).latency;
      double time = chip->latency({timer.evaluate(mapping).energy, 0});
      ASSERT_LE(time, latency * (1 + 1e-12)) << "space " << i;
      met += time >= latency * (1 - 1e-12);
    }
  }
  EXPECT_GT(timed, 50U);
  EXPECT_GT(met, 5 * timed);
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

/// A walk without bounds sees each mapping once: as many as were counted before, the same best one
/// with any number of threads, and the one that branch and bound proves. What chance draws from a
/// small space is all of it in the end.
TEST(Search, WalksWithoutBoundsSeeAllMappings) {
  std::mt19937 random(23);
  SearchGoal goal{SearchGoal::Scalar, edp};
  unsigned compared = 0;
  for (unsigned i = 0; i < 200 && compared < 10; ++i) {
    llvm::Optional<MapSpace> space = partialSpace(random);
    if (!space)
      continue;
    CostWeights weights = weightsOf(*space, random);
    SlotRules rules = openRules(*space);
    SearchOptions options;
    options.mostEvaluations = 10000;
    SearchResult all = plainSearch(*space, weights, rules, goal, options, {});
    if (!all.isProven() || all.front.empty())
      continue;
    ++compared;
    ASSERT_EQ(double(all.evaluated), all.mappings);
    options.threads = 3;
    SearchResult three = plainSearch(*space, weights, rules, goal, options, {});
    ASSERT_EQ(three.evaluated, all.evaluated);
    ASSERT_EQ(three.front[0].mapping.factor, all.front[0].mapping.factor);
    ASSERT_EQ(three.front[0].mapping.order, all.front[0].mapping.order);
    SearchResult proven = search(*space, weights, rules, goal, options);
    double best = goal.value(proven.front.front().score);
    ASSERT_NEAR(goal.value(all.front.front().score), best, 1e-12 * best) << "space " << i;
    PlainOptions draws;
    draws.isRandom = true;
    SearchResult drawn = plainSearch(*space, weights, rules, goal, options, draws);
    ASSERT_LE(drawn.evaluated, all.evaluated);
    if (!drawn.isProven())
      continue;
    ASSERT_EQ(drawn.evaluated, all.evaluated);
    ASSERT_EQ(drawn.front[0].score, all.front[0].score);
  }
  EXPECT_EQ(compared, 10U);
}

/// So many mappings and no more, the same ones with any number of threads.
TEST(Search, WalksWithoutBoundsStopAtTheirCount) {
  std::mt19937 random(24);
  SearchGoal goal{SearchGoal::Scalar, edp};
  llvm::Optional<MapSpace> space;
  CostWeights weights;
  SearchOptions none;
  none.mostEvaluations = 1;
  do {
    if (!(space = symmetricSpace(random)))
      continue;
    weights = randomWeights(*space, random);
  } while (!space ||
           plainSearch(*space, weights, openRules(*space), goal, none, {}).mappings < 20000);
  for (bool isRandom : {false, true}) {
    PlainOptions plain;
    plain.isRandom = isRandom;
    SearchOptions options;
    options.mostEvaluations = 1000;
    SearchResult one = plainSearch(*space, weights, openRules(*space), goal, options, plain);
    ASSERT_FALSE(one.isProven());
    EXPECT_EQ(one.evaluated, 1000);
    EXPECT_GT(one.mappings, 1000);
    options.threads = 3;
    SearchResult three = plainSearch(*space, weights, openRules(*space), goal, options, plain);
    EXPECT_EQ(three.evaluated, 1000);
    EXPECT_EQ(one.front[0].mapping.order, three.front[0].mapping.order);
    EXPECT_EQ(one.front[0].mapping.factor, three.front[0].mapping.factor);
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
