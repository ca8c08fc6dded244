// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/analysis/KernelModel.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include <gtest/gtest.h>
#include <set>

using namespace perfc;

namespace {

std::unique_ptr<ir::Module> parseKernel(const std::string &statement) {
  static SourceManager sources;
  static DiagnosticEngine diagnostics(sources);
  std::string text = "op.kernel @k (op = \"k\", parameters = {}) {\n"
                     "  op.operand @x (role = \"input\", shape = [1000], dtype = \"fp16\")\n"
                     "  op.operand @y (role = \"output\", shape = [1000], dtype = \"fp16\")\n" +
                     statement + "}\n";
  return ir::parseModule(sources.add("kernel.ir", text), allOps(), diagnostics);
}

TEST(KernelModel, elementsOfOneSubscriptAreExact) {
  for (int64_t a : {1, 2, 3, 4, 6})
    for (int64_t b : {-3, -2, 1, 2, 3, 4})
      for (int64_t p : {1, 2, 5, 8})
        for (int64_t r : {1, 3, 4, 7}) {
          auto module = parseKernel(fmt::format(
              "op.statement (write = {{tensor = \"y\", map = [p]}}, reads = [{{tensor = \"x\", map "
              "= "
              "[{}]}}], domain = {{p = {}, r = {}}}, reduce = \"+\", flops = 1, text = \"\")",
              (*add(AffineExpr::variable("p", a), AffineExpr::variable("r", b))).text(), p, r));
          ASSERT_TRUE(module);
          passes::Kernel kernel(op::KernelOp(module->lookup("k")));
          std::set<int64_t> touched;
          for (int64_t i = 0; i < p; ++i)
            for (int64_t j = 0; j < r; ++j)
              touched.insert(a * i + b * j);
          EXPECT_EQ(kernel.statements[0].reads[0].elements({p, r}),
                    static_cast<int64_t>(touched.size()))
              << a << "p + " << b << "r, " << p << " by " << r;
        }
}

TEST(KernelModel, whatWritesEachElementOnceDoesNotReduce) {
  for (int64_t a : {1, 2, 3, 4, 6})
    for (int64_t b : {-3, -2, 1, 2, 3, 4})
      for (int64_t p : {1, 2, 5, 8})
        for (int64_t r : {1, 3, 4, 7}) {
          auto module = parseKernel(fmt::format(
              "op.statement (write = {{tensor = \"y\", map = [{}]}}, reads = [], domain = {{p = "
              "{}, "
              "r = {}}}, flops = 0, text = \"\")",
              (*add(AffineExpr::variable("p", a), AffineExpr::variable("r", b))).text(), p, r));
          ASSERT_TRUE(module);
          passes::Kernel kernel(op::KernelOp(module->lookup("k")));
          std::set<int64_t> written;
          for (int64_t i = 0; i < p; ++i)
            for (int64_t j = 0; j < r; ++j)
              written.insert(a * i + b * j);
          bool isOnce = static_cast<int64_t>(written.size()) == p * r;
          bool isMixedRadix = std::abs(b) * (r - 1) < a || a * (p - 1) < std::abs(b);
          bool reduces = kernel.statements[0].reduces();
          EXPECT_TRUE(isOnce || reduces) << a << "p + " << b << "r, " << p << " by " << r;
          EXPECT_FALSE(isMixedRadix && reduces) << a << "p + " << b << "r, " << p << " by " << r;
        }
}

TEST(KernelModel, pointsUnderConditionsAreExact) {
  for (int64_t n : {1, 4, 9})
    for (int64_t c : {-3, 0, 2}) {
      auto module = parseKernel(fmt::format(
          "op.statement (write = {{tensor = \"y\", map = [i]}}, reads = [], domain = {{i = {}, j = "
          "7, "
          "h = 5}}, constraints = [{}, {}], reduce = \"+\", flops = 1, text = \"\")",
          n, (*add(*add(AffineExpr::variable("i"), AffineExpr::variable("j", -2)), c)).text(),
          (*add(AffineExpr::variable("j"), 1 - c)).text()));
      ASSERT_TRUE(module);
      passes::Kernel kernel(op::KernelOp(module->lookup("k")));
      int64_t points = 0;
      for (int64_t i = 0; i < n; ++i)
        for (int64_t j = 0; j < 7; ++j)
          points += (i - 2 * j + c >= 0 && j + 1 - c >= 0) ? 5 : 0;
      EXPECT_EQ(kernel.statements[0].points().getValue(), points) << n << " " << c;
    }
}

} // namespace
