// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of points under conditions against trying them all.
#include "ir/op/Points.h"
#include "ir/study/AllOps.h"
#include "gtest/gtest.h"
#include <random>

using namespace perfc;

namespace {
struct Condition {
  int64_t constant, i, j, k;
};
} // namespace

static llvm::Optional<int64_t> counted(int64_t i, int64_t j, int64_t k,
                                       llvm::ArrayRef<Condition> conditions) {
  ir::Module module;
  ir::Operation *op = ir::Builder(allOps()).create(module.body(), "op.statement", {});
  op->setAttr("domain", ir::AttrDict{{"i", i}, {"j", j}, {"k", k}});
  std::vector<AffineExpr> constraints;
  for (const Condition &one : conditions) {
    AffineExpr sum(one.constant);
    for (auto [name, coefficient] : {std::pair("i", one.i), {"j", one.j}, {"k", one.k}})
      sum = *add(sum, AffineExpr::variable(name, coefficient));
    constraints.push_back(sum);
  }
  op->setAttr("constraints", ir::Attribute::affines(constraints));
  return op::pointsOf(op::StatementOp(op));
}

TEST(Points, RandomConditions) {
  std::mt19937 random(11);
  auto draw = [&](int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random() % static_cast<uint64_t>(most - least + 1));
  };
  int64_t counts = 0;
  for (int round = 0; round < 3000; ++round) {
    int64_t i = draw(1, 9), j = draw(1, 12), k = draw(1, 14), slope = draw(1, 3);
    std::vector<Condition> conditions(static_cast<size_t>(draw(1, 4)));
    for (Condition &one : conditions)
      one = {draw(-6, 12), draw(-slope, slope), draw(-slope, slope), draw(-slope, slope)};
    int64_t points = 0;
    for (int64_t a = 0; a < i; ++a)
      for (int64_t b = 0; b < j; ++b)
        for (int64_t c = 0; c < k; ++c)
          points += llvm::all_of(conditions, [&](const Condition &one) {
            return one.constant + one.i * a + one.j * b + one.k * c >= 0;
          });
    ASSERT_EQ(counted(i, j, k, conditions), points) << "round " << round;
    counts += points > 0;
  }
  EXPECT_GT(counts, 1000);
}

/// A causal triangle and a band of so many tokens that no loop over them ends.
TEST(Points, LongTriangle) {
  int64_t n = int64_t(1) << 31, window = 4096;
  EXPECT_EQ(counted(1, n, n, {{0, 0, 1, -1}}), n * (n + 1) / 2);
  EXPECT_EQ(counted(1, n, n, {{0, 0, 1, -1}, {window - 1, 0, -1, 1}}),
            window * (window + 1) / 2 + (n - window) * window);
  EXPECT_EQ(counted(4, int64_t(1) << 32, int64_t(1) << 32, {{0, 0, 1, -1}}), llvm::None);
}
