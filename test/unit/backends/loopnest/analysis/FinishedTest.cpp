// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finished words and partial sums: the closed form and the enumeration against an execution that
// knows of every sum which points are in it, and so which update is an element's last.
#include "Nests.h"
#include "SumSimulation.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "backends/loopnest/analysis/PartialWords.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

static Nest withPartial(Nest nest, std::mt19937 &random) {
  for (Place &place : nest.places)
    if (place.kind == PlaceKind::Memory)
      place.partialBits = 24 + 8 * int64_t(random() % 4);
  return nest;
}

static std::string describe(const Nest &nest) {
  std::string text;
  for (const Dim &dim : nest.dims)
    text += dim.name + "=" + std::to_string(dim.size) + " ";
  for (const Place &place : nest.places) {
    text += "| " + place.name + (llvm::is_contained(place.keep, 2u) ? "*" : "") + ": ";
    for (const Loop &loop : place.loops)
      if (loop.factor > 1)
        text += nest.dims[loop.drives[0].dim].name + std::to_string(loop.factor) + " ";
  }
  return text;
}

static unsigned outputOf(const Nest &nest) {
  unsigned output = 0;
  while (!nest.tensors[output].isOutput)
    ++output;
  return output;
}

/// Compares the counts of `nest` with an execution; returns how many memories finish some elements
/// but not all.
static unsigned checkFinished(const Nest &nest, const Counts &counts) {
  unsigned mixed = 0, output = outputOf(nest);
  Simulation simulation(nest);
  simulation.run();
  EXPECT_EQ(counts.finishedPoints, simulation.finishedPoints) << describe(nest);
  int64_t all = simulation.memories.front().finished;
  for (const SimulatedMemory &expected : simulation.memories) {
    const TensorCounts &actual = *counts.memories[expected.position].tensors[output];
    EXPECT_EQ(actual.finished.getValueOr(-1), expected.finished) << describe(nest);
    EXPECT_EQ(actual.updates.shared, expected.updates) << describe(nest);
    EXPECT_EQ(actual.writebacks, expected.writebacks) << describe(nest);
    // As many words go up finished as are finished here, but where the result ends.
    EXPECT_EQ(&expected == &simulation.memories.front() ? 0 : expected.finished,
              expected.finishedWritebacks)
        << describe(nest);
    mixed += expected.finished > 0 && expected.finished < all;
  }
  return mixed;
}

TEST(Finished, EqualsExecution) {
  std::mt19937 random(41);
  unsigned compared = 0, mixed = 0;
  while (compared < rounds(2500)) {
    Nest nest =
        withPartial(compared % 2 ? randomReductionNest(random) : randomNest(random), random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 4000)
      continue;
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult closed = analyse(nest, options);
    ASSERT_TRUE(closed.counts);
    mixed += checkFinished(nest, *closed.counts);
    ASSERT_FALSE(HasFailure()) << "nest " << compared;
    ++compared;
  }
  EXPECT_GE(mixed, least(50));
}

TEST(Finished, ClosedFormEqualsEnumeration) {
  std::mt19937 random(97);
  unsigned compared = 0, withTransfers = 0;
  while (compared < rounds(4000)) {
    Nest nest =
        withPartial(compared % 4 ? randomReductionNest(random) : randomNest(random), random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    ASSERT_TRUE(flat) << errors.front().message();
    if (enumerationWork(*flat) > 20000)
      continue;
    AnalysisOptions options;
    options.hops = false;
    options.hopWorkLimit = 0;
    options.transfers.assign(nest.places.size(), true);
    AnalysisResult closed = analyse(nest, options);
    options.enumerate = true;
    AnalysisResult executed = analyse(nest, options);
    ASSERT_TRUE(closed.counts && executed.counts);
    ASSERT_EQ(closed.counts->form, AnalysisForm::Closed);
    ASSERT_EQ(compare(nest, *closed.counts, *executed.counts), "") << describe(nest);
    unsigned output = outputOf(nest);
    withTransfers += closed.counts->memories[0].tensors[output]->transfers.hasValue();
    for (size_t m = 0; m < closed.counts->memories.size(); ++m)
      if (const auto &counts = closed.counts->memories[m].tensors[output]) {
        ASSERT_EQ(*counts->finished, *executed.counts->memories[m].tensors[output]->finished)
            << describe(nest);
      }
    ++compared;
  }
  EXPECT_GE(withTransfers, least(1000));
}

TEST(Finished, NothingIsToldApartWithoutPartialBits) {
  std::mt19937 random(5);
  Nest nest = randomReductionNest(random);
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts);
  EXPECT_FALSE(result.counts->memories[0].tensors[outputOf(nest)]->finished);
}

/// 4 results, each the sum of 6 points, 2 at a time: the tile of a memory of one result at a time
/// is left after 3 steps and never comes back, so what goes out is finished.
TEST(Finished, ReductionInsideSendsFinishedWords) {
  Nest nest;
  nest.dims = {{"i", 4}, {"k", 6}};
  auto plain = [](unsigned dim) { return Subscript{{{dim, 1}}, 0, llvm::None}; };
  nest.tensors = {{"A", false, 8, {plain(0), plain(1)}}, {"Z", true, 8, {plain(0)}}};
  Place outer{PlaceKind::Memory, "DRAM", {0, 1}, {}, {}};
  outer.loops.push_back({{{0, llvm::None}}, 4, 0});
  Place inner{PlaceKind::Memory, "ACC", {1}, {}, {}};
  inner.loops.push_back({{{1, llvm::None}}, 3, 0});
  Place lanes{PlaceKind::Array, "PE", {}, {{"x", 2, true, true}}, {}};
  lanes.loops.push_back({{{1, llvm::None}}, 2, 0});
  outer.partialBits = inner.partialBits = 32;
  nest.places = {outer, inner, lanes};
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts);
  const TensorCounts &dram = *result.counts->memories[0].tensors[1];
  const TensorCounts &acc = *result.counts->memories[1].tensors[1];
  EXPECT_EQ(acc.updates.shared, 12);
  EXPECT_EQ(*acc.finished, 4);
  EXPECT_EQ(dram.updates.shared, 4);
  EXPECT_EQ(*dram.finished, 4);
  EXPECT_FALSE(dram.holdsPartial());
  EXPECT_TRUE(acc.holdsPartial());
  EXPECT_EQ(result.counts->memories[1].maxResidentBits, 32);
  EXPECT_EQ(result.counts->memories[0].maxResidentBits, 4 * 6 * 8 + 4 * 8);
}
