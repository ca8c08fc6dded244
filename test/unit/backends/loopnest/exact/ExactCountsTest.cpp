// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Three ways to the same integers: sets of isl, the closed form, and execution.
#include "backends/loopnest/exact/ExactCounts.h"
#include "backends/loopnest/analysis/Enumeration.h"
#include "test/unit/Rounds.h"
#include "test/unit/backends/loopnest/analysis/Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

/// What the nests of a test have had among them.
struct Seen {
  unsigned compared = 0, closed = 0, arrays = 0, bypassed = 0, ragged = 0, holes = 0, dilated = 0,
           windows = 0, coupled = 0, peaks = 0, readBacks = 0;
  void note(const Nest &nest, const FlatNest &flat, const Counts &counts);
};

} // namespace

static bool isRagged(const Nest &nest, const FlatNest &flat) {
  std::vector<int64_t> cover(nest.dims.size(), 1);
  for (const std::vector<FlatLoop> *list : {&flat.temporal, &flat.parallel})
    for (const FlatLoop &loop : *list)
      cover[loop.drives.front().dim] *= loop.factor;
  for (size_t d = 0; d < cover.size(); ++d)
    if (cover[d] != nest.dims[d].size)
      return true;
  return false;
}

void Seen::note(const Nest &nest, const FlatNest &flat, const Counts &counts) {
  ++compared;
  arrays += !flat.parallel.empty();
  ragged += isRagged(nest, flat);
  bypassed += llvm::any_of(flat.memories, [&](const Place *memory) {
    return memory->keep.size() < nest.tensors.size();
  });
  auto ranks = [&](auto test) {
    return llvm::any_of(nest.tensors,
                        [&](const Tensor &tensor) { return llvm::any_of(tensor.ranks, test); });
  };
  windows += ranks([](const Subscript &rank) { return rank.terms.size() > 1; });
  holes += ranks([](const Subscript &rank) {
    return llvm::all_of(rank.terms, [](const Term &term) { return term.coefficient > 1; });
  });
  dilated += ranks(
      [](const Subscript &rank) { return rank.terms.size() > 1 && rank.terms[1].coefficient > 1; });
  readBacks += llvm::any_of(counts.memories, [&](const MemoryCounts &memory) {
    return memory.tensors[flat.output] && memory.tensors[flat.output]->fills > 0;
  });
}

/// The counts by isl; what is not known of the largest amounts is taken from `known`.
static llvm::Optional<Counts> exactCounts(const FlatNest &flat, const Counts &known, bool withPeaks,
                                          Seen &seen) {
  ExactLimits limits;
  limits.walked = withPeaks ? limits.walked : -1;
  llvm::Optional<ExactCounts> exact = countExactly(flat, limits);
  if (!exact)
    return llvm::None;
  seen.peaks += exact->hasPeaks;
  if (exact->hasPeaks)
    return exact->counts;
  exact->counts.maxActiveLanes = known.maxActiveLanes;
  for (size_t m = 0; m < known.memories.size(); ++m) {
    MemoryCounts &memory = exact->counts.memories[m];
    memory.maxResident = known.memories[m].maxResident;
    memory.maxResidentBits = known.memories[m].maxResidentBits;
    for (size_t t = 0; t < memory.tensors.size(); ++t)
      if (memory.tensors[t])
        memory.tensors[t]->maxResident = known.memories[m].tensors[t]->maxResident;
  }
  return exact->counts;
}

/// Compares `number` nests of `make` that execution takes no more than `mostWork` for.
static Seen compareNests(unsigned seed, unsigned number, int64_t mostWork,
                         Nest (*make)(std::mt19937 &)) {
  std::mt19937 random(seed);
  Seen seen;
  while (seen.compared < rounds(number) && !testing::Test::HasFailure()) {
    Nest nest = make(random);
    setApart(nest, random);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(nest, errors);
    if (enumerationWork(*flat) > mostWork)
      continue;
    AnalysisOptions options;
    options.hops = false;
    AnalysisResult closed = analyse(nest, options);
    options.enumerate = true;
    AnalysisResult executed = analyse(nest, options);
    // What is largest takes a walk over all points: in every tenth nest.
    llvm::Optional<Counts> exact =
        exactCounts(*flat, *executed.counts, seen.compared % 10 == 0, seen);
    std::string where = "nest " + std::to_string(seen.compared);
    if (!exact) {
      ADD_FAILURE() << where << " is too large";
      break;
    }
    EXPECT_EQ(compare(nest, *exact, *executed.counts), "") << where << ", executed";
    EXPECT_EQ(compare(nest, *exact, *closed.counts), "") << where << ", closed";
    seen.note(nest, *flat, *exact);
    seen.closed += !closed.isExecuted;
    seen.coupled += !closed.coupled.empty();
  }
  return seen;
}

TEST(ExactCounts, EqualBothOtherFormsOnOps) {
  Seen seen = compareNests(1913, 1700, 150, randomNest);
  EXPECT_EQ(seen.closed, seen.compared);
  EXPECT_GE(seen.arrays, least(600));
  EXPECT_GE(seen.bypassed, least(1000));
  EXPECT_GE(seen.ragged, least(300));
  EXPECT_GE(seen.windows, least(400));
  EXPECT_GE(seen.dilated, least(200));
  EXPECT_GE(seen.readBacks, least(100));
  EXPECT_GE(seen.peaks, least(150));
}

TEST(ExactCounts, EqualBothOtherFormsOnCoupledSubscripts) {
  Seen seen = compareNests(2024, 1200, 100, randomCoupledNest);
  EXPECT_GE(seen.closed, least(900));
  EXPECT_GE(seen.coupled, least(300));
  EXPECT_GE(seen.arrays, least(350));
  EXPECT_GE(seen.ragged, least(150));
  EXPECT_GE(seen.holes, least(100));
  EXPECT_GE(seen.windows, least(900));
  EXPECT_GE(seen.readBacks, least(100));
}

TEST(ExactCounts, EqualBothOtherFormsOnWindowsThatWrite) {
  Seen seen = compareNests(7, 150, 300, randomScatterNest);
  EXPECT_EQ(seen.windows, seen.compared);
  EXPECT_GE(seen.arrays, least(50));
}

TEST(ExactCounts, EqualBothOtherFormsOnReductionsOverLanes) {
  Seen seen = compareNests(41, 80, 400, randomReductionNest);
  EXPECT_GE(seen.arrays, least(50));
  EXPECT_GE(seen.ragged, least(40));
  EXPECT_GE(seen.readBacks, least(10));
}

/// In the second half of k, one lane is idle: it keeps Z[1] until M1 turns to Z[0].
TEST(ExactCounts, TakeFromIdleInstancesWhatTheParentGivesUp) {
  Nest nest = parseNest(R"({"dims": {"i": 2, "k": 3},
    "tensors": {"A": [{"i": 1}, {"k": 1}], "Z": [{"i": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M0", "keep": ["A", "Z"]}, {"memory": "M1", "keep": ["Z"]},
                  {"array": "P", "axes": {"x": 2}}, {"memory": "M2", "keep": ["Z"]}],
    "mapping": {"M0": [["k", 2], ["i", 2]], "P": [["k", 2, "x"]]}})");
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  llvm::Optional<ExactCounts> exact = countExactly(*flat);
  ASSERT_TRUE(exact && exact->hasPeaks);
  EXPECT_EQ(compare(nest, exact->counts, *enumerate(*flat, false, false, errors)), "");
  const TensorCounts &z = *exact->counts.memories[1].tensors[1];
  EXPECT_EQ(z.updates.separate, 6); // two lanes with two, then one with two
  EXPECT_EQ(z.updates.shared, 4);
}

/// Cases whose counts come from an execution that was written apart from this program.
TEST(ExactCounts, EqualTheBruteForce) {
  unsigned compared = 0;
  std::vector<std::string> files = fixtures();
  for (size_t i = 0; i < files.size(); i += 5) {
    Fixture fixture = readFixture(files[i]);
    std::vector<AnalysisError> errors;
    llvm::Optional<FlatNest> flat = flatten(fixture.nest, errors);
    ASSERT_TRUE(flat) << files[i];
    if (enumerationWork(*flat) > 1500)
      continue;
    llvm::Optional<ExactCounts> exact = countExactly(*flat);
    ASSERT_TRUE(exact && exact->hasPeaks) << files[i];
    for (const std::string &line : differences(fixture.expected, fixture.nest, exact->counts))
      if (!llvm::StringRef(line).startswith("arrays.")) // hops, which are not counted here
        ADD_FAILURE() << files[i] << ": " << line;
    ++compared;
  }
  EXPECT_GE(compared, 20u);
}

/// Two lanes add to the same sums: of k = 4 products, each step brings two, reduced on the way.
/// Z enters L from zero for each of 3 i and leaves once; of the two updates of each, the second
/// meets a sum. A moves once; B of 4 words comes again for each i.
TEST(ExactCounts, FollowTheDefinitions) {
  Nest nest = parseNest(R"({"dims": {"i": 3, "k": 4},
    "tensors": {"A": [{"i": 1}, {"k": 1}], "B": [{"k": 1}], "Z": [{"i": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["A", "B", "Z"]}, {"memory": "L", "keep": ["A", "Z"]},
                  {"array": "P", "axes": {"x": 2}}],
    "mapping": {"M": [["i", 3]], "L": [["k", 2]], "P": [["k", 2, "x"]]}})");
  std::vector<AnalysisError> errors;
  llvm::Optional<ExactCounts> exact = countExactly(*flatten(nest, errors));
  ASSERT_TRUE(exact && exact->hasPeaks);
  const Counts &counts = exact->counts;
  EXPECT_EQ(counts.macs, 12);
  EXPECT_EQ(counts.steps, 6);
  EXPECT_EQ(counts.maxActiveLanes, 2);
  const TensorCounts &a = *counts.memories[1].tensors[0], &z = *counts.memories[1].tensors[2];
  EXPECT_EQ(a.fills, 12);
  EXPECT_EQ(a.reads.separate, 12);
  EXPECT_EQ(a.maxResident, 4);
  EXPECT_EQ(counts.memories[0].tensors[1]->reads.shared, 12);
  EXPECT_EQ(z.fills, 0);
  EXPECT_EQ(z.writebacks, 3);
  EXPECT_EQ(z.updates.shared, 6);
  EXPECT_EQ(z.updates.separate, 12);
  EXPECT_EQ(z.reads.shared, 3);
  EXPECT_EQ(z.reads.separate, 9);
  EXPECT_EQ(counts.memories[0].tensors[2]->updates.shared, 3);
  EXPECT_EQ(counts.memories[0].tensors[2]->reads.shared, 0);
  EXPECT_EQ(counts.memories[1].maxResident, 5);
}

/// Loops that drive two dimensions at once, and with a step of their own.
TEST(ExactCounts, ServeDiagonalLoops) {
  Nest nest = parseNest(R"({"dims": {"p": 6, "r": 3},
    "tensors": {"I": [{"p": 1, "r": 1}], "O": [{"p": 1}], "W": [{"r": 1}]}, "output": "O",
    "hierarchy": [{"memory": "M", "keep": ["I", "O", "W"]}, {"array": "P", "axes": {"x": 3}},
                  {"memory": "L", "keep": ["I", "W"]}],
    "mapping": {"M": [["p", 6]], "P": [[[{"dim": "p", "step": -1}, "r"], 3, "x"]]}})");
  std::vector<AnalysisError> errors;
  llvm::Optional<FlatNest> flat = flatten(nest, errors);
  ASSERT_TRUE(flat);
  llvm::Optional<ExactCounts> exact = countExactly(*flat);
  ASSERT_TRUE(exact);
  llvm::Optional<Counts> executed = enumerate(*flat, false, false, errors);
  EXPECT_EQ(compare(nest, exact->counts, *executed), "");
  EXPECT_EQ(exact->counts.macs, 15); // 18 less those at p < 0
}

/// 2^36 points: what varies freely is multiplied, not walked over.
TEST(ExactCounts, NeedNotWalkOverLargeNests) {
  Nest nest = parseNest(R"({"dims": {"m": 4096, "n": 4096, "k": 4096},
    "tensors": {"A": [{"m": 1}, {"k": 1}], "B": [{"k": 1}, {"n": 1}], "Z": [{"m": 1}, {"n": 1}]},
    "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["A", "B", "Z"]}, {"memory": "L", "keep": ["A", "B", "Z"]},
                  {"array": "P", "axes": {"x": 16, "y": 16}}, {"memory": "R", "keep": ["B", "Z"]}],
    "mapping": {"M": [["m", 32], ["n", 16], ["k", 64]], "L": [["m", 8], ["n", 16], ["k", 64]],
                "P": [["m", 16, "x"], ["n", 16, "y"]]}})");
  std::vector<AnalysisError> errors;
  llvm::Optional<ExactCounts> exact = countExactly(*flatten(nest, errors));
  ASSERT_TRUE(exact);
  EXPECT_FALSE(exact->hasPeaks);
  EXPECT_EQ(exact->counts.macs, int64_t(1) << 36);
  AnalysisOptions options;
  options.hops = false;
  const Counts counts = *analyse(nest, options).counts;
  EXPECT_TRUE(disagreements(nest, *exact, counts).empty());
}

TEST(ExactCounts, EndWhenTheNestIsTooLarge) {
  std::mt19937 random(5);
  Nest nest = randomCoupledNest(random);
  std::vector<AnalysisError> errors;
  ExactLimits limits;
  limits.operations = 1000;
  EXPECT_FALSE(countExactly(*flatten(nest, errors), limits));
}

TEST(ExactCounts, NameEachFigureThatDiffers) {
  Nest nest = parseNest(R"({"dims": {"i": 4}, "tensors": {"A": [{"i": 1}], "Z": [{"i": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M", "keep": ["A", "Z"]}, {"memory": "L", "keep": ["A"]}],
    "mapping": {"M": [["i", 4]]}})");
  std::vector<AnalysisError> errors;
  ExactCounts exact = *countExactly(*flatten(nest, errors));
  Counts wrong = exact.counts;
  EXPECT_TRUE(disagreements(nest, exact, wrong).empty());
  ++wrong.memories[1].tensors[0]->fills;
  ++wrong.memories[1].tensors[0]->maxResident;
  EXPECT_EQ(disagreements(nest, exact, wrong),
            (std::vector<std::string>{"L.A.fills: 5, not 4", "L.A.max_resident: 2, not 1"}));
  exact.hasPeaks = false;
  EXPECT_EQ(disagreements(nest, exact, wrong), std::vector<std::string>{"L.A.fills: 5, not 4"});
}
