// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The closed-form evaluator gives the numbers of the reuse analysis.
#include "RandomMoves.h"
#include "Spaces.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "backends/loopnest/search/FactorWalk.h"
#include "backends/loopnest/search/OrderTables.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <set>

using namespace perfc;
using namespace perfc::loopnest;

/// Random mappings of random spaces, where partial sums may have a size of their own.
static void compareWithAnalysis(std::mt19937 &random, bool partial) {
  unsigned spaces = 0, mappings = 0, withHops = 0;
  while (spaces < rounds(150)) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    ++spaces;
    CostWeights weights = randomWeights(*space, random);
    if (partial)
      tellPartial(*space, random);
    CostWeights own = withPartial(*space, weights, space->tensors[space->output].plainSize);
    MappingEvaluator evaluator(*space, own);
    for (unsigned i = 0; i < 40; ++i) {
      Mapping mapping = randomMapping(*space, random);
      Nest nest = space->withLoops(mapping);
      AnalysisOptions options;
      options.hopWorkLimit = 0;
      AnalysisResult result = analyse(nest, options);
      ASSERT_TRUE(result.counts);
      for (const ArrayCounts &array : result.counts->arrays)
        for (const auto &hops : array.hops)
          withHops += hops && hops->declared > 0;
      Score expected = scoreOf(weights, nest, *result.counts);
      Score actual = evaluator.evaluate(mapping);
      ASSERT_NEAR(actual.energy, expected.energy, 1e-9 * expected.energy)
          << "space " << spaces << " mapping " << i;
      ASSERT_NEAR(actual.latency, expected.latency, 1e-12 * expected.latency)
          << "space " << spaces << " mapping " << i;
      ++mappings;
    }
  }
  EXPECT_EQ(mappings, 40 * rounds(150));
  EXPECT_GE(withHops, least(3000));
}

TEST(MappingEvaluator, EqualsAnalysisOnRandomMappings) {
  std::mt19937 random(7);
  compareWithAnalysis(random, /*partial=*/false);
}

TEST(MappingEvaluator, EqualsAnalysisWherePartialSumsHaveASize) {
  std::mt19937 random(8);
  compareWithAnalysis(random, /*partial=*/true);
}

/// A window whose factors are too many for one word of what is remembered.
TEST(MappingEvaluator, EqualsAnalysisWhereFactorsDoNotFitAWord) {
  Nest nest = parseNest(R"({"dims": {"p": 720, "r": 60},
    "tensors": {"I": [{"p": 1, "r": 2}], "W": [{"r": 1}], "O": [{"p": 1}]},
    "output": "O", "hierarchy": [{"memory": "M0", "keep": ["I", "W", "O"]},
    {"memory": "M1", "keep": ["I", "O"]}, {"array": "A", "axes": {"x": 8, "y": 6}},
    {"memory": "M2", "keep": ["I", "W"]}, {"memory": "M3", "keep": ["I", "W", "O"]}],
    "mapping": {"M0": [["p", 720], ["r", 60]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  std::mt19937 random(61);
  CostWeights weights = randomWeights(*space, random);
  MappingEvaluator evaluator(*space, weights);
  for (unsigned i = 0; i < 40; ++i) {
    Mapping mapping = randomMapping(*space, random);
    Nest loops = space->withLoops(mapping);
    AnalysisOptions options;
    options.hopWorkLimit = 0;
    AnalysisResult result = analyse(loops, options);
    ASSERT_TRUE(result.counts);
    Score expected = scoreOf(weights, loops, *result.counts), actual = evaluator.evaluate(mapping);
    ASSERT_NEAR(actual.energy, expected.energy, 1e-9 * expected.energy);
    ASSERT_NEAR(actual.latency, expected.latency, 1e-12 * expected.latency);
  }
}

/// A random move: a prime from one slot to another that has room, or another order of a slot.
static void step(const MapSpace &space, Mapping &mapping, std::mt19937 &random) {
  unsigned from = random() % space.slots.size(), to = random() % space.slots.size();
  if (random() % 3 == 0) {
    std::shuffle(mapping.order[from].begin(), mapping.order[from].begin() + space.dims(), random);
    return;
  }
  movePrime(space, mapping, random() % space.dims(), from, to);
}

/// Walks of small moves, whole and partial mappings mixed: what is kept from the mapping before
/// gives exactly what an evaluator that has seen nothing gives.
TEST(MappingEvaluator, NeighboursCostWhatTheyCostAlone) {
  std::mt19937 random(31);
  unsigned compared = 0, same = 0;
  for (unsigned i = 0; i < 150; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random, /*roomyAxes=*/true);
    if (!space)
      continue;
    if (i % 3 == 0)
      tellPartial(*space, random);
    CostWeights weights = weightsOf(*space, random);
    MappingEvaluator walking(*space, weights);
    Mapping mapping = randomMapping(*space, random);
    Score before;
    for (unsigned k = 0; k < 60; ++k) {
      step(*space, mapping, random);
      unsigned decided = space->slots.size();
      Mapping whole = mapping;
      if (random() % 4 == 0)
        for (unsigned some = random() % decided; decided > some;)
          whole.factor[--decided].fill(1);
      MappingEvaluator alone(*space, weights);
      Score expected = alone.evaluate(whole, decided), actual = walking.evaluate(whole, decided);
      ASSERT_EQ(actual.energy, expected.energy) << "space " << i << " step " << k;
      ASSERT_EQ(actual.latency, expected.latency) << "space " << i << " step " << k;
      for (const Crossing &crossing : space->crossings) {
        if (crossing.end > decided)
          continue;
        CrossingFlow flow = walking.flowOf(whole, crossing);
        ASSERT_EQ(flow.separate, alone.flowOf(whole, crossing).separate);
        CrossingCost cost{1, 2, 3, 4};
        ASSERT_EQ(walking.crossingEnergy(whole, crossing, cost, decided),
                  alone.crossingEnergy(whole, crossing, cost, decided));
      }
      same += actual == before;
      before = actual;
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000u);
  EXPECT_LT(same, compared * 2 / 3); // the others are moves without effect
}

/// All orders of random factors, put together from tables: each visited once, each at exactly the
/// cost that it has alone.
TEST(OrderTables, EqualsTheEvaluator) {
  std::mt19937 random(51);
  unsigned compared = 0, several = 0;
  for (unsigned i = 0; i < 200; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random, /*roomyAxes=*/true);
    if (!space)
      continue;
    if (i % 3 == 0)
      tellPartial(*space, random);
    CostWeights weights = weightsOf(*space, random);
    SlotRules rules = openRules(*space);
    MappingEvaluator evaluator(*space, weights), alone(*space, weights);
    OrderTables tables(evaluator, rules);
    for (unsigned k = 0; k < 5; ++k) {
      Mapping mapping = randomMapping(*space, random);
      std::set<std::vector<uint8_t>> seen;
      double visited = 0;
      bool same = tables.forEach(mapping, [&](const Score &score) {
        std::vector<uint8_t> text;
        for (const auto &order : mapping.order)
          text.insert(text.end(), order.begin(), order.end());
        ++visited;
        ++compared;
        return seen.insert(text).second && (visited > 300 || score == alone.evaluate(mapping));
      });
      ASSERT_TRUE(same) << "space " << i << " mapping " << k;
      ASSERT_EQ(visited, tables.count(mapping));
      several += visited > 1;
    }
  }
  EXPECT_GT(compared, 5000u);
  EXPECT_GT(several, 300u);
}

/// The evaluator sees each mapping of an enumeration right after its neighbour.
TEST(MappingEvaluator, EnumerationVisitsEachMappingOnce) {
  std::mt19937 random(41);
  unsigned spaces = 0;
  for (unsigned i = 0; i < 400 && spaces < 40; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
    MappingEvaluator walking(*space, weights);
    SlotRules rules = openRules(*space);
    OrderWalk orders(*space, rules, &weights);
    std::set<std::string> seen;
    bool isNew = true;
    auto see = [&](const Mapping &mapping) {
      std::string text;
      for (unsigned s = 0; s < space->slots.size(); ++s)
        for (unsigned k = 0; k < space->dims(); ++k) {
          unsigned d = mapping.order[s][k];
          if (mapping.factor[s][d] > 1)
            text += std::to_string(s) + ":" + std::to_string(d) + "=" +
                    std::to_string(mapping.factor[s][d]) + " ";
        }
      isNew &= seen.insert(text).second;
      isNew &= walking.fits(mapping);
      if (seen.size() % 50 == 0) {
        MappingEvaluator alone(*space, weights);
        isNew &= alone.evaluate(mapping) == walking.evaluate(mapping);
      } else {
        walking.evaluate(mapping);
      }
      return isNew && seen.size() < 3000;
    };
    FactorWalk factors(*space, weights, rules, /*imperfect=*/false, /*isClosed=*/true,
                       [] { return true; });
    factors.forEach(
        [&](Mapping mapping) { return orders.forEach(mapping, [&] { return see(mapping); }); });
    EXPECT_TRUE(isNew) << "space " << i;
    spaces += seen.size() > 50;
  }
  EXPECT_EQ(spaces, 40u);
}

/// With padding as well: what a tile needs is what the analysis finds held.
TEST(MappingEvaluator, TilesAreWhatIsHeld) {
  std::mt19937 random(11);
  for (unsigned i = 0; i < rounds(1500); ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
    MappingEvaluator evaluator(*space, weights);
    Mapping mapping = randomMapping(*space, random);
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult result = analyse(space->withLoops(mapping), options);
    ASSERT_TRUE(result.counts);
    for (unsigned m = 0; m < space->lanes(); ++m)
      ASSERT_EQ(evaluator.tileBits(mapping, m), result.counts->memories[m].maxResidentBits)
          << "space " << i << " memory " << m;
  }
}

/// Room for partial sums is needed where the analysis finds them, and never for less than is known
/// from the first slots.
TEST(MappingEvaluator, TilesHavePartialSumsWhereTheyAreHeld) {
  std::mt19937 random(12);
  unsigned held = 0, finished = 0;
  for (unsigned i = 0; i < rounds(1500); ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
    MappingEvaluator narrow(*space, weights);
    for (Place &place : space->nest.places)
      if (place.kind == PlaceKind::Memory)
        place.partialBits = space->tensors[space->output].bits + 1;
    MappingEvaluator evaluator(*space, weights);
    Mapping mapping = randomMapping(*space, random);
    AnalysisResult result = analyse(space->withLoops(mapping), {});
    ASSERT_TRUE(result.counts);
    for (unsigned m = 0; m < space->lanes(); ++m) {
      const auto &counts = result.counts->memories[m].tensors[space->output];
      bool isPartial = counts && counts->holdsPartial();
      ASSERT_EQ(evaluator.tileBits(mapping, m) > narrow.tileBits(mapping, m), isPartial);
      ASSERT_LE(evaluator.leastTileBits(mapping, m), evaluator.tileBits(mapping, m));
      ASSERT_GE(evaluator.mostTileBits(mapping, m), evaluator.tileBits(mapping, m));
      Mapping some = mapping;
      for (unsigned s = space->slots.size(); s-- > space->memorySlot[m];) {
        some.factor[s].fill(1);
        ASSERT_LE(evaluator.tileBits(some, m), evaluator.tileBits(mapping, m));
      }
      (isPartial ? held : finished) += counts ? 1 : 0;
    }
  }
  EXPECT_GE(held, least(500));
  EXPECT_GE(finished, least(500));
}

static void compareBounds(std::mt19937 &random, bool partial) {
  unsigned compared = 0, tight = 0;
  for (unsigned i = 0; i < rounds(400); ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    if (partial)
      tellPartial(*space, random);
    CostWeights weights = weightsOf(*space, random);
    MappingEvaluator evaluator(*space, weights);
    for (unsigned k = 0; k < 20; ++k) {
      Mapping mapping = randomMapping(*space, random);
      Score score = evaluator.evaluate(mapping);
      for (unsigned decided = space->slots.size(); decided-- > 0;) {
        mapping.factor[decided].fill(1);
        Score bound = evaluator.evaluate(mapping, decided);
        ASSERT_LE(bound.energy, score.energy * (1 + 1e-12)) << "space " << i << " slot " << decided;
        ASSERT_LE(bound.latency, score.latency * (1 + 1e-12)) << "space " << i;
        tight += bound.energy > 0.9 * score.energy;
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, least(20000));
  EXPECT_GT(tight, compared / 4);
}

TEST(MappingEvaluator, BoundsAreBelowWhatTheyBound) {
  std::mt19937 random(21);
  compareBounds(random, /*partial=*/false);
}

TEST(MappingEvaluator, BoundsAreBelowWhatTheyBoundWithPartialSums) {
  std::mt19937 random(22);
  compareBounds(random, /*partial=*/true);
}
