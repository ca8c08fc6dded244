// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What isl tells of the sets and relations of a statement, against the statement itself.
#include "passes/analysis/NormalForm.h"
#include "ir/core/Parser.h"
#include "ir/study/AllOps.h"
#include "passes/analysis/IslText.h"
#include "test/unit/Rounds.h"
#include <gtest/gtest.h>
#include <map>
#include <random>

using namespace perfc;
using namespace perfc::passes;

namespace {

std::unique_ptr<ir::Module> parseRead(const std::string &map, llvm::ArrayRef<int64_t> shape,
                                      llvm::ArrayRef<int64_t> extents,
                                      const std::string &conditions) {
  static SourceManager sources;
  static DiagnosticEngine diagnostics(sources);
  std::string text = fmt::format(
      "op.kernel @k (op = \"k\", parameters = {{}}) {{\n"
      "  op.operand @x (role = \"input\", shape = [{}], dtype = \"fp16\")\n"
      "  op.operand @y (role = \"output\", shape = [100], dtype = \"fp16\")\n"
      "  op.statement (write = {{tensor = \"y\", map = [i]}}, reads = [{{tensor = \"x\", map = "
      "[{}]}}], domain = {{i = {}, j = {}, k = {}}}, constraints = [{}], reduce = \"+\", flops = "
      "1, text = \"\")\n}}\n",
      fmt::join(shape, ", "), map, extents[0], extents[1], extents[2], conditions);
  return ir::parseModule(sources.add("kernel.ir", text), allOps(), diagnostics);
}

std::string randomExpr(std::mt19937 &random) {
  AffineExpr expr;
  for (const char *index : {"i", "j", "k"})
    if (auto coefficient = int64_t(random() % 6) - 2; random() % 2)
      expr = *add(expr, AffineExpr::variable(index, coefficient));
  auto constant = int64_t(random() % 5) - 2;
  return (*add(expr, expr.terms().empty() ? std::abs(constant) : constant)).text();
}

using Point = std::vector<int64_t>;

int64_t at(const AffineRow &row, const Point &point) {
  int64_t value = row.constant;
  for (auto [index, coefficient] : row.terms)
    value += coefficient * point[index];
  return value;
}

template <typename Visit> void forPoints(llvm::ArrayRef<int64_t> extents, Visit visit) {
  for (int64_t i = 0; i < extents[0]; ++i)
    for (int64_t j = 0; j < extents[1]; ++j)
      for (int64_t k = 0; k < extents[2]; ++k)
        visit(Point{i, j, k});
}

} // namespace

TEST(NormalForm, HasThePointsAndElementsOfTheStatement) {
  std::mt19937 random(3);
  NormalForms forms;
  IslTexts texts;
  unsigned cut = 0, padded = 0, holes = 0, coupled = 0;
  for (unsigned round = 0; round < rounds(1200); ++round) {
    std::vector<int64_t> extents, shape;
    for (unsigned i = 0; i < 3; ++i)
      extents.push_back(1 + int64_t(random() % 6));
    std::string map;
    for (size_t ranks = 1 + random() % 3; shape.size() < ranks;) {
      map += (shape.empty() ? "" : ", ") + randomExpr(random);
      shape.push_back(1 + int64_t(random() % 12));
    }
    auto module = parseRead(map, shape, extents, random() % 3 ? "" : randomExpr(random));
    ASSERT_TRUE(module) << map;
    Kernel kernel(op::KernelOp(module->lookup("k")));
    const Statement &statement = kernel.statements[0];
    auto domain = forms.domain(texts.domain(statement), extents);
    ASSERT_TRUE(domain) << texts.domain(statement);
    EXPECT_EQ(domain->indices, statement.names);
    std::vector<AffineExpr> conditions = statement.op.constraints();
    auto holds = [&](const Point &point) {
      return llvm::all_of(conditions, [&](const AffineExpr &condition) {
        int64_t value = condition.constant();
        for (const AffineExpr::Term &term : condition.terms())
          value += term.coefficient * point[*statement.find(term.name)];
        return value >= 0;
      });
    };
    forPoints(extents, [&](const Point &point) {
      bool isInside = true;
      for (const AffineRow &condition : domain->conditions)
        isInside &= at(condition, point) >= 0;
      EXPECT_EQ(isInside, holds(point)) << texts.domain(statement);
    });
    cut += !domain->conditions.empty();

    ASSERT_EQ(statement.reads.size(), 1u);
    const Access &read = statement.reads[0];
    std::string text = texts.access(statement, read);
    auto ranks = forms.access(text, extents);
    ASSERT_TRUE(ranks) << text;
    ASSERT_GE(ranks->size(), read.ranks.size());
    bool isNothing = llvm::all_of(*ranks, [](const NormalRank &rank) {
      return rank.position.terms.empty() && rank.position.constant < 0;
    });
    unsigned uses[3] = {0, 0, 0};
    for (size_t r = 0; r < read.ranks.size(); ++r) {
      // Where there are elements, and nothing ties indices, the subscript is the one written.
      AffineRow written{{read.ranks[r].terms.begin(), read.ranks[r].terms.end()},
                        read.ranks[r].constant};
      llvm::sort(written.terms);
      if (ranks->size() == read.ranks.size() && !isNothing) {
        EXPECT_EQ((*ranks)[r].position.terms, written.terms) << text;
        EXPECT_EQ((*ranks)[r].position.constant, written.constant) << text;
      }
      EXPECT_FALSE((*ranks)[r].dependsOnData);
      padded += (*ranks)[r].extent.hasValue();
      holes += written.terms.size() == 1 && std::abs(written.terms[0].second) > 1;
      for (auto &term : written.terms)
        coupled += ++uses[term.first] > 1;
    }
    // The same points meet in one element.
    std::map<std::vector<int64_t>, std::vector<int64_t>> forward, backward;
    forPoints(extents, [&](const Point &point) {
      bool exists = true, doesToo = true;
      std::vector<int64_t> element, other;
      for (size_t r = 0; r < read.ranks.size(); ++r) {
        element.push_back(at({read.ranks[r].terms, read.ranks[r].constant}, point));
        exists &= element.back() >= 0 && element.back() < read.shape[r];
      }
      for (const NormalRank &rank : *ranks) {
        other.push_back(at(rank.position, point));
        doesToo &= !rank.extent || (other.back() >= 0 && other.back() < *rank.extent);
      }
      EXPECT_EQ(exists, doesToo) << text << " at " << fmt::format("{}", fmt::join(point, ", "));
      if (!exists)
        return;
      EXPECT_EQ(forward.try_emplace(element, other).first->second, other) << text;
      EXPECT_EQ(backward.try_emplace(other, element).first->second, element) << text;
    });
  }
  EXPECT_GE(cut, least(100));
  EXPECT_GE(padded, least(300));
  EXPECT_GE(holes, least(100));
  EXPECT_GE(coupled, least(100));
}

TEST(NormalForm, TellsWhatDependsOnDataAndWhatIsNone) {
  NormalForms forms;
  auto rows = forms.access("{ gather[t, d] -> table[o0, d] : 0 <= o0 <= 99 }", {6, 8});
  ASSERT_TRUE(rows);
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_TRUE((*rows)[0].dependsOnData);
  EXPECT_FALSE((*rows)[1].dependsOnData);
  for (const char *text : {"", "no set", "{ [i, j] }", "{ [i] : 0 <= i < 9 and i mod 2 = 0 }",
                           "{ [i] : 0 <= i < 4; [i] : 6 <= i < 9 }"})
    EXPECT_FALSE(forms.domain(text, {9})) << text;
  auto first = forms.domain("{ [i] : 0 <= i < 4 }", {9});
  ASSERT_TRUE(first);
  EXPECT_EQ(first->conditions.size(), 1u);
  EXPECT_TRUE(forms.domain("{ [i] : 0 <= i < 4 }", {4})->conditions.empty());
  EXPECT_FALSE(forms.access("", {4}));
  EXPECT_FALSE(forms.access("{ [i] -> A[i, j] : 2j = i }", {4}));
  EXPECT_FALSE(forms.access("{ [i, j] -> A[i] }", {4}));
}
