// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/Reuse.h"
#include "test/unit/Rounds.h"
#include "test/unit/backends/loopnest/analysis/Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// What the loops bring adds up to what the reuse analysis counts.
TEST(Reuse, LoopsAddUpToTheFills) {
  std::mt19937 random(5);
  unsigned compared = 0, halos = 0, stays = 0, alike = 0;
  for (unsigned round = 0; round < rounds(30); ++round) {
    Nest nest = round % 3 ? randomNest(random) : randomCoupledNest(random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    AnalysisResult result = analyse(nest);
    if (!flat || !result.counts)
      continue;
    for (unsigned level = 1; level < flat->lanes(); ++level)
      for (unsigned tensor = 0; tensor < nest.tensors.size(); ++tensor) {
        if (!flat->levels[level].keeps[tensor])
          continue;
        llvm::Optional<Reuse> reuse = reuseOf(*flat, level, tensor);
        if (!reuse)
          continue;
        int64_t sum = reuse->first;
        for (const LoopReuse &loop : reuse->loops) {
          EXPECT_LE(loop.anew, loop.words);
          sum += loop.anew;
          halos += loop.anew > 0 && loop.anew < loop.words;
          stays += loop.anew == 0 && loop.words > 0;
        }
        EXPECT_EQ(sum, reuse->entering) << "round " << round;
        const TensorCounts &counts = *result.counts->memories[level].tensors[tensor];
        EXPECT_EQ(reuse->entering, tensor == flat->output ? counts.writebacks : counts.fills);
        for (const LaneReuse &lanes : reuse->to)
          alike += lanes.alike > 0;
        ++compared;
      }
  }
  EXPECT_GE(compared, least(40));
  EXPECT_GE(halos, least(5));
  EXPECT_GE(stays, least(5));
  EXPECT_GE(alike, least(5));
}

/// A window of 3 over 8 positions, 2 at a time, on 2 lanes that take rows of W each.
TEST(Reuse, TellsHalosFromWhatStaysAndWhatIsShared) {
  Nest nest = parseNest(R"({"dims": {"k": 4, "p": 8, "r": 3},
    "tensors": {"I": [{"p": 1, "r": 1}], "W": [{"k": 1}, {"r": 1}], "O": [{"k": 1}, {"p": 1}]},
    "output": "O",
    "hierarchy": [{"memory": "M", "keep": ["I", "W", "O"]}, {"memory": "L", "keep": ["I", "W", "O"]},
                  {"array": "PE", "axes": {"x": 2}}],
    "mapping": {"M": [["k", 2], ["p", 4]], "L": [["p", 2], ["r", 3]], "PE": [["k", 2, "x"]]}})");
  std::vector<AnalysisError> errors;
  FlatNest flat = *flatten(nest, errors);
  Reuse image = *reuseOf(flat, 1, 0);
  EXPECT_EQ(image.tile, "{ [k, p] -> I[o0] : 2p <= o0 <= 3 + 2p }");
  EXPECT_EQ(image.first, 4);
  ASSERT_EQ(image.loops.size(), 2u);
  EXPECT_EQ(image.loops[0].loop, "k = 2 at M");
  EXPECT_EQ(image.loops[0].anew, 4); // back to the first tile
  EXPECT_EQ(image.loops[1].steps, 6);
  EXPECT_EQ(image.loops[1].words, 24);
  EXPECT_EQ(image.loops[1].anew, 12); // a halo of 2
  ASSERT_EQ(image.to.size(), 1u);
  EXPECT_EQ(image.to[0].alike, image.to[0].words); // multicast
  EXPECT_TRUE(image.to[0].isOne);
  Reuse weights = *reuseOf(flat, 1, 2);
  EXPECT_EQ(weights.loops[0].anew, weights.loops[0].words);
  EXPECT_EQ(weights.loops[1].anew, 0); // stays
  EXPECT_EQ(weights.to[0].alike, 0);
}
