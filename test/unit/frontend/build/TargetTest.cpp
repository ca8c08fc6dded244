// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chips and systems: units, energies, rates, groups and faults.
#include "Compiled.h"

#include "ir/common/diagnostics/Clauses.h"
#include "ir/common/diagnostics/Systems.h"
#include "ir/common/diagnostics/Values.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

static std::string lineOfChip(const std::string &body, llvm::StringRef part) {
  return Compiled("op f(x[N]) -> y[N] { y[i] = x[i] }\nhardware c {\n" + body +
                  "\n}\nevaluate f(N = 1) on c")
      .line(part);
}

TEST(Chip, CyclesAreOfTheNearestClock) {
  EXPECT_TRUE(has(lineOfChip("clock 1GHz\nmemory M { bandwidth 8B/cycle }", "target.memory"),
                  "bandwidth = 8000000000B/s"));
  EXPECT_TRUE(has(lineOfChip("clock 1GHz\narray A[2] { clock 500MHz; memory M { latency 4cycle } }",
                             "target.memory"),
                  "latency = 0.000000008s"));
  EXPECT_EQ(codeIn("hardware c { memory M { bandwidth 8B/cycle } }"), diag::CycleWithoutClock.code);
  EXPECT_EQ(codeIn("hardware c(f) { clock f; memory M { bandwidth 8B/cycle } }"), 0u)
      << "the clock is known where the chip is used";
}

TEST(Chip, WordsAreOfTheNearestDtype) {
  EXPECT_TRUE(has(lineOfChip("dtype int8\nmemory M { capacity 16word }", "target.memory"),
                  "capacity = 16B"));
  EXPECT_TRUE(has(lineOfChip("dtype int8\narray A[2] { dtype fp32; memory M { capacity 16word } }",
                             "target.memory"),
                  "capacity = 64B"));
}

TEST(Chip, Energies) {
  auto energy = [](const std::string &value) {
    return lineOfChip("dtype fp16\nmemory M { energy " + value + " }", "target.memory");
  };
  EXPECT_TRUE(
      has(energy("6pJ"), "read_energy = 0.000000000003J/B, write_energy = 0.000000000003J/B"))
      << energy("6pJ");
  EXPECT_TRUE(has(energy("6pJ/B"), "read_energy = 0.000000000006J/B"));
  EXPECT_TRUE(has(energy("1pJ/b"), "read_energy = 0.000000000008J/B"));
  EXPECT_TRUE(
      has(lineOfChip("dtype fp16\nmemory M { energy { read 2pJ; write 4pJ } }", "target.memory"),
          "read_energy = 0.000000000001J/B, write_energy = 0.000000000002J/B"));
}

TEST(Chip, Rates) {
  auto rate = [](const std::string &body) {
    return lineOfChip("clock 2GHz\ncompute U { " + body + " }", "target.compute");
  };
  EXPECT_TRUE(has(rate("rate 4/cycle"), "rate = {any = 8000000000/s}")) << rate("rate 4/cycle");
  EXPECT_TRUE(has(rate("rate 10TFLOP/s"), "rate = {any = 5000000000000/s}"));
  EXPECT_TRUE(has(rate("ops exp; rate 10TFLOP/s"), "rate = {any = 10000000000000/s}"));
  EXPECT_TRUE(has(rate("rate { fp16 2/cycle; fp64 1/cycle }"),
                  "rate = {fp16 = 4000000000/s, fp64 = 2000000000/s}"));
  EXPECT_TRUE(has(rate("rate 1/cycle; energy 1pJ/FLOP"), "energy = {any = 0.000000000002J}"));
  EXPECT_EQ(codeIn("hardware c { clock 1GHz; compute U { rate { fp16 5us } } }"),
            diag::WrongDimension.code);
}

TEST(Chip, Networks) {
  std::string line =
      lineOfChip("array A[x = 2, y = 3] { network { multicast x; reduce } }", "target.network");
  EXPECT_TRUE(has(line, "multicast = [\"x\"]")) << line;
  EXPECT_TRUE(has(line, "reduce = [\"x\", \"y\"]")) << line;
  EXPECT_EQ(codeIn("hardware c { array A[x = 2] { network { multicast z } } }"),
            diag::UnknownAxis.code);
  EXPECT_EQ(codeIn("hardware c { array A }"), diag::ArrayWithoutSize.code);
}

static const std::string parts = "op f(x[N]) -> y[N] { y[i] = x[i] }\n"
                                 "hardware fast { compute U { rate 2/s } }\n"
                                 "hardware slow { compute U { rate 1/s } }\n"
                                 "network net { bandwidth 10GB/s/chip; latency 1us }\n";

TEST(System, NestedGroups) {
  Compiled run(parts + "system s(n = 3) {\n  node = 4 * fast + 2 * slow over net\n"
                       "  pod = n * node over net { bandwidth 5GB/s/chip }\n"
                       "  fault chip[3] { slowdown 1.5x }\n}\nevaluate f(N = 1) on s");
  EXPECT_TRUE(has(run.line("of = @fast"), "count = 4")) << run.ir();
  EXPECT_TRUE(has(run.line("of = @slow"), "count = 2"));
  EXPECT_TRUE(has(run.line("of = @node"), "count = 3"));
  EXPECT_EQ(run.lines("bandwidth = 10000000000B/s").size(), 1u);
  EXPECT_EQ(run.lines("bandwidth = 5000000000B/s").size(), 1u);
  EXPECT_EQ(run.lines("latency = 0.000001s").size(), 2u);
  EXPECT_TRUE(has(run.line("target.fault"), "slowdown = 1.5"));
}

TEST(System, FromSeesTheParametersOfItsBase) {
  Compiled run(parts +
               "system a(n = 3) { node = n * fast over net }\n"
               "system b from a(n = 5) { pod = 2 * node over net }\nevaluate f(N = 1) on b");
  EXPECT_TRUE(has(run.line("of = @fast"), "count = 5")) << run.ir();
  Compiled changed(parts + "system a(n = 3) { node = n * fast over net }\n"
                           "system b from a { node = 7 * slow over net }\nevaluate f(N = 1) on b");
  EXPECT_TRUE(has(changed.line("target.members"), "count = 7, of = @slow")) << changed.ir();
}

TEST(System, Anonymous) {
  Compiled run(parts + "evaluate f(N = 1) on 4 * fast over net { bandwidth 3GB/s/chip }");
  EXPECT_TRUE(has(run.line("target.members"), "count = 4, of = @fast")) << run.ir();
  EXPECT_TRUE(has(run.line("target.network"), "bandwidth = 3000000000B/s")) << run.ir();
  EXPECT_EQ(codeIn(parts + "evaluate f(N = 1) on 4 * fast over fast"), diag::NotANetwork.code);
  EXPECT_EQ(codeIn(parts + "evaluate f(N = 1) on 0 * fast over net"), diag::BadGroupCount.code);
  EXPECT_EQ(codeIn(parts + "system s { fault chip[0] { slowdown 2x }\n n = 2 * fast over net }"),
            diag::FaultBeforeGroups.code);
  EXPECT_EQ(codeIn(parts + "system s { }"), diag::SystemWithoutGroups.code);
}
