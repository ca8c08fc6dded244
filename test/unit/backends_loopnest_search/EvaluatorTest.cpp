// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The closed-form evaluator gives the numbers of the reuse analysis.
#include "Spaces.h"
#include "backends/loopnest/analysis/Analyse.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

TEST(MappingEvaluator, EqualsAnalysisOnRandomMappings) {
  std::mt19937 random(7);
  unsigned spaces = 0, mappings = 0, withHops = 0;
  while (spaces < 150) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    ++spaces;
    CostWeights weights = randomWeights(*space, random);
    MappingEvaluator evaluator(*space, weights);
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
  EXPECT_EQ(mappings, 6000u);
  EXPECT_GT(withHops, 3000u);
}

TEST(MappingEvaluator, TilesAreNeverSmallerThanWhatIsHeld) {
  std::mt19937 random(11);
  for (unsigned i = 0; i < 500; ++i) {
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
      EXPECT_GE(evaluator.tileBits(mapping, m), result.counts->memories[m].maxResidentBits);
  }
}

TEST(MappingEvaluator, BoundsAreBelowWhatTheyBound) {
  std::mt19937 random(21);
  unsigned compared = 0, tight = 0;
  for (unsigned i = 0; i < 400; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
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
  EXPECT_GT(compared, 20000u);
  EXPECT_GT(tight, compared / 4);
}
