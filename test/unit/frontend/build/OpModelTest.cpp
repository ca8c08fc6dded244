// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops: where extents come from, domains and conditions, counts of operations.
#include "Compiled.h"

#include "ir/common/diagnostics/Names.h"
#include "ir/common/diagnostics/Ops.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

static const std::string matmul =
    "op mm(A[M, K], B[K, N]: weight) -> O[M, N] { O[m, n] += A[m, k] * B[k, n] }";

TEST(OpModel, ExtentsByName) {
  Compiled run(runOp(matmul, "mm(M = 4, N = 5, K = 6)"));
  std::string statement = run.line("op.statement");
  EXPECT_TRUE(has(statement, "domain = {m = 4, n = 5, k = 6}")) << statement;
  EXPECT_TRUE(has(statement, "reduce = \"+\", mac, flops = 2")) << statement;
  EXPECT_TRUE(has(run.line("op.operand @A"), "role = \"input\", shape = [4, 6]"));
  EXPECT_TRUE(has(run.line("op.operand @B"), "role = \"weight\", shape = [6, 5]"));
  EXPECT_TRUE(has(run.line("op.operand @O"), "role = \"output\", shape = [4, 5]"));
}

TEST(OpModel, ExtentsFromTensors) {
  Compiled run(runBody(matmul, "y = mm(tensor[4, 6], weight[6, 5])"));
  EXPECT_TRUE(has(run.line("op.statement"), "domain = {m = 4, n = 5, k = 6}"));
  EXPECT_EQ(codeIn(runBody(matmul, "y = mm(tensor[4, 6], weight[7, 5])")),
            diag::ExtentConflict.code);
  EXPECT_EQ(codeIn(runBody(matmul, "y = mm(tensor[4, 6, 2], weight[6, 5])")),
            diag::ArgumentRank.code);
  EXPECT_EQ(codeIn(runBody(matmul, "y = mm(3, weight[6, 5])")), diag::NotATensor.code);
  EXPECT_EQ(codeIn(runBody(matmul, "y = mm(tensor[4, 6], N = 5, L = 3)")),
            diag::UnknownParameter.code);
}

TEST(OpModel, ExtentsByDefaultAndByHull) {
  const std::string conv = "op conv(I[C, Y], W[M, C, R]: weight, stride = 1, pad = 0) -> "
                           "O[M, P = floor((Y + 2*pad - R) / stride) + 1] {\n"
                           "  O[m, p] += I[c, p*stride + r - pad] * W[m, c, r]\n}";
  Compiled byDefault(runOp(conv, "conv(C = 3, Y = 10, M = 2, R = 3, stride = 2, pad = 1)"));
  EXPECT_TRUE(has(byDefault.line("op.statement"), "domain = {m = 2, p = 5, c = 3, r = 3}"));
  Compiled byHull(runOp(conv, "conv(C = 3, P = 5, M = 2, R = 3, stride = 2)"));
  EXPECT_TRUE(has(byHull.line("op.operand @I"), "shape = [3, 11]")) << byHull.ir();
  EXPECT_TRUE(has(byHull.line("op.statement"), "2*p + r")) << byHull.ir();
}

TEST(OpModel, Ellipsis) {
  const std::string relu = "op relu(x[...]) -> y[...] { y[...] = max(x[...], 0) }";
  Compiled run(runBody(relu, "y = relu(tensor[2, 3, 4])"));
  std::string statement = run.line("op.statement");
  EXPECT_TRUE(has(statement, "domain = {_0 = 2, _1 = 3, _2 = 4}")) << statement;
  EXPECT_TRUE(has(statement, "flops = 1, functions = {max = 1}")) << statement;
  const std::string add =
      "op add(a[..., N], b[..., N]) -> y[..., N] { y[..., n] = a[..., n] + b[..., n] }";
  EXPECT_EQ(codeIn(runBody(add, "y = add(tensor[2, 3], tensor[4, 3])")),
            diag::LeadingRanksDiffer.code);
}

TEST(OpModel, Conditions) {
  const std::string causal = "op f(q[T, E], k[S, E]) -> s[T, S] {\n"
                             "  where j <= i + S - T\n  s[i, j] += q[i, e] * k[j, e]\n}";
  EXPECT_TRUE(has(Compiled(runOp(causal, "f(T = 2, S = 8, E = 4)")).line("op.statement"),
                  "constraints = [i - j + 6]"));
  auto domain = [](const std::string &where) {
    return Compiled(runOp("op f(a[N]) -> y[N] { " + where + "; y[i] = a[i] }", "f(N = 9)"))
        .line("op.statement");
  };
  EXPECT_TRUE(has(domain("where i < 4"), "domain = {i = 4}, flops")) << domain("where i < 4");
  EXPECT_TRUE(has(domain("where i >= 2"), "domain = {i = 9}, constraints = [i - 2]"))
      << domain("where i >= 2");
  EXPECT_TRUE(has(domain("where 2*i <= 7"), "constraints = [-2*i + 7]"))
      << domain("where 2*i <= 7");
  EXPECT_EQ(codeIn(runOp("op f(a[N]) -> y[N] { where i * i < 4; y[i] = a[i] }", "f(N = 9)")),
            diag::SubscriptNotAffine.code);
}

TEST(OpModel, SeveralStatements) {
  const std::string softmax = "op softmax(x[..., N]) -> y[..., N] {\n"
                              "  m[...] max= x[..., n]\n"
                              "  e[..., n] = exp(x[..., n] - m[...])\n"
                              "  s[...] += e[..., n]\n"
                              "  y[..., n] = e[..., n] / s[...]\n}";
  Compiled run(runBody(softmax, "y = softmax(tensor[3, 5])"));
  std::vector<std::string> statements = run.lines("op.statement");
  ASSERT_EQ(statements.size(), 4u) << run.ir();
  EXPECT_TRUE(has(statements[0], "reduce = \"max\", flops = 1"));
  EXPECT_TRUE(has(statements[1], "flops = 2, functions = {exp = 1}"));
  EXPECT_TRUE(has(statements[2], "reduce = \"+\", flops = 1"));
  EXPECT_TRUE(has(run.line("op.operand @m"), "role = \"intermediate\", shape = [3]"));
  EXPECT_EQ(codeIn(runOp("op f(x[N]) -> y[N] { y[i] = z[i]; z[i] = x[i] }", "f(N = 2)")),
            diag::UnknownTensor.code);
  EXPECT_EQ(codeIn(runOp("op f(x[N]) -> y[N], z[N] { y[i] = x[i] }", "f(N = 2)")),
            diag::ResultNeverSet.code);
}

TEST(OpModel, DataDependentReads) {
  const std::string gather =
      "op gather(t[V, D]: weight, ids[T]) -> y[T, D] { y[t0, d] = t[ids[t0], d] }";
  Compiled run(runOp(gather, "gather(V = 100, D = 8, T = 4)"));
  std::string statement = run.line("op.statement");
  EXPECT_TRUE(has(statement, "map = [\"any\", d]")) << statement;
  EXPECT_TRUE(has(statement, "domain = {t0 = 4, d = 8}")) << statement;
  EXPECT_EQ(codeIn(runOp("op f(x[N], i[N]) -> y[N] { y[i[n]] = x[n] }", "f(N = 2)")),
            diag::WriteDependsOnData.code);
}

TEST(OpModel, InPlace) {
  const std::string append = "op append(c[S], n[T]) -> c[S] { c[t + S - T] = n[t] }";
  Compiled run(runOp(append, "append(S = 8, T = 2)"));
  EXPECT_TRUE(has(run.line("op.operand @c"), "in_place")) << run.ir();
  EXPECT_TRUE(has(run.line("op.statement"), "domain = {t = 2}")) << run.ir();
  EXPECT_EQ(codeIn(runOp("op f(x[N]) -> y[N] { x[i] = 0; y[i] = x[i] }", "f(N = 2)")),
            diag::WritesArgument.code);
}

TEST(OpModel, WeightsThatAreNotPassedAreTheOpsOwn) {
  const std::string scale = "op scale(x[N], w[N]: weight) -> y[N] { y[i] = x[i] * w[i] }";
  Compiled run(runBody(scale, "y = scale(tensor[7])"));
  EXPECT_TRUE(has(run.line("kind = \"weight\""), "tensor<7xfp16>")) << run.ir();
  EXPECT_EQ(codeIn(runBody(scale, "y = scale(w = weight[7])")), diag::MissingArgument.code);
}
