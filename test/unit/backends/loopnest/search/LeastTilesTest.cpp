// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where least tiles have no room, no mapping is legal; where they have, one is.
#include "backends/loopnest/search/LeastTiles.h"
#include "Spaces.h"
#include "backends/loopnest/search/FactorWalk.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// Few factors for some indices in some slots.
static SlotRules randomRules(const MapSpace &space, std::mt19937 &random) {
  SlotRules rules = openRules(space);
  for (SlotRule &rule : rules)
    for (unsigned d = 0; d < space.dims(); ++d) {
      if (random() % 3)
        continue;
      std::vector<int64_t> &values = rule.factors[d].values;
      rule.factors[d].open = false;
      for (unsigned k = random() % 3 + 1; k > 0; --k)
        values.push_back(1 + int64_t(random() % uint64_t(space.nest.dims[d].size)));
      llvm::sort(values);
      values.erase(std::unique(values.begin(), values.end()), values.end());
    }
  return rules;
}

static bool isLegal(const MapSpace &space, const SlotRules &rules, const Mapping &mapping) {
  for (unsigned s = 0; s < space.slots.size(); ++s) {
    int64_t lanes = 1;
    for (unsigned d = 0; d < space.dims(); ++d) {
      lanes *= mapping.factor[s][d];
      if (!rules[s].allows(d, mapping.factor[s][d]))
        return false;
    }
    if (space.slots[s].isAxis && lanes > space.slots[s].size)
      return false;
  }
  return validate(space.withLoops(mapping)).empty();
}

static void compareWithWalk(bool imperfect) {
  std::mt19937 random(imperfect ? 71 : 72);
  unsigned some = 0, none = 0;
  for (unsigned i = 0; i < 1500; ++i) {
    llvm::Optional<MapSpace> space = randomSpace(random);
    if (!space)
      continue;
    double estimate = 1;
    for (const Dim &dim : space->nest.dims)
      estimate *= std::pow(double(dim.size), double(space->slots.size()) - 1);
    if (imperfect && estimate > 1e5)
      continue;
    CostWeights weights = randomWeights(*space, random);
    for (MemoryWeights &memory : weights.memories)
      if (memory.capacityBits)
        memory.capacityBits = 16 + *memory.capacityBits / (1 + int64_t(random() % 16));
    SlotRules rules = randomRules(*space, random);
    FactorWalk walk(*space, weights, rules, imperfect, /*isClosed=*/false, [] { return true; });
    bool isAny = false;
    walk.forEach([&](const Mapping &) { return !(isAny = true); });
    bool isLeast = false;
    int64_t steps = LeastTiles::mostSteps;
    LeastTiles least(*space, weights, rules, imperfect, steps);
    bool isAll = least.forEach([&](const Mapping &mapping) {
      EXPECT_TRUE(isLegal(*space, rules, mapping)) << "case " << i;
      isLeast = true;
      return false;
    });
    ASSERT_EQ(isLeast, isAny) << "case " << i;
    ASSERT_EQ(isAll, !isAny) << "case " << i;
    ++(isAny ? some : none);
  }
  EXPECT_GT(some, 100U);
  EXPECT_GT(none, 100U);
}

TEST(LeastTiles, PerfectFactorsAreLegalWhereTheyHaveRoom) { compareWithWalk(false); }
TEST(LeastTiles, AnyFactorsAreLegalWhereTheyHaveRoom) { compareWithWalk(true); }

/// Ten million values of an index need no list of factors.
TEST(LeastTiles, LongIndicesTakeNoTime) {
  Nest nest = parseNest(R"({"dims": {"m": 10000019, "n": 9999991},
    "tensors": {"A": [{"m": 1}], "Z": [{"m": 1}, {"n": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M0", "keep": ["A", "Z"]}, {"memory": "M1", "keep": ["A", "Z"]}],
    "mapping": {"M0": [["m", 10000019], ["n", 9999991]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  std::mt19937 random(73);
  CostWeights weights = randomWeights(*space, random);
  SlotRules rules = openRules(*space);
  rules[1].factors[0] = {false, {7}};
  auto isEmpty = [&](int64_t bits) {
    weights.memories[1].capacityBits = bits;
    int64_t steps = LeastTiles::mostSteps;
    LeastTiles least(*space, weights, rules, true, steps);
    bool isAll = least.forEach([](const Mapping &) { return false; });
    EXPECT_GT(steps, LeastTiles::mostSteps - 1000);
    // Without steps nothing is said.
    steps = 0;
    LeastTiles none(*space, weights, rules, true, steps);
    EXPECT_FALSE(none.forEach([](const Mapping &) { return true; }));
    return isAll;
  };
  int64_t bits = 7 * (space->tensors[0].bits + space->tensors[1].bits);
  EXPECT_FALSE(isEmpty(bits));
  EXPECT_TRUE(isEmpty(bits - 1));
  // Where the outermost memory has few loops, the next one has the least that these leave: 101
  // passes over 99011 values.
  rules[0].factors[0] = {false, {2, 101}};
  rules[1].factors[0] = {true, {}};
  bits = 99011 * (space->tensors[0].bits + space->tensors[1].bits);
  EXPECT_FALSE(isEmpty(bits));
  EXPECT_TRUE(isEmpty(bits - 1));
}
