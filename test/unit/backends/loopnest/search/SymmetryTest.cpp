// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A mapping and its mirror image cost the same.
#include "backends/loopnest/search/Symmetry.h"
#include "Spaces.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static Mapping imageOf(const Symmetry &symmetry, const MapSpace &space, const Mapping &mapping) {
  Mapping result = mapping;
  for (unsigned s = 0; s < space.slots.size(); ++s)
    for (unsigned d = 0; d < space.dims(); ++d) {
      result.factor[s][symmetry.image(d)] = mapping.factor[s][d];
      result.order[s][d] = static_cast<uint8_t>(symmetry.image(mapping.order[s][d]));
    }
  return result;
}

TEST(Symmetry, LeavesCostsAsTheyWere) {
  std::mt19937 random(5);
  unsigned symmetric = 0, fitting = 0, moved = 0;
  for (unsigned i = 0; i < 600; ++i) {
    llvm::Optional<MapSpace> space = i % 2 ? symmetricSpace(random) : randomSpace(random);
    if (!space)
      continue;
    CostWeights weights = randomWeights(*space, random);
    Symmetry symmetry(*space, openRules(*space));
    symmetric += !symmetry.isTrivial();
    MappingEvaluator evaluator(*space, weights);
    for (unsigned k = 0; k < 20; ++k) {
      Mapping mapping = randomMapping(*space, random);
      Mapping image = imageOf(symmetry, *space, mapping);
      ASSERT_EQ(evaluator.fits(mapping), evaluator.fits(image));
      unsigned slots = space->slots.size();
      ASSERT_EQ(symmetry.compare(mapping, slots), -symmetry.compare(image, slots));
      Score score = evaluator.evaluate(mapping), other = evaluator.evaluate(image);
      ASSERT_NEAR(score.energy, other.energy, 1e-12 * score.energy) << "space " << i;
      ASSERT_DOUBLE_EQ(score.latency, other.latency) << "space " << i;
      fitting += evaluator.fits(mapping);
      moved += symmetry.compare(mapping, slots) != 0;
    }
  }
  EXPECT_GT(symmetric, 200U);
  EXPECT_GT(fitting, 1000U);
  EXPECT_GT(moved, 1000U);
}

/// Rows and columns of different sizes, strides or rules are not the same.
TEST(Symmetry, SeesWhatDiffers) {
  Nest nest = parseNest(R"({"dims": {"a": 4, "b": 4, "k": 4},
    "tensors": {"A": [{"a": 1}, {"b": 1}, {"k": 1}], "Z": [{"a": 1}, {"b": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M0", "keep": ["A", "Z"]}],
    "mapping": {"M0": [["a", 4], ["b", 4], ["k", 4]]}})");
  std::string reason;
  llvm::Optional<MapSpace> space = makeMapSpace(nest, reason);
  ASSERT_TRUE(space) << reason;
  SlotRules rules = openRules(*space);
  Symmetry open(*space, rules);
  ASSERT_FALSE(open.isTrivial());
  EXPECT_EQ(open.image(0u), 1u);
  EXPECT_EQ(open.image(1u), 0u);
  EXPECT_EQ(open.image(2u), 2u); // not in the result
  rules[0].factors[0].open = false;
  rules[0].factors[0].values = {1, 2};
  EXPECT_TRUE(Symmetry(*space, rules).isTrivial());
  rules[0].factors[1] = rules[0].factors[0];
  EXPECT_FALSE(Symmetry(*space, rules).isTrivial());
  rules[0].orderOpen = false;
  EXPECT_TRUE(Symmetry(*space, rules).isTrivial());
}
