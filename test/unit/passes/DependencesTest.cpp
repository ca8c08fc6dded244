// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dependences against all pairs of points, one by one.
#include "passes/analysis/Dependences.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <random>

using namespace perfc;
using namespace perfc::passes;

namespace {

std::unique_ptr<ir::Module> parseStatement(const std::string &statement) {
  static SourceManager sources;
  static DiagnosticEngine diagnostics(sources);
  std::string text = "op.kernel @k (op = \"k\", parameters = {}) {\n"
                     "  op.operand @h (role = \"output\", shape = [100, 100], dtype = \"fp16\")\n" +
                     statement + "}\n";
  return ir::parseModule(sources.add("kernel.ir", text), allOps(), diagnostics);
}

/// A statement over i, j and k that sets `h` at `write` and reads it at `read`.
std::unique_ptr<ir::Module> recurrence(const std::string &write, const std::string &read,
                                       llvm::ArrayRef<int64_t> extents,
                                       const std::string &conditions = "") {
  return parseStatement(fmt::format(
      "  op.statement (write = {{tensor = \"h\", map = [{}]}}, reads = [{{tensor = \"h\", map = "
      "[{}]}}], domain = {{i = {}, j = {}, k = {}}}, constraints = [{}], reduce = \"+\", flops = "
      "1, text = \"\")\n",
      write, read, extents[0], extents[1], extents[2], conditions));
}

using Point = std::vector<int64_t>;

std::vector<Point> pointsOf(const Statement &statement) {
  std::vector<Point> points;
  for (int64_t i = 0; i < statement.extents[0]; ++i)
    for (int64_t j = 0; j < statement.extents[1]; ++j)
      for (int64_t k = 0; k < statement.extents[2]; ++k) {
        Point point{i, j, k};
        bool isInside = true;
        for (const AffineExpr &condition : statement.op.constraints()) {
          int64_t value = condition.constant();
          for (const AffineExpr::Term &term : condition.terms())
            value += term.coefficient * point[*statement.find(term.name)];
          isInside &= value >= 0;
        }
        if (isInside)
          points.push_back(point);
      }
  return points;
}

std::vector<int64_t> elementOf(const Access &access, const Point &point) {
  std::vector<int64_t> element;
  for (const Subscript &rank : access.ranks) {
    int64_t value = rank.constant;
    for (auto [index, coefficient] : rank.terms)
      value += coefficient * point[index];
    element.push_back(value);
  }
  return element;
}

/// The number of `point` in a loop over one index.
int64_t digit(const OrderedLoop &loop, const Point &point) {
  auto [index, step] = loop.drives.front();
  return point[index] / step % loop.factor;
}

bool isKept(const Point &writer, const Point &reader, llvm::ArrayRef<OrderedLoop> loops) {
  for (const OrderedLoop &loop : loops) {
    int64_t first = digit(loop, writer), second = digit(loop, reader);
    if (first != second)
      return !loop.isParallel && first < second;
  }
  return false; // a point needs itself
}

bool areKept(const Statement &statement, llvm::ArrayRef<OrderedLoop> loops) {
  std::vector<Point> points = pointsOf(statement);
  for (const Point &writer : points)
    for (const Point &reader : points)
      if (elementOf(statement.write, writer) == elementOf(statement.reads[0], reader) &&
          !isKept(writer, reader, loops))
        return false;
  return true;
}

/// Tiled loops in any order, some of them in space. The outer loop of an index comes first.
std::vector<OrderedLoop> randomLoops(const Statement &statement, std::mt19937 &random) {
  std::vector<OrderedLoop> loops;
  for (unsigned index = 0; index < 3; ++index) {
    int64_t inner = 1 + int64_t(random() % 3), extent = statement.extents[index];
    loops.push_back({{{index, inner}}, (extent + inner - 1) / inner, random() % 4 == 0});
    loops.push_back({{{index, 1}}, inner, random() % 4 == 0});
  }
  std::shuffle(loops.begin(), loops.end(), random);
  for (unsigned index = 0; index < 3; ++index) {
    std::vector<OrderedLoop *> own;
    for (OrderedLoop &loop : loops)
      if (loop.drives.front().first == index)
        own.push_back(&loop);
    if (own[0]->drives.front().second < own[1]->drives.front().second)
      std::swap(*own[0], *own[1]);
  }
  return loops;
}

std::string randomRank(std::mt19937 &random, bool isPlain) {
  static const char *const plain[] = {"i", "j", "k"};
  static const char *const any[] = {"i - 1", "i + 1", "j - 1", "j",     "k",
                                    "i",     "3 - i", "j + 2", "i + j", "2*i - 1"};
  return isPlain ? plain[random() % 3] : any[random() % 10];
}

TEST(Dependences, areThoseOfAllPairs) {
  std::mt19937 random(7);
  unsigned broken = 0, kept = 0;
  for (unsigned round = 0; round < rounds(1500); ++round) {
    std::vector<int64_t> extents;
    for (unsigned i = 0; i < 3; ++i)
      extents.push_back(1 + int64_t(random() % 5));
    auto rank = [&](bool isPlain) { return randomRank(random, isPlain); };
    bool isPlain = random() % 4 != 0;
    auto module = recurrence(rank(isPlain) + ", " + rank(isPlain), rank(false) + ", " + rank(false),
                             extents, random() % 3 == 0 ? "i - j" : "");
    ASSERT_TRUE(module);
    Kernel kernel(op::KernelOp(module->lookup("k")));
    const Statement &statement = kernel.statements[0];
    if (statement.reads.empty()) // it reads where it writes
      continue;
    Dependences dependences(statement);
    std::vector<OrderedLoop> loops = randomLoops(statement, random);
    auto found = dependences.firstBroken(loops);
    bool areAll = areKept(statement, loops);
    EXPECT_EQ(!found, areAll) << "round " << round;
    ++(areAll ? kept : broken);
    if (found) {
      EXPECT_EQ(elementOf(statement.write, found->first),
                elementOf(statement.reads[0], found->second));
      EXPECT_FALSE(isKept(found->first, found->second, loops));
    }
  }
  EXPECT_GE(kept, least(300));
  EXPECT_GE(broken, least(300));
}

TEST(Dependences, findAnOrderWhereThereIsOne) {
  std::mt19937 random(11);
  unsigned some = 0, none = 0;
  for (unsigned round = 0; round < rounds(600); ++round) {
    auto module = recurrence(randomRank(random, true) + ", " + randomRank(random, true),
                             randomRank(random, false) + ", " + randomRank(random, false),
                             {4, 3, 3}, random() % 3 == 0 ? "i - j" : "");
    Kernel kernel(op::KernelOp(module->lookup("k")));
    const Statement &statement = kernel.statements[0];
    if (statement.reads.empty())
      continue;
    Dependences dependences(statement);
    if (dependences.empty())
      continue;
    bool isAny = false;
    std::vector<unsigned> permutation{0, 1, 2};
    auto loopsOf = [&](llvm::ArrayRef<unsigned> indices) {
      std::vector<OrderedLoop> loops;
      for (unsigned index : indices)
        loops.push_back({{{index, 1}}, statement.extents[index], false});
      return loops;
    };
    do
      isAny |= areKept(statement, loopsOf(permutation));
    while (std::next_permutation(permutation.begin(), permutation.end()));
    llvm::Optional<LoopOrder> order = dependences.someOrder();
    ASSERT_EQ(order.hasValue(), isAny) << "round " << round;
    ++(isAny ? some : none);
    if (!order)
      continue;
    std::vector<unsigned> indices(order->outermost.begin(), order->outermost.end());
    for (unsigned index = 0; index < 3; ++index)
      if (!llvm::is_contained(indices, index))
        indices.push_back(index);
    std::vector<OrderedLoop> loops = loopsOf(indices);
    EXPECT_TRUE(areKept(statement, loops)) << "round " << round;
    for (size_t at = order->outermost.size(); at < loops.size(); ++at)
      loops[at].isParallel = !order->serial[indices[at]];
    EXPECT_TRUE(areKept(statement, loops)) << "round " << round;
  }
  EXPECT_GE(some, least(50));
  EXPECT_GE(none, least(50));
}

TEST(Dependences, ofSumsAreNone) {
  auto module = parseStatement(
      "op.operand @x (role = \"input\", shape = [100], dtype = \"fp16\")\n"
      "op.statement (write = {tensor = \"h\", map = [i, 0]}, reads = [{tensor = \"h\", map = [i, "
      "0]}, {tensor = \"x\", map = [k]}], domain = {i = 3, k = 4}, reduce = \"+\", flops = 1, "
      "text = \"\")\n");
  ASSERT_TRUE(module);
  Kernel kernel(op::KernelOp(module->lookup("k")));
  EXPECT_TRUE(Dependences(kernel.statements[0]).empty());
}

} // namespace
