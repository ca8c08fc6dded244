// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Workloads: element equations in place, repeat, phases, sub-workloads, collectives.
#include "Compiled.h"

#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include "ir/common/diagnostics/Values.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

TEST(Graph, ElementOperatorsBroadcastLeadingRanks) {
  Compiled run(runBody("", "a = tensor[2, 3]\ny = a * weight[3] + 1"));
  std::vector<std::string> statements = run.lines("op.statement");
  ASSERT_EQ(statements.size(), 2u) << run.ir();
  EXPECT_TRUE(has(statements[0], "map = [i1]")) << statements[0];
  EXPECT_EQ(codeIn(runBody("", "a = tensor[2, 3]\ny = a + weight[2]")),
            diag::BroadcastMismatch.code);
  EXPECT_EQ(codeIn(runBody("", "a = tensor[3]\ny = max(a, a, a)")),
            diag::BadFunctionArguments.code);
  EXPECT_EQ(codeIn(runBody("", "a = tensor[3]\ny = a + fp16")), diag::BadOperand.code);
}

TEST(Graph, InlineEquations) {
  Compiled run(runBody("", "x = tensor[4, 6]\nw = weight[6, 5]\ny[m, n] += x[m, k] * w[k, n]"));
  EXPECT_TRUE(has(run.line("op.statement"), "domain = {m = 4, n = 5, k = 6}")) << run.ir();
  EXPECT_TRUE(has(run.line("op.apply"), "tensor<4x5xfp16>")) << run.ir();
  EXPECT_EQ(codeIn(runBody("", "x = tensor[4]\ny[i, j] = x[i]")), diag::IndexWithoutExtent.code);
  EXPECT_EQ(codeIn(runBody("", "x = tensor[4]\nz = tensor[5]\ny[i] = x[i] + z[i]")),
            diag::IndexConflict.code);
}

TEST(Graph, SameTextWithOtherNumbersIsAnotherKernel) {
  const std::string sub = "workload sub(x[N], s) -> z { k = weight[3]; z[i] = x[i] + k[s*i] }";
  Compiled run(runBody(sub, "x = tensor[3]\na = sub(x, s = 1)\nb = sub(x, s = 2)\ny = a + b"));
  EXPECT_EQ(run.lines("+ k[s*i]").size(), 2u) << run.ir();
}

TEST(Graph, RepeatCarriesNames) {
  Compiled run(runBody("", "x = tensor[4]\nrepeat 3 { t = exp(x); x = x + t }\ny = x"));
  std::string repeat = run.line("op.repeat");
  EXPECT_TRUE(has(repeat, "count = 3")) << run.ir();
  EXPECT_EQ(run.lines("op.yield").size(), 1u);
  EXPECT_EQ(codeIn(runBody("", "x = tensor[4]\nw = weight[4, 5]\n"
                               "repeat 2 { x[j] += x[i] * w[i, j] }\ny = x")),
            diag::RepeatChangesShape.code);
  EXPECT_EQ(codeIn(runBody("", "repeat 2 { t = tensor[4] }\ny = t")), diag::UnknownName.code);
  EXPECT_EQ(codeIn(runBody("", "x = tensor[4]\nrepeat 1.5 { x = exp(x) }\ny = x")),
            diag::NotWhole.code);
}

TEST(Graph, LoopsAndChoicesAreGone) {
  Compiled run(runBody("", "x = tensor[4]\nfor i in 1..3 { if i > 1 { x = exp(x) } }\ny = x"));
  EXPECT_EQ(run.lines("op.apply").size(), 2u) << run.ir();
}

TEST(Graph, Phases) {
  const std::string phases = std::string(chip) +
                             "workload g(batch = 1, T, S) -> y {\n  y = exp(tensor[batch, T, S])\n"
                             "  phase decode(context = 16) = (T = 1, S = context)\n}\n"
                             "workload h from g(batch = 2)\n";
  EXPECT_TRUE(
      has(Compiled(phases + "evaluate g.decode on c").line("op.tensor"), "tensor<1x1x16xfp16>"));
  EXPECT_TRUE(has(Compiled(phases + "evaluate h.decode(context = 8) on c").line("op.tensor"),
                  "tensor<2x1x8xfp16>"));
  EXPECT_TRUE(has(Compiled(phases + "evaluate g(T = 3, S = 4) on c").line("op.tensor"),
                  "tensor<1x3x4xfp16>"));
  EXPECT_EQ(codeIn(phases + "evaluate g.prefill on c"), diag::UnknownPhase.code);
  EXPECT_EQ(codeIn(phases + "evaluate g.decode(T = 2) on c"), diag::DuplicateArgument.code);
  EXPECT_EQ(codeIn(phases + "evaluate h.decode(batch = 3) on c"), diag::FixedArgument.code);
}

TEST(Graph, SubWorkloadsTakeTensors) {
  const std::string sub = "workload sub(x[N, D], width = 2 * D) -> z { w = weight[D, width]\n"
                          "  z[n, e] += x[n, d] * w[d, e] }";
  Compiled run(runBody(sub, "a = sub(tensor[4, 3])\ny = sub(a, width = 3)"));
  std::vector<std::string> calls = run.lines("op.call");
  ASSERT_EQ(calls.size(), 2u) << run.ir();
  EXPECT_TRUE(has(calls[0], "tensor<4x6xfp16>")) << calls[0];
  EXPECT_TRUE(has(calls[1], "tensor<4x3xfp16>")) << calls[1];
  EXPECT_EQ(codeIn(runBody(sub, "y = sub(tensor[4])")), diag::ArgumentRank.code);
}

TEST(Graph, WorkloadsDoNotCallThemselves) {
  EXPECT_EQ(codeIn(std::string(chip) + "workload w(n = 2) -> y { y = w(1) }"),
            diag::RecursiveWorkload.code);
}

TEST(Graph, Collectives) {
  Compiled run(runBody("import std.networks", "y = all_reduce(tensor[8])"));
  EXPECT_TRUE(has(run.line("op.collective"), "kind = \"all_reduce\"")) << run.ir();
  EXPECT_EQ(codeIn("import std.networks\n" + std::string(chip) + "evaluate all_reduce(3) on c"),
            diag::CollectiveNeedsSize.code);
}

TEST(Graph, DtypesAreTheChipsUnlessGiven) {
  const std::string f = "op f(x[N]) -> y[N] { y[i] = x[i] }";
  EXPECT_TRUE(has(Compiled("hardware c { dtype int8; compute U { rate 1/s } }\n" + f +
                           "\nevaluate f(N = 4) on c")
                      .line("op.apply"),
                  "tensor<4xint8>"));
  EXPECT_TRUE(has(Compiled(runOp(f, "f(N = 4, dtype = fp32)")).line("op.apply"), "tensor<4xfp32>"));
  EXPECT_EQ(codeIn(runOp(f, "f(N = 4, dtype = 3)")), diag::NotADType.code);
}
