// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model on a small product whose counts follow by hand, and what it refuses.
#include "Inputs.h"

#include "ir/common/diagnostics/Timeloop.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::timeloop;

namespace {

class EvaluateTest : public ::testing::Test {
protected:
  Result evaluated(const Input &input) {
    llvm::Optional<Result> result = evaluate(input, diagnostics);
    EXPECT_TRUE(result.hasValue());
    return result ? *result : Result();
  }
  /// The kind of the only diagnostic of an input that is refused.
  const DiagnosticKind *refusal(const Input &input) {
    diagnostics.truncate(0);
    EXPECT_FALSE(evaluate(input, diagnostics));
    return diagnostics.all().size() == 1 ? diagnostics.all().front().kind : nullptr;
  }

  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
};

} // namespace

TEST_F(EvaluateTest, CountsOfASmallProduct) {
  Result result = evaluated(gemm());
  EXPECT_EQ(result.cycles, 128); // 512 products on 4 lanes
  EXPECT_EQ(result.compute.actual, 512);
  const LevelResult &buffer = result.levels[0], &dram = result.levels[1];
  EXPECT_EQ(buffer.spaces[0].reads, 256u); // 512 operands, each read for two columns of lanes
  EXPECT_EQ(buffer.spaces[0].fills, 128u); // 64 words, once for each half of N
  EXPECT_EQ(buffer.spaces[2].updates, 512u);
  EXPECT_EQ(buffer.spaces[2].reads, 448u); // the first update of each of 64 words reads nothing
  EXPECT_EQ(dram.spaces[0].reads, 128u);
  EXPECT_EQ(dram.spaces[1].reads, 128u);
  EXPECT_EQ(dram.spaces[2].updates, 64u); // K is innermost at DRAM: sums stay in the buffer
  EXPECT_EQ(dram.spaces[2].reads, 0u);
  EXPECT_EQ(result.networks[0].spaces[0].multicast, 2);
  double writes = 64 + 128 + 128 + 512, reads = 256 + 256 + 448 + 128 + 128;
  EXPECT_DOUBLE_EQ(result.energy, 512 + 4 * reads + 5 * writes);
}

TEST_F(EvaluateTest, BandwidthSlowsDown) {
  Input input = gemm();
  input.memories[0].attributes.readBandwidth = 5; // 960 words in 128 cycles are 7.5 a cycle
  Result result = evaluated(input);
  EXPECT_EQ(result.cycles, 192);
  EXPECT_DOUBLE_EQ(result.levels[0].slowdown, 5 / 7.5);
}

TEST_F(EvaluateTest, BypassedTensorsAreReadFromOutside) {
  Input input = gemm();
  input.placements[0].keep[1] = false;
  Result result = evaluated(input);
  EXPECT_EQ(result.levels[0].spaces[1].reads, 0u);
  EXPECT_EQ(result.levels[1].spaces[1].reads, 256u);
}

TEST_F(EvaluateTest, RaggedFactorsCountTheirEnds) {
  Input input = gemm();
  input.problem.bounds[2] = 7;
  input.placements[0].temporal.factors[2] = {4, 3};
  Result result = evaluated(input);
  EXPECT_EQ(result.compute.actual, 448);
  EXPECT_EQ(result.cycles, 128); // the tool's way: as if every pass were a whole one
}

TEST_F(EvaluateTest, WrongInputsAreRefused) {
  Input input = gemm();
  input.problem.bounds[0] = 0;
  EXPECT_EQ(refusal(input), &diag::TimeloopSize);
  input = gemm();
  input.placements[0].temporal.factors[2] = {3, 3};
  EXPECT_EQ(refusal(input), &diag::TimeloopCover);
  input.placements[0].temporal.factors[2] = {3, 4};
  EXPECT_EQ(refusal(input), &diag::TimeloopFactor);
  input = gemm();
  input.memories[1].meshX = 3;
  EXPECT_EQ(refusal(input), &diag::TimeloopMesh);
  input = gemm();
  input.placements[0].spatial.split = 2;
  EXPECT_EQ(refusal(input), &diag::TimeloopMeshUse);
  input = gemm();
  input.memories[0].attributes.words = 47;
  EXPECT_EQ(refusal(input), &diag::TimeloopCapacity);
  input = gemm();
  input.memories[0].energies = {{"read", 1}};
  EXPECT_EQ(refusal(input), &diag::TimeloopNoEnergy);
  input = gemm();
  input.problem.bounds = {1 << 30, 1 << 30, 8};
  input.placements[1].temporal.factors = {{1 << 28, 1 << 28}, {1 << 28, 1 << 28}, {2, 2}};
  EXPECT_EQ(refusal(input), &diag::TimeloopTooLarge);
}
