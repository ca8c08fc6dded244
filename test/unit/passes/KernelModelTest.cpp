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

/// A subscript ap + br with p in [0, points) and r in [0, window), and the elements that it names.
struct Sum {
  int64_t a, b, points, window;
  std::string text() const {
    return (*add(AffineExpr::variable("p", a), AffineExpr::variable("r", b))).text();
  }
  std::set<int64_t> elements() const {
    std::set<int64_t> elements;
    for (int64_t p = 0; p < points; ++p)
      for (int64_t r = 0; r < window; ++r)
        elements.insert(a * p + b * r);
    return elements;
  }
  std::string shown() const { return fmt::format("{}, {} by {}", text(), points, window); }
};

std::vector<Sum> sums() {
  std::vector<Sum> sums;
  for (int64_t a : {1, 2, 3, 4, 6})
    for (int64_t b : {-3, -2, 1, 2, 3, 4})
      for (int64_t points : {1, 2, 5, 8})
        for (int64_t window : {1, 3, 4, 7})
          sums.push_back({a, b, points, window});
  return sums;
}

TEST(KernelModel, elementsOfOneSubscriptAreExact) {
  for (const Sum &sum : sums()) {
    auto module = parseKernel(fmt::format(
        "op.statement (write = {{tensor = \"y\", map = [p]}}, reads = [{{tensor = \"x\", map = "
        "[{}]}}], domain = {{p = {}, r = {}}}, reduce = \"+\", flops = 1, text = \"\")",
        sum.text(), sum.points, sum.window));
    ASSERT_TRUE(module);
    passes::Kernel kernel(op::KernelOp(module->lookup("k")));
    EXPECT_EQ(kernel.statements[0].reads[0].elements({sum.points, sum.window}),
              static_cast<int64_t>(sum.elements().size()))
        << sum.shown();
  }
}

TEST(KernelModel, whatWritesEachElementOnceDoesNotReduce) {
  for (const Sum &sum : sums()) {
    auto module = parseKernel(fmt::format(
        "op.statement (write = {{tensor = \"y\", map = [{}]}}, reads = [], domain = {{p = {}, r = "
        "{}}}, flops = 0, text = \"\")",
        sum.text(), sum.points, sum.window));
    ASSERT_TRUE(module);
    passes::Kernel kernel(op::KernelOp(module->lookup("k")));
    bool reduces = kernel.statements[0].reduces();
    bool isOnce = static_cast<int64_t>(sum.elements().size()) == sum.points * sum.window;
    bool isMixedRadix =
        std::abs(sum.b) * (sum.window - 1) < sum.a || sum.a * (sum.points - 1) < std::abs(sum.b);
    EXPECT_TRUE(isOnce || reduces) << sum.shown();
    EXPECT_FALSE(isMixedRadix && reduces) << sum.shown();
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
