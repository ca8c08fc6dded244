// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors that leave a rest: the search finds what the enumeration of all chains finds.
#include "Cases.h"
#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/ChainSearch.h"
#include "backends/loopnest/search/FactorWalk.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

static llvm::Optional<double> exhaustive(const Case &c, const SlotRules &rules,
                                         const SearchGoal &goal, int64_t limit,
                                         bool imperfect = true) {
  NestWeigher weigh = [&](const Nest &nest, unsigned, bool &) { return weighed(c, nest); };
  return exhaustive(c, rules, goal, limit, imperfect, weigh);
}

/// The walk over chains misses none that the analysis accepts.
TEST(FactorWalk, CountsTheChainsThatTheAnalysisAccepts) {
  std::mt19937 random(17);
  unsigned compared = 0;
  for (unsigned i = 0; i < 200 && compared < 12; ++i) {
    llvm::Optional<Case> c = randomCase(random);
    double estimate = 1;
    for (unsigned d = 0; c && d < c->space.dims(); ++d)
      estimate *= std::pow(double(c->space.nest.dims[d].size), double(c->space.slots.size()));
    if (!c || estimate > 30000 || estimate < 50)
      continue;
    for (MemoryWeights &memory : c->weights.memories)
      memory.capacityBits = llvm::None;
    const MapSpace &space = c->space;
    int64_t accepted = 0, walked = 0;
    Mapping mapping = space.emptyMapping();
    std::function<void(unsigned, unsigned)> factors = [&](unsigned d, unsigned s) {
      if (d == space.dims()) {
        accepted += validate(space.withLoops(mapping)).empty();
      } else if (s == space.slots.size()) {
        int64_t product = 1, first = 1, size = space.nest.dims[d].size;
        for (unsigned k = s; k-- > 0;)
          if (mapping.factor[k][d] > 1)
            product *= first = mapping.factor[k][d];
        if (product >= size && (first - 1) * (product / first) < size)
          factors(d + 1, 0);
      } else {
        for (int64_t f = 1; f <= space.nest.dims[d].size; ++f) {
          mapping.factor[s][d] = f;
          factors(d, s + 1);
        }
      }
    };
    factors(0, 0);
    SlotRules rules = openRules(space);
    FactorWalk walk(space, c->weights, rules, /*imperfect=*/true, /*isClosed=*/false,
                    [] { return true; });
    ASSERT_TRUE(walk.forEach([&](const Mapping &chain) {
      ++walked;
      return validate(space.withLoops(chain)).empty();
    }));
    ASSERT_EQ(walked, accepted) << "case " << i;
    auto one = [](const Mapping &, unsigned) { return 1.0; };
    ASSERT_EQ(walk.count(one, 1000000).getValueOr(-1), double(accepted));
    ++compared;
  }
  EXPECT_EQ(compared, 12U);
}

/// The optimum over all chains is that of the enumeration, and never above that of divisors; it is
/// the same mapping with any number of threads.
static void compareChains(std::mt19937 &random, const SearchGoal &goal, unsigned wanted) {
  unsigned compared = 0, better = 0;
  for (unsigned i = 0; i < 20000 && compared < rounds(wanted); ++i) {
    llvm::Optional<Case> c = randomCase(random);
    if (!c)
      continue;
    double estimate = 1;
    for (const Dim &dim : c->space.nest.dims)
      estimate *= std::pow(double(dim.size), double(c->space.slots.size()) - 1);
    if (estimate > 8000 || estimate < 50)
      continue;
    llvm::Optional<double> all = exhaustive(*c, openRules(c->space), goal, 4000);
    if (!all)
      continue;
    NestWeigher weigh = [&](const Nest &nest, unsigned, bool &) { return weighed(*c, nest); };
    SearchOptions options;
    ChainOptions chains;
    chains.imperfect = true;
    chains.probes = compared % 2 ? 100 : 0;
    SlotRules rules = openRules(c->space);
    SearchResult found = chainSearch(c->space, c->weights, rules, goal, options, chains, weigh, {});
    ASSERT_TRUE(found.isProven());
    options.threads = 3;
    SearchResult again = chainSearch(c->space, c->weights, rules, goal, options, chains, weigh, {});
    options.threads = 1;
    ASSERT_EQ(again.evaluated, found.evaluated) << "case " << i;
    ASSERT_EQ(again.front.size(), found.front.size());
    for (size_t k = 0; k < found.front.size(); ++k) {
      ASSERT_EQ(again.front[k].mapping.factor, found.front[k].mapping.factor);
      ASSERT_EQ(again.front[k].mapping.order, found.front[k].mapping.order);
    }
    ASSERT_EQ(found.front.empty(), *all == HUGE_VAL);
    ++compared;
    if (found.front.empty())
      continue;
    double best = goal.value(found.front.front().score);
    ASSERT_NEAR(best, *all, 1e-9 * *all) << "case " << i;
    SearchResult perfect = search(c->space, c->weights, rules, goal, options);
    if (perfect.front.empty()) {
      ++better;
      continue;
    }
    double divisors = goal.value(perfect.front.front().score);
    ASSERT_LE(best, divisors * (1 + 1e-9));
    better += best < divisors * (1 - 1e-9) ? 1 : 0;
  }
  EXPECT_EQ(compared, rounds(wanted));
  EXPECT_GE(better, least(1));
}

/// Partial sums that are wider than results: the search finds what the enumeration finds.
static void comparePartial(std::mt19937 &random, const SearchGoal &goal, unsigned wanted) {
  unsigned compared = 0, dearer = 0;
  for (unsigned i = 0; i < 20000 && compared < rounds(wanted); ++i) {
    llvm::Optional<Case> c = randomCase(random);
    double estimate = 1;
    for (unsigned d = 0; c && d < c->space.dims(); ++d)
      estimate *= std::pow(double(c->space.nest.dims[d].size), double(c->space.slots.size()) - 1);
    if (!c || estimate > 3000 || estimate < 50)
      continue;
    llvm::Optional<double> narrow = exhaustive(*c, openRules(c->space), goal, 4000);
    unsigned t = c->space.output;
    for (Place &place : c->space.nest.places)
      if (place.kind == PlaceKind::Memory)
        place.partialBits = c->space.nest.tensors[t].bitsPerWord * (1 + int64_t(random() % 4));
    llvm::Optional<double> all = exhaustive(*c, openRules(c->space), goal, 4000);
    if (!all || !narrow)
      continue;
    NestWeigher weigh = [&](const Nest &nest, unsigned, bool &) { return weighed(*c, nest); };
    SearchOptions options;
    ChainOptions chains;
    chains.imperfect = chains.allOrders = true;
    SearchResult found = chainSearch(c->space, withPartial(c->space, c->weights, c->elements[t]),
                                     openRules(c->space), goal, options, chains, weigh, {});
    ASSERT_TRUE(found.isProven());
    ASSERT_EQ(found.front.empty(), *all == HUGE_VAL);
    ++compared;
    if (found.front.empty())
      continue;
    ASSERT_NEAR(goal.value(found.front.front().score), *all, 1e-9 * *all) << "case " << i;
    ASSERT_GE(*all, *narrow * (1 - 1e-9));
    dearer += *all > *narrow * (1 + 1e-9) ? 1 : 0;
  }
  EXPECT_EQ(compared, rounds(wanted));
  EXPECT_GE(dearer, least(1));
}

/// Whatever mappings it begins with, the search finds what the enumeration finds in the orders that
/// rules fix, also where all orders are weighed.
TEST(ChainSearch, FixedOrdersEqualExhaustive) {
  Nest nest = parseNest(R"({"dims": {"m": 2, "n": 3, "k": 4},
    "tensors": {"A": [{"m": 1}, {"k": 1}], "B": [{"k": 1}, {"n": 1}], "Z": [{"m": 1}, {"n": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M0", "keep": ["A", "B", "Z"]},
    {"memory": "M1", "keep": ["A", "B", "Z"]}, {"array": "PE", "axes": {"x": 2}}],
    "mapping": {"M0": [["m", 2], ["n", 3], ["k", 4]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  std::mt19937 random(18);
  SearchGoal goal{SearchGoal::Scalar, [](const Score &s) { return s.energy; }};
  unsigned dearer = 0;
  for (unsigned i = 0; i < 24; ++i) {
    Case c{*space, randomWeights(*space, random), ChainBounds::elementsOf(*space)};
    c.weights.memories[1].capacityBits = (4 + int64_t(random() % 4)) * space->tensors[0].bits;
    SlotRules rules = openRules(*space);
    rules[0].orderOpen = false;
    rules[0].order = {0, 1, 2};
    std::shuffle(rules[0].order.begin(), rules[0].order.end(), random);
    ChainOptions chains;
    chains.imperfect = i % 2;
    chains.allOrders = i % 3 == 0;
    chains.probes = 100;
    std::vector<Mapping> start;
    for (unsigned k = 0; k < 30; ++k)
      start.push_back(randomMapping(*space, random));
    NestWeigher weigh = [&](const Nest &loops, unsigned, bool &) { return weighed(c, loops); };
    auto best = [&](const SlotRules &own) {
      SearchResult found = chainSearch(*space, c.weights, own, goal, {}, chains, weigh, start);
      EXPECT_TRUE(found.isProven());
      return found.front.empty() ? HUGE_VAL : found.front.front().score.energy;
    };
    llvm::Optional<double> all = exhaustive(c, rules, goal, 20000, chains.imperfect);
    ASSERT_TRUE(all);
    ASSERT_NEAR(best(rules), *all, 1e-9 * *all) << "case " << i;
    dearer += *all > best(openRules(*space)) * (1 + 1e-9) ? 1 : 0;
  }
  EXPECT_GT(dearer, 8U);
}

TEST(ChainSearch, WiderPartialSumsEqualExhaustive) {
  std::mt19937 random(16);
  comparePartial(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 12);
  comparePartial(random, {SearchGoal::Scalar, [](const Score &s) { return s.latency; }}, 12);
}

TEST(ChainSearch, EnergyEqualsExhaustive) {
  std::mt19937 random(12);
  compareChains(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy; }}, 30);
}

TEST(ChainSearch, EdpEqualsExhaustive) {
  std::mt19937 random(13);
  compareChains(random, {SearchGoal::Scalar, [](const Score &s) { return s.energy * s.latency; }},
                30);
}

/// Orders of seven loops at one memory, some of which leave a rest, are few enough to prove.
TEST(ChainSearch, ProvesMoreThanSixLoopsAtAPlace) {
  Nest nest = parseNest(R"({"dims": {"n": 2, "m": 3, "c": 3, "p": 3, "q": 2, "r": 2, "s": 2},
    "tensors": {"I": [{"n": 1}, {"c": 1}, {"p": 1, "r": 1}, {"q": 1, "s": 1}],
    "W": [{"m": 1}, {"c": 1}, {"r": 1}, {"s": 1}], "O": [{"n": 1}, {"m": 1}, {"p": 1}, {"q": 1}]},
    "output": "O", "hierarchy": [{"memory": "M0", "keep": ["I", "W", "O"]},
    {"memory": "M1", "keep": ["I", "W", "O"]}],
    "mapping": {"M0": [["n", 2], ["m", 3], ["c", 3], ["p", 3], ["q", 2], ["r", 2], ["s", 2]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  std::mt19937 random(62);
  Case c{*space, randomWeights(*space, random), ChainBounds::elementsOf(*space)};
  for (MemoryWeights &memory : c.weights.memories)
    memory.capacityBits = llvm::None;
  // One element of each tensor: all seven loops are outside.
  int64_t bits = 0;
  for (const FlatTensor &tensor : space->tensors)
    bits += tensor.bits;
  c.weights.memories[1].capacityBits = bits;
  SearchGoal goal{SearchGoal::Scalar, [](const Score &s) { return s.energy; }};
  NestWeigher weigh = [&](const Nest &loops, unsigned, bool &) { return weighed(c, loops); };
  SearchOptions options;
  ChainOptions chains;
  chains.imperfect = true;
  chains.probes = 50;
  SlotRules rules = openRules(*space);
  SearchResult found = chainSearch(*space, c.weights, rules, goal, options, chains, weigh, {});
  EXPECT_TRUE(found.isProven());
  ASSERT_FALSE(found.front.empty());
  SearchResult perfect = search(*space, c.weights, rules, goal, options);
  EXPECT_NEAR(found.front.front().score.energy, perfect.front.front().score.energy,
              1e-9 * perfect.front.front().score.energy);
}
