// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits that are not made again add what they would have added.
#include "backends/loopnest/timeloop/Analysis.h"
#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::timeloop;

static unsigned below(std::mt19937 &random, unsigned count) {
  return static_cast<unsigned>(random() % count);
}

/// O[m, p] += I[c, p + r] * F[m, c, r] on three memories, with lanes below each: primes anywhere,
/// loops in any order, and flags at random.
static Input randomInput(std::mt19937 &random) {
  Input input;
  input.problem.dims = {"C", "M", "R", "P"};
  input.problem.bounds = {16, 12, 4, 24};
  input.problem.spaces = {{"F", {{{1}}, {{0}}, {{2}}}},
                          {"I", {{{0}}, {{3, below(random, 2) + 1}, {2}}}},
                          {"O", {{{1}}, {{3}}}, true}};
  Level level;
  level.name = "MAC";
  level.meshX = 16;
  level.meshY = 64;
  level.instances = 1024;
  input.compute = level;
  for (int64_t mesh : {8, 2, 1}) {
    level.name = "M" + std::to_string(mesh);
    level.meshX = mesh;
    level.meshY = 4 * mesh;
    level.instances = 4 * mesh * mesh;
    input.memories.push_back(level);
  }
  input.memories.back().meshY = input.memories.back().instances = 1;
  input.placements = emptyPlacements(input);
  for (Placement &placement : input.placements) {
    for (Nest *nest : {&placement.temporal, &placement.spatial}) {
      nest->given = true;
      std::shuffle(nest->order.begin(), nest->order.end(), random);
      nest->split = below(random, 5);
    }
    for (unsigned space = 0; space < 3; ++space) {
      placement.noTemporalReuse[space] = below(random, 6) == 0;
      placement.noMulticast[space] = below(random, 4) == 0;
      placement.noLinks[space] = below(random, 2) == 0;
    }
  }
  auto fits = [&](const Nest &nest, unsigned memory) {
    const Level &child = input.level(memory), &own = input.memories[memory];
    int64_t x = 1, y = 1;
    for (unsigned place = 0; place < 4; ++place)
      (place < nest.split ? x : y) *= nest.factors[nest.order[place]].end;
    return x <= child.meshX / own.meshX && y <= child.meshY / own.meshY;
  };
  for (unsigned dim = 0; dim < 4; ++dim)
    for (int64_t rest = input.problem.bounds[dim]; rest > 1;) {
      int64_t prime = rest % 2 == 0 ? 2 : 3;
      unsigned memory = below(random, 3);
      bool isSpatial = below(random, 3) == 0;
      Placement &placement = input.placements[memory];
      Nest &nest = isSpatial ? placement.spatial : placement.temporal;
      nest.factors[dim].end *= prime;
      if (isSpatial && !fits(nest, memory)) {
        nest.factors[dim].end /= prime;
        continue;
      }
      nest.factors[dim].residual = nest.factors[dim].end;
      rest /= prime;
    }
  return input;
}

TEST(Analysis, RememberedVisitsAddTheSame) {
  std::mt19937 random(7);
  SourceManager sources;
  unsigned linked = 0, large = 0;
  for (unsigned i = 0; i < 300; ++i) {
    Input input = randomInput(random);
    DiagnosticEngine diagnostics(sources);
    ASSERT_TRUE(checkInput(input, diagnostics));
    LoopList list(input);
    auto once = analyse(input, list, diagnostics), again = analyse(input, list, diagnostics, false);
    ASSERT_TRUE(once && again);
    EXPECT_EQ(once->computes, again->computes);
    for (unsigned memory = 0; memory < 3; ++memory)
      for (unsigned space = 0; space < 3; ++space) {
        const Traffic &a = once->traffic[memory][space], &b = again->traffic[memory][space];
        EXPECT_EQ(a.tileSize, b.tileSize);
        EXPECT_EQ(a.senderSize, b.senderSize);
        EXPECT_EQ(a.links, b.links);
        ASSERT_EQ(a.histogram.size(), b.histogram.size()) << "input " << i;
        for (const auto &[key, sent] : b.histogram) {
          ASSERT_TRUE(a.histogram.count(key)) << "input " << i;
          EXPECT_EQ(a.histogram.at(key).words, sent.words) << "input " << i;
          EXPECT_EQ(a.histogram.at(key).hops, sent.hops) << "input " << i;
        }
        linked += b.links > 0;
      }
    large += list.loops.size() > 9;
  }
  EXPECT_GT(linked, 50U);
  EXPECT_GT(large, 50U);
}
