// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ways to deal lanes to axes that are left out cost no less than one that is listed.
#include "backends/loopnest/search/LaneSplits.h"
#include "Spaces.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// The slots of the first array that has two axes; the same twice when there is none.
static std::pair<unsigned, unsigned> firstArray(const MapSpace &space) {
  for (unsigned s = 0; s + 1 < space.slots.size(); ++s)
    if (space.slots[s].isAxis && space.slots[s + 1].isAxis &&
        space.slots[s].number == space.slots[s + 1].number)
      return {s, s + 2};
  return {0, 0};
}

TEST(LaneSplits, ListAWayThatIsNoWorse) {
  std::mt19937 random(31);
  unsigned leftOut = 0, differ = 0;
  for (unsigned i = 0; i < 3000 && leftOut < 400; ++i) {
    llvm::Optional<MapSpace> space = i % 3 ? randomSpace(random) : symmetricSpace(random);
    if (!space)
      continue;
    auto [begin, end] = firstArray(*space);
    if (begin == end || end - begin > 2)
      continue;
    for (unsigned s = begin; s < end; ++s) {
      space->slots[s].multicast = random() % 2;
      space->slots[s].reduce = random() % 2;
      space->nest.places[space->slots[s].place].axes[space->slots[s].axis].multicast =
          space->slots[s].multicast;
      space->nest.places[space->slots[s].place].axes[space->slots[s].axis].reduce =
          space->slots[s].reduce;
    }
    CostWeights weights = weightsOf(*space, random);
    freeLinks(weights);
    SlotRules rules = openRules(*space);
    TileGrid grid(*space);
    Symmetry symmetry(*space, rules);
    LaneSplits splits(*space, rules, grid, symmetry, begin, end, true);
    ASSERT_TRUE(splits.isComplete());
    MappingEvaluator evaluator(*space, weights);
    for (unsigned k = 0; k < 20; ++k) {
      Mapping mapping = randomMapping(*space, random);
      if (splits.contains(mapping))
        continue;
      ++leftOut;
      Score score = evaluator.evaluate(mapping);
      bool found = false;
      for (const LaneSplit &split : splits.all()) {
        Mapping other = mapping;
        bool same = true;
        for (unsigned d = 0; d < space->dims(); ++d) {
          int64_t lanes = 1;
          for (unsigned s = begin; s < end; ++s) {
            lanes *= mapping.factor[s][d];
            other.factor[s][d] = grid.value(d, split.factors[s - begin][d]);
          }
          same &= grid.value(d, split.lanes[d]) == lanes;
        }
        if (!same)
          continue;
        Score now = evaluator.evaluate(other);
        differ += now.energy != score.energy;
        found |= now.energy <= score.energy * (1 + 1e-12) && now.latency <= score.latency;
      }
      ASSERT_TRUE(found) << "space " << i;
    }
  }
  EXPECT_GT(leftOut, 300U);
  EXPECT_GT(differ, 50U);
}
