// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors that leave a rest: no bound is above what a completion costs.
#include "backends/loopnest/search/ChainBounds.h"
#include "Cases.h"
#include "backends/loopnest/search/ChainSearch.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// Subscripts that share indices: what moves at least is known, and more than nothing.
TEST(ChainBounds, NoCoupledMappingCostsLess) {
  std::mt19937 random(12);
  unsigned compared = 0;
  for (unsigned i = 0; i < rounds(1500); ++i) {
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
  EXPECT_GE(compared, least(300));
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
  EXPECT_GE(compared, least(5000));
  EXPECT_GE(ragged, least(5000));
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
  EXPECT_GE(compared, least(2000));
  EXPECT_GE(higher, least(200));
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
