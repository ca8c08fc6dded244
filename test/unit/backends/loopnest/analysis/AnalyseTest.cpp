// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

/// ResNet-50's first layer, row stationary on 14 x 12 elements.
static const char *const firstLayer = R"({
  "dims": {"m": 64, "c": 3, "p": 112, "q": 112, "r": 7, "s": 7, "n": 1},
  "tensors": {"I": [{"n": 1}, {"c": 1}, {"p": 2, "r": 1}, {"q": 2, "s": 1}],
              "O": [{"n": 1}, {"m": 1}, {"p": 1}, {"q": 1}],
              "W": [{"m": 1}, {"c": 1}, {"r": 1}, {"s": 1}]},
  "output": "O",
  "hierarchy": [{"memory": "DRAM", "keep": ["I", "W", "O"]}, {"memory": "GLB", "keep": ["I", "O"]},
                {"array": "PE", "axes": {"x": 14, "y": 12}, "reduce": ["y"]},
                {"memory": "WSpad", "keep": ["W"]}, {"memory": "ISpad", "keep": ["I"]},
                {"memory": "PSpad", "keep": ["O"]}],
  "mapping": {"DRAM": [["m", 4], ["p", 14], ["c", 3]], "GLB": [["p", 8], ["q", 8]],
              "PE": [["q", 14, "x"], ["r", 7, "y"]], "PSpad": [["m", 16], ["s", 7]]}})";

static Counts closed(const Nest &nest) {
  AnalysisResult result = analyse(nest);
  EXPECT_TRUE(result.counts) << (result.errors.empty() ? "" : result.errors.front().message());
  return result.counts.getValueOr(Counts());
}

TEST(Analyse, FirstLayerRowStationary) {
  Counts counts = closed(parseNest(firstLayer));
  ASSERT_EQ(counts.form, AnalysisForm::Closed);
  EXPECT_EQ(counts.steps, 1204224);
  EXPECT_EQ(counts.macs, 118013952);
  EXPECT_EQ(counts.maxActiveLanes, 98);
  const MemoryCounts &glb = counts.memories[1], &pspad = counts.memories[4];
  EXPECT_EQ(glb.maxResident, 19145);
  EXPECT_EQ(glb.tensors[0]->fills, 807912);
  EXPECT_EQ(glb.tensors[0]->reads.shared, 2483712);
  EXPECT_EQ(glb.tensors[1]->writebacks, 802816);
  EXPECT_EQ(counts.memories[2].tensors[2]->fills, 1843968);
  EXPECT_EQ(counts.memories[3].tensors[0]->fills, 7375872);
  EXPECT_EQ(pspad.tensors[1]->fills, 1605632);
  EXPECT_EQ(pspad.tensors[1]->reads.shared, 102760448);
  EXPECT_EQ(pspad.tensors[1]->writebacks, 16859136);
  EXPECT_EQ(pspad.tensors[1]->updates.separate, 118013952);
}

/// Two words to a 3 x 3 array: each takes 2 links along x, then the 2 of each of 3 columns.
TEST(Analyse, HopsOfABroadcast) {
  Nest nest = parseNest(R"({"dims": {"a": 9, "t": 2}, "tensors": {"X": [{"t": 1}],
    "Z": [{"a": 1}, {"t": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["X", "Z"]}, {"array": "P", "axes": {"x": 3, "y": 3}}],
    "mapping": {"M": [["t", 2]], "P": [["a", 3, "x"], ["a", 3, "y"]]}})");
  Counts counts = closed(nest);
  ASSERT_TRUE(counts.arrays[0].hops[0]);
  EXPECT_EQ(counts.arrays[0].hops[0]->shared, 2 * (2 + 3 * 2));
  EXPECT_EQ(counts.arrays[0].hops[0]->separate, 2 * (3 * (0 + 1 + 2) + 3 * (1 + 0 + 1)));
  EXPECT_EQ(counts.arrays[0].hops[1]->shared, counts.arrays[0].hops[1]->separate);
}

TEST(Analyse, PointwiseOutputIsWrittenOnceAndNeverRead) {
  Nest nest = parseNest(R"({"dims": {"e": 802816}, "tensors": {"X": [{"e": 1}], "Y": [{"e": 1}],
    "Z": [{"e": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["X", "Y", "Z"]}, {"memory": "L", "keep": ["Z"]},
                  {"array": "P"}],
    "mapping": {"M": [["e", 4987]], "L": [["e", 1]], "P": [["e", 161]]}})");
  Counts counts = closed(nest);
  EXPECT_EQ(counts.steps, 4987); // ceil(802816 / 161)
  EXPECT_EQ(counts.memories[0].tensors[2]->updates.separate, 802816);
  EXPECT_EQ(counts.memories[0].tensors[2]->reads.shared, 0);
  EXPECT_EQ(counts.memories[1].tensors[2]->reads.shared, 0);
  EXPECT_EQ(counts.memories[0].tensors[0]->reads.separate, 802816);
}

TEST(Analyse, ScalarsHaveOneElement) {
  Counts counts = closed(parseNest(R"({"dims": {}, "tensors": {"X": [], "Z": []}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["X", "Z"]}, {"memory": "L", "keep": ["X", "Z"]}],
    "mapping": {}})"));
  EXPECT_EQ(counts.macs, 1);
  EXPECT_EQ(counts.steps, 1);
  EXPECT_EQ(counts.memories[1].tensors[0]->fills, 1);
  EXPECT_EQ(counts.memories[1].tensors[1]->writebacks, 1);
}

/// 4 outputs of a 3-tap filter over 4 elements with one element of padding on each side.
TEST(Analyse, PaddingIsNeitherReadNorHeld) {
  Counts counts = closed(parseNest(R"({"dims": {"p": 4, "r": 3},
    "tensors": {"I": [{"p": 1, "r": 1, "1": -1}], "O": [{"p": 1}]}, "extents": {"I": [4]},
    "output": "O", "hierarchy": [{"memory": "M", "keep": ["I", "O"]},
    {"memory": "L", "keep": ["I", "O"]}], "mapping": {"M": [["p", 4]], "L": [["r", 3]]}})"));
  EXPECT_EQ(counts.macs, 12);
  EXPECT_EQ(counts.memories[1].tensors[0]->fills, 4);
  EXPECT_EQ(counts.memories[1].tensors[0]->reads.separate, 10);
  EXPECT_EQ(counts.memories[1].tensors[0]->maxResident, 3);
  EXPECT_EQ(counts.memories[0].tensors[0]->maxResident, 4);
}

/// Lane l works on (p, r) = (l, l): three of nine points, one step.
TEST(Analyse, LoopsThatDriveTwoDimensionsFollowTheDiagonal) {
  Counts counts = closed(parseNest(R"({"dims": {"p": 3, "r": 3},
    "tensors": {"I": [{"p": 1, "r": 1}], "O": [{"p": 1}]}, "output": "O",
    "hierarchy": [{"memory": "M", "keep": ["I", "O"]}, {"array": "P", "axes": {"x": 3}}],
    "mapping": {"P": [[["p", "r"], 3, "x"]]}})"));
  EXPECT_EQ(counts.form, AnalysisForm::Enumerated);
  EXPECT_EQ(counts.macs, 3);
  EXPECT_EQ(counts.steps, 1);
  EXPECT_EQ(counts.memories[0].tensors[0]->reads.shared, 3);
}

/// Words enter in the middle of the third axis: to the one lane in use there are 2 links, which
/// only the execution counts.
TEST(Analyse, WordsCrossAThirdAxisToItsOneLane) {
  Nest nest = parseNest(R"({"dims": {"i": 2}, "tensors": {"A": [{"i": 1}], "Z": [{"i": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M", "keep": ["A", "Z"]},
    {"array": "P", "axes": {"x": 2, "y": 1, "z": 5}}], "mapping": {"P": [["i", 2, "x"]]}})");
  AnalysisResult result = analyse(nest);
  ASSERT_TRUE(result.counts && result.counts->arrays[0].hops[0]);
  EXPECT_EQ(result.counts->arrays[0].hops[0]->separate, 2 + 3);
  AnalysisOptions options;
  options.hopWorkLimit = 0;
  result = analyse(nest, options);
  ASSERT_TRUE(result.counts);
  EXPECT_FALSE(result.counts->arrays[0].hops[0]);
}

static std::string firstError(llvm::StringRef text, AnalysisOptions options = {}) {
  AnalysisResult result = analyse(parseNest(text), options);
  EXPECT_FALSE(result.counts);
  return result.errors.empty() ? "" : result.errors.front().message();
}

static std::string matrix(const std::string &dims, const std::string &top,
                          const std::string &array) {
  return "{\"dims\": " + dims + R"(, "tensors": {"A": [{"m": 1}, {"k": 1}], "Z": [{"m": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M", "keep": ["A", "Z"]},
    {"array": "P", "axes": {"x": 4}}], "mapping": {"M": )" +
         top + ", \"P\": " + array + "}}";
}

TEST(Analyse, ErrorsNameWhatIsWrong) {
  EXPECT_EQ(firstError(matrix(R"({"m": 64, "k": 1})", R"([["m", 15]])", R"([["m", 4]])")),
            "loop m covers 60 of 64");
  EXPECT_EQ(firstError(matrix(R"({"m": 64, "k": 1})", R"([["m", 18]])", R"([["m", 4]])")),
            "the last pass of the outermost loop m starts at 68 of 64");
  EXPECT_EQ(firstError(matrix(R"({"m": 5, "k": 1})", "[]", R"([["m", 5]])")),
            "loops use 5 positions of axis x of P, which has 4");
  EXPECT_EQ(firstError(matrix(R"({"m": 0, "k": 1})", "[]", "[]")), "m has size 0");
  EXPECT_EQ(firstError(matrix(R"({"m": 2, "k": 1})", R"([["m", 0]])", "[]")),
            "loop m at M has factor 0");
  EXPECT_EQ(firstError(matrix(R"({"m": 2, "k": 2})", R"([[["m", "k"], 2]])", "[]")),
            "a loop at memory M drives several dimensions");
  EXPECT_EQ(firstError(matrix(R"({"m": 4294967296, "k": 4294967296})",
                              R"([["m", 4294967296], ["k", 4294967296]])", "[]")),
            "the points do not fit in 64 bits");
}

TEST(Analyse, SeveralErrorsAreReportedAtOnce) {
  Nest nest = parseNest(matrix(R"({"m": 9, "k": 9})", R"([["m", 2]])", "[]"));
  EXPECT_EQ(analyse(nest).errors.size(), 2u);
}

TEST(Analyse, TooMuchWorkWithoutAClosedFormIsAnError) {
  std::string text = R"({"dims": {"p": 100000, "q": 100000}, "tensors": {"A": [{"p": 1}, {"q": 1}],
    "Z": [{"p": 1, "q": 1}]}, "output": "Z", "hierarchy": [{"memory": "M", "keep": ["A", "Z"]},
    {"array": "P", "axes": {"x": 4}}, {"memory": "R", "keep": ["Z"]}],
    "mapping": {"M": [["p", 25000], ["q", 100000]], "P": [["p", 4, "x"]]}})";
  EXPECT_EQ(firstError(text),
            "no closed form, and 30000000000 points are too many to enumerate (at most 8388608)");
}

static Counts largeCounts(const std::string &ranks) {
  return closed(parseNest(R"({"dims": {"i": 100000, "j": 100000, "k": 10}, "tensors": {"A": )" +
                          ranks + R"(, "Z": [{"i": 1}]}, "output": "Z",
    "hierarchy": [{"memory": "M", "keep": ["A", "Z"]}, {"memory": "B", "keep": ["A", "Z"]}],
    "mapping": {"M": [["i", 1000], ["j", 1000], ["k", 10]], "B": [["i", 100], ["j", 100]]}})"));
}

/// Both subscripts together tell all points apart, so that tiles never overlap.
TEST(Analyse, SkewedSubscriptsCountLikeThoseWithoutSkew) {
  Counts skewed = largeCounts(R"([{"i": 1, "j": 1}, {"j": 1}])");
  Counts plain = largeCounts(R"([{"i": 1}, {"j": 1}])");
  EXPECT_EQ(skewed.memories[1].tensors[0]->fills, int64_t(100000) * 100000);
  EXPECT_EQ(skewed.memories[1].tensors[0]->maxResident, 10000);
  EXPECT_EQ(skewed.memories[1].tensors[0]->fills, plain.memories[1].tensors[0]->fills);
  EXPECT_EQ(skewed.memories[0].tensors[0]->reads, plain.memories[0].tensors[0]->reads);
}

/// A tile of i + j, j + k at one k has 100 rows of 100. When k advances, each row that stays moves
/// by one: 10,000 - 99 * 99 are new. When j does, from the last k, nine rows overlap in 91
/// elements.
TEST(Analyse, LargeCoupledTilesAreCountedByClass) {
  Counts counts = largeCounts(R"([{"i": 1, "j": 1}, {"j": 1, "k": 1}])");
  EXPECT_EQ(counts.form, AnalysisForm::Closed);
  EXPECT_EQ(counts.memories[1].tensors[0]->maxResident, 10000);
  EXPECT_EQ(counts.memories[1].tensors[0]->fills,
            int64_t(1000) * (10000 + 999 * (10000 - 9 * 91) + 1000 * 9 * 199));
}

TEST(Analyse, StructureIsChecked) {
  Nest nest = parseNest(firstLayer);
  nest.tensors[0].isOutput = true;
  nest.places[0].keep.pop_back();
  std::vector<AnalysisError> errors = validate(nest);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].message(), "2 tensors are outputs, one is needed");
  EXPECT_EQ(errors[1].kind, AnalysisErrorKind::OuterKeep);
  nest.places.erase(nest.places.begin(), nest.places.end());
  EXPECT_EQ(validate(nest).back().kind, AnalysisErrorKind::NoMemory);
}
