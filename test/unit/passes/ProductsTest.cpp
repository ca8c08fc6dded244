// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/Products.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include <gtest/gtest.h>

using namespace perfc;

namespace {

/// Products of x [rows, 64] with weights of 128 and 32 columns, the second one of `second` instead.
class Pair {
public:
  explicit Pair(const std::string &second, const std::string &bias = "") {
    auto operand = [](const char *name, const char *role, const char *shape) {
      return fmt::format("  op.operand @{} (role = \"{}\", shape = [{}], dtype = \"bf16\")\n", name,
                         role, shape);
    };
    auto statement = [](const char *write, const std::string &left, const char *right,
                        int columns) {
      return fmt::format("  op.statement (write = {{tensor = \"{}\", map = [m, n]}}, reads = "
                         "[{{tensor = \"{}\", map "
                         "= [m, k]}}, {{tensor = \"{}\", map = [k, n]}}], domain = {{m = 8, n = "
                         "{}, k = 64}}, reduce "
                         "= \"+\", mac, flops = 2, text = \"\")\n",
                         write, left, right, columns);
    };
    std::string text = "op.kernel @k (op = \"k\", parameters = {}) {\n" +
                       operand("x", "input", "8, 64") + operand("other", "input", "8, 64") +
                       operand("v", "weight", "64, 128") + operand("w", "weight", "64, 32") +
                       operand("b", "weight", "32") + operand("y", "output", "8, 128") +
                       operand("z", bias.empty() ? "output" : "intermediate", "8, 32") +
                       (bias.empty() ? "" : operand("r", "output", "8, 32")) +
                       statement("y", "x", "v", 128) + statement("z", second, "w", 32) + bias +
                       "}\n";
    module = ir::parseModule(sources.add("kernel.ir", text), allOps(), diagnostics);
  }

  llvm::Optional<passes::Product> product() {
    kernel.emplace(op::KernelOp(module->lookup("k")));
    return passes::productOf(*kernel);
  }

private:
  SourceManager sources;
  DiagnosticEngine diagnostics{sources};
  std::unique_ptr<ir::Module> module;
  llvm::Optional<passes::Kernel> kernel;
};

TEST(Products, weightsOfOneFactorStandSideBySide) {
  Pair pair("x");
  auto product = pair.product();
  ASSERT_TRUE(product);
  EXPECT_EQ(product->m, 8);
  EXPECT_EQ(product->n, 160);
  EXPECT_EQ(product->k, 64);
  EXPECT_EQ(product->left.bytes, 8 * 64 * 2);
  EXPECT_EQ(product->right.bytes, 64 * 160 * 2);
  EXPECT_EQ(product->result.bytes, 8 * 160 * 2);
  EXPECT_EQ(product->otherBytes, 0);
}

TEST(Products, biasesAndTheirSumsMoveBesides) {
  Pair pair("x",
            "  op.statement (write = {tensor = \"r\", map = [i, j]}, reads = [{tensor = \"z\", "
            "map = [i, j]}, {tensor = \"b\", map = [j]}], domain = {i = 8, j = 32}, flops = 1, "
            "text = \"\")\n");
  auto product = pair.product();
  ASSERT_TRUE(product);
  EXPECT_EQ(product->n, 160);
  EXPECT_EQ(product->result.bytes, 8 * 128 * 2);
  EXPECT_EQ(product->otherBytes, (32 + 8 * 32) * 2);
}

TEST(Products, productsOfTwoFactorsAreNoneTogether) {
  Pair pair("other");
  EXPECT_FALSE(pair.product());
}

} // namespace
