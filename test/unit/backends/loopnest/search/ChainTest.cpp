// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors that leave a rest: no bound is above what a completion costs, and the search finds what
// the enumeration of all chains finds.
#include "Spaces.h"
#include "backends/loopnest/search/ChainBounds.h"
#include "backends/loopnest/search/FactorWalk.h"
#include "backends/loopnest/search/PlainSearch.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// A space with the rates of its weights per second, too.
struct Case {
  MapSpace space;
  CostWeights weights;
  std::vector<int64_t> elements;
};

} // namespace

/// The same with an index of some rank in another one of an input as well, if that has no closed
/// form.
static llvm::Optional<MapSpace> withSharedIndex(const MapSpace &space, std::mt19937 &random) {
  Nest nest = space.nest;
  for (Tensor &tensor : nest.tensors) {
    if (tensor.isOutput || tensor.ranks.size() < 2 || tensor.ranks[0].terms.empty())
      continue;
    Term shared = tensor.ranks[0].terms.front();
    shared.coefficient = 1 + int64_t(random() % 2);
    tensor.ranks[1].terms.push_back(shared);
  }
  std::string reason;
  llvm::Optional<MapSpace> coupled = makeGeneralSpace(nest, reason);
  return coupled && !coupled->isFlat ? coupled : llvm::None;
}

static llvm::Optional<Case> randomCase(std::mt19937 &random, bool isCoupled = false) {
  llvm::Optional<MapSpace> space = randomSpace(random);
  if (space && isCoupled)
    space = withSharedIndex(*space, random);
  if (!space)
    return llvm::None;
  CostWeights weights = randomWeights(*space, random);
  auto perSecond = [&](Rate &rate) {
    rate.perSecond = double(rate.numerator) / double(rate.denominator) * weights.clock;
  };
  perSecond(weights.compute);
  for (MemoryWeights &memory : weights.memories)
    for (Rate *rate : {&memory.bandwidth, &memory.readBandwidth, &memory.writeBandwidth})
      perSecond(*rate);
  AnalysisResult whole = analyse(space->withLoops(space->emptyMapping()));
  if (!whole.counts)
    return llvm::None;
  Case result{*space, weights, {}};
  for (const auto &tensor : whole.counts->memories[0].tensors)
    result.elements.push_back(tensor->maxResident);
  return result;
}

static llvm::Optional<Score> weighed(const Case &c, const Nest &nest) {
  AnalysisResult result = analyse(nest);
  if (!result.counts)
    return llvm::None;
  for (unsigned m = 1; m < c.space.lanes(); ++m)
    if (c.weights.memories[m].capacityBits &&
        result.counts->memories[m].maxResidentBits > *c.weights.memories[m].capacityBits)
      return llvm::None;
  return scoreOf(c.weights, nest, *result.counts);
}

/// Any factors and orders that make a valid chain of each dimension, as a node.
static llvm::Optional<ChainNode> randomChains(const MapSpace &space, std::mt19937 &random) {
  ChainNode node;
  node.mapping = space.emptyMapping();
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    for (unsigned d = 0; d < space.dims(); ++d)
      node.mapping.factor[s][d] =
          random() % 2 ? 1 : 1 + int64_t(random() % uint64_t(space.nest.dims[d].size));
    std::shuffle(node.mapping.order[s].begin(), node.mapping.order[s].begin() + space.dims(),
                 random);
  }
  completeChains(space, true, node.mapping);
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t lanes = 1;
    for (unsigned d = 0; d < space.dims(); ++d)
      lanes *= node.mapping.factor[s][d];
    if (space.slots[s].isAxis && lanes > space.slots[s].size)
      return llvm::None;
  }
  for (unsigned d = 0; d < space.dims(); ++d) {
    int64_t cover = 1;
    for (unsigned s = space.slots.size() + 1; s-- > 0;) {
      if (s < space.slots.size())
        cover *= node.mapping.factor[s][d];
      node.inside[s][d] = std::min(cover, space.nest.dims[d].size);
    }
  }
  return node;
}

/// Subscripts that share indices: what moves at least is known, and more than nothing.
TEST(ChainBounds, NoCoupledMappingCostsLess) {
  std::mt19937 random(12);
  unsigned compared = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    llvm::Optional<Case> c = randomCase(random, /*isCoupled=*/true);
    if (!c)
      continue;
    ChainBounds bounds(c->space, c->weights, c->elements);
    bounds.useFloors(/*imperfect=*/true, 100);
    Score root = bounds.bound(ChainBounds::rootOf(c->space), 0);
    ASSERT_GT(root.latency, 0);
    for (unsigned k = 0; k < 4; ++k) {
      llvm::Optional<ChainNode> node = randomChains(c->space, random);
      llvm::Optional<Score> score =
          node ? weighed(*c, c->space.withLoops(node->mapping)) : llvm::None;
      if (!score)
        continue;
      ++compared;
      ASSERT_LE(root.energy, score->energy) << "case " << i;
      ASSERT_LE(root.latency, score->latency) << "case " << i;
    }
  }
  EXPECT_GT(compared, 300U);
}

TEST(ChainBounds, NoCompletionCostsLess) {
  std::mt19937 random(11);
  unsigned compared = 0, ragged = 0;
  for (unsigned i = 0; i < rounds(3000); ++i) {
    llvm::Optional<Case> c = randomCase(random);
    if (!c)
      continue;
    for (MemoryWeights &memory : c->weights.memories)
      memory.capacityBits = llvm::None;
    ChainBounds bounds(c->space, c->weights, c->elements);
    bounds.useFloors(/*imperfect=*/true, 500);
    for (unsigned k = 0; k < 12; ++k) {
      llvm::Optional<ChainNode> node = randomChains(c->space, random);
      if (!node)
        continue;
      Nest nest = c->space.withLoops(node->mapping);
      ASSERT_TRUE(validate(nest).empty());
      llvm::Optional<Score> score = weighed(*c, nest);
      if (!score)
        continue;
      ++compared;
      for (unsigned d = 0; d < c->space.dims(); ++d) {
        int64_t product = 1;
        for (unsigned s = 0; s < c->space.slots.size(); ++s)
          product *= node->mapping.factor[s][d];
        ragged += product != c->space.nest.dims[d].size ? 1 : 0;
      }
      for (unsigned decided = 0; decided <= c->space.slots.size(); ++decided) {
        Score bound = bounds.bound(*node, decided);
        ASSERT_LE(bound.energy, score->energy) << "case " << i << ", " << decided << " slots";
        ASSERT_LE(bound.latency, score->latency) << "case " << i << ", " << decided << " slots";
      }
    }
  }
  EXPECT_GT(compared, rounds(5000));
  EXPECT_GT(ragged, rounds(5000));
}

/// Floors that know the capacities are below whatever fits, and often above the bounds that do not.
static void compareFloors(std::mt19937 &random, bool imperfect) {
  unsigned compared = 0, higher = 0;
  for (unsigned i = 0; i < rounds(4000); ++i) {
    llvm::Optional<Case> c = randomCase(random);
    if (!c)
      continue;
    for (MemoryWeights &memory : c->weights.memories)
      if (memory.capacityBits)
        memory.capacityBits = 16 + *memory.capacityBits / (1 + int64_t(random() % 16));
    ChainBounds plain(c->space, c->weights, c->elements);
    ChainBounds bounds = plain;
    bounds.useFloors(imperfect, 300);
    Score root = bounds.bound(ChainBounds::rootOf(c->space), 0);
    higher += root.energy > plain.bound(ChainBounds::rootOf(c->space), 0).energy * (1 + 1e-9);
    for (unsigned k = 0; k < 16; ++k) {
      llvm::Optional<ChainNode> node;
      if (imperfect)
        node = randomChains(c->space, random);
      else
        node = ChainNode{randomMapping(c->space, random), {}};
      if (!node)
        continue;
      llvm::Optional<Score> score = weighed(*c, c->space.withLoops(node->mapping));
      if (!score)
        continue;
      ++compared;
      ASSERT_LE(root.energy, score->energy) << "case " << i;
      ASSERT_LE(root.latency, score->latency) << "case " << i;
    }
  }
  EXPECT_GT(compared, rounds(2000));
  EXPECT_GT(higher, rounds(200));
}

TEST(TileFloors, NoMappingThatFitsCostsLess) {
  std::mt19937 random(14);
  compareFloors(random, /*imperfect=*/true);
}

TEST(TileFloors, NoPerfectMappingThatFitsCostsLess) {
  std::mt19937 random(15);
  compareFloors(random, /*imperfect=*/false);
}

/// A bound of O[m, n] = A[m] * B[n], of which a word of A or B costs 1 J to read from M0; other
/// memories have room for `capacity` words.
static double boundOfProduct(llvm::StringRef levels, llvm::Optional<int64_t> capacity) {
  Nest nest = parseNest(R"({"dims": {"m": 8, "n": 8}, "tensors": {"A": [{"m": 1}], "B": [{"n": 1}],
    "O": [{"m": 1}, {"n": 1}]}, "output": "O", "hierarchy": [)" +
                        levels.str() + R"(], "mapping": {"M0": [["m", 8], ["n", 8]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  EXPECT_TRUE(space) << reason;
  CostWeights weights;
  for (unsigned m = 0; m < space->lanes(); ++m) {
    MemoryWeights memory;
    memory.read = {m == 0 ? 1.0 : 0, m == 0 ? 1.0 : 0, 0};
    memory.write = memory.update = {0, 0, 0};
    if (m > 0 && capacity)
      memory.capacityBits = *capacity * space->tensors[0].bits;
    weights.memories.push_back(memory);
  }
  ArrayWeights array;
  array.word = array.hop = array.copy = {0, 0, 0};
  weights.arrays.assign(nest.places.size() - space->lanes(), array);
  ChainBounds bounds(*space, weights, ChainBounds::elementsOf(*space));
  bounds.useFloors(/*imperfect=*/false, 2000);
  return bounds.bound(ChainBounds::rootOf(*space), 0).energy;
}

/// One word of A stays in M1 or one of B in M2, whichever loop of M0 is inside: 8 + 64.
TEST(TileFloors, LoopsOfOnePlaceHaveOneOrder) {
  EXPECT_NEAR(boundOfProduct(R"({"memory": "M0", "keep": ["A", "B", "O"]},
    {"memory": "M1", "keep": ["A"]}, {"memory": "M2", "keep": ["B"]})",
                             1),
              72, 1e-6);
}

/// Sizes of tiles of a long index are told apart by ranges: still no mapping costs less, and the
/// best one no more than a hundredth more: a column of A stays, and B comes again for each.
TEST(TileFloors, LongIndicesHaveFloors) {
  Nest nest = parseNest(R"({"dims": {"i": 1000003, "j": 999983, "k": 1009}, "tensors": {
    "A": [{"i": 1}, {"k": 1}], "B": [{"k": 1}, {"j": 1}], "O": [{"i": 1}, {"j": 1}]},
    "output": "O", "hierarchy": [{"memory": "M0", "keep": ["A", "B", "O"]},
    {"memory": "M1", "keep": ["A", "B", "O"]}],
    "mapping": {"M0": [["i", 1000003], ["j", 999983], ["k", 1009]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  Case c{*space, {}, ChainBounds::elementsOf(*space)};
  c.weights.memories.resize(2);
  c.weights.memories[0].read = {1, 1, 0};
  c.weights.memories[1].read = {0, 0, 0};
  for (MemoryWeights &memory : c.weights.memories)
    memory.write = memory.update = {0, 0, 0};
  c.weights.memories[1].capacityBits = 1700 * space->tensors[0].bits;
  Mapping mapping = space->emptyMapping();
  mapping.factor[0][0] = 1178;
  mapping.factor[1][0] = 849;
  std::swap(mapping.order[0][1], mapping.order[0][2]); // j innermost
  AnalysisResult result = analyse(space->withLoops(mapping));
  ASSERT_TRUE(result.counts);
  ASSERT_LE(result.counts->memories[1].maxResidentBits, *c.weights.memories[1].capacityBits);
  const auto &tensors = result.counts->memories[0].tensors;
  auto words = static_cast<double>(tensors[0]->reads.declared + tensors[1]->reads.declared);
  ChainBounds bounds(c.space, c.weights, c.elements);
  Score plain = bounds.bound(ChainBounds::rootOf(c.space), 0);
  bounds.useFloors(/*imperfect=*/true, 20000);
  Score root = bounds.bound(ChainBounds::rootOf(c.space), 0);
  EXPECT_LE(root.energy, words);
  EXPECT_GT(root.energy, 0.99 * words);
  EXPECT_LT(plain.energy, 0.01 * words);
}

/// Each of 8 lanes reads A and B in its 8 steps; a message brings one of them to all or none to any
/// other.
TEST(ChainBounds, LanesShareWhatTheirNetworkShares) {
  std::string memory = R"({"memory": "M0", "keep": ["A", "B", "O"]},)";
  std::string lanes = memory + R"({"array": "PE", "axes": {"x": 8})";
  EXPECT_NEAR(boundOfProduct(lanes + R"(, "multicast": ["x"], "reduce": ["x"]})", llvm::None), 16,
              1e-6);
  EXPECT_NEAR(boundOfProduct(lanes + R"(, "multicast": [], "reduce": ["x"]})", llvm::None), 128,
              1e-6);
}

/// The best of all chains of factors in all orders that rules admit; nothing when they are too
/// many.
static llvm::Optional<double> exhaustive(const Case &c, const SlotRules &rules,
                                         const SearchGoal &goal, int64_t limit,
                                         bool imperfect = true) {
  NestWeigher weigh = [&](const Nest &nest, unsigned, bool &) { return weighed(c, nest); };
  SearchOptions options;
  options.mostEvaluations = limit;
  PlainOptions plain;
  plain.imperfect = imperfect;
  plain.allOrders = true;
  plain.weigh = &weigh;
  SearchResult all = plainSearch(c.space, c.weights, rules, goal, options, plain);
  if (!all.isProven())
    return llvm::None;
  return all.front.empty() ? HUGE_VAL : goal.value(all.front.front().score);
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
  EXPECT_GT(better, 0U);
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
  EXPECT_GT(dearer, 0U);
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
