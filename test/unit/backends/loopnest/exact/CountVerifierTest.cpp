// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "backends/loopnest/exact/CountVerifier.h"
#include "backends/loopnest/analysis/Analyse.h"
#include "ir/common/diagnostics/Hardware.h"
#include "test/unit/backends/loopnest/analysis/Nests.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::loopnest;

namespace {

class CountVerifierTest : public testing::Test {
protected:
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  SourceRange place{sources.add("nest.perf", "mapping m { }"), 0, 7};
  Nest nest = parseNest(R"({"dims": {"i": 4}, "tensors": {"A": [{"i": 1}], "Z": [{"i": 1}]},
    "output": "Z", "hierarchy": [{"memory": "M", "keep": ["A", "Z"]}, {"memory": "L", "keep": ["A"]}],
    "mapping": {"M": [["i", 4]]}})");
};

} // namespace

TEST_F(CountVerifierTest, ReportsADifferenceWhereTheNestStands) {
  Counts counts = *analyse(nest).counts;
  CountVerifier verifier;
  EXPECT_TRUE(verifier.verify(nest, counts, place, diagnostics));
  EXPECT_TRUE(diagnostics.all().empty());
  ++counts.memories[1].tensors[0]->fills;
  --counts.steps;
  EXPECT_FALSE(verifier.verify(nest, counts, place, diagnostics));
  ASSERT_EQ(diagnostics.all().size(), 1u);
  const Diagnostic &report = diagnostics.all().front();
  EXPECT_EQ(report.kind->code, diag::CountsDiffer.code);
  EXPECT_EQ(report.message, "isl counts this nest otherwise: L.A.fills: 5, not 4; steps: 3, not 4");
  EXPECT_EQ(report.range, place);
  VerifiedNests found = verifier.takeFound();
  EXPECT_EQ(found.nests, 2);
  EXPECT_EQ(found.equal, 1);
  EXPECT_EQ(found.tooLarge, 0);
  EXPECT_EQ(verifier.takeFound().nests, 0);
}

TEST_F(CountVerifierTest, LetsLargeNestsPassAndSaysSo) {
  ExactLimits limits;
  limits.operations = 1;
  CountVerifier verifier(limits);
  Counts wrong = *analyse(nest).counts;
  wrong.steps = 0;
  EXPECT_TRUE(verifier.verify(nest, wrong, place, diagnostics));
  VerifiedNests found = verifier.takeFound();
  EXPECT_EQ(found.nests, 1);
  EXPECT_EQ(found.equal, 0);
  EXPECT_EQ(found.tooLarge, 1);
}
