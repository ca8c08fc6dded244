// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyntaxText.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

static std::string valueOf(const std::string &expression) { return parseText("x = " + expression); }

TEST(Parser, Precedence) {
  EXPECT_EQ(valueOf("a + b * c ^ d ^ e"), "x = (a + (b * (c ^ (d ^ e))))\n");
  EXPECT_EQ(valueOf("-a ^ 2 * b"), "x = ((- (a ^ 2)) * b)\n");
  EXPECT_EQ(valueOf("a ^ -b"), "x = (a ^ (- b))\n");
  EXPECT_EQ(valueOf("a - b - c % d"), "x = ((a - b) - (c % d))\n");
  EXPECT_EQ(valueOf("not a == b and c or d"), "x = (((not (a == b)) and c) or d)\n");
  EXPECT_EQ(valueOf("a +- b + c"), "x = (a +- (b + c))\n");
  EXPECT_EQ(valueOf("1..n - 2 step 2x"), "x = (1..(n - 2) step 2x)\n");
  EXPECT_EQ(valueOf("p in 1..8 and q"), "x = ((p in (1..8)) and q)\n");
  EXPECT_EQ(valueOf("a < b and b == c"), "x = ((a < b) and (b == c))\n");
  EXPECT_EQ(valueOf("if a then b else c + d"), "x = (if a then b else (c + d))\n");
  EXPECT_EQ(valueOf("- - a"), "x = (- (- a))\n");
}

TEST(Parser, Postfix) {
  EXPECT_EQ(valueOf("a.b(c, d = 1)[i, j + 1].e"), "x = a.b(c, d = 1)[i, (j + 1)].e\n");
  EXPECT_EQ(valueOf("(1, 2,)"), "x = tuple(1, 2)\n");
  EXPECT_EQ(valueOf("(p, r = 3)"), "x = tuple(p, r = 3)\n");
  EXPECT_EQ(valueOf("[]"), "x = list[]\n");
  EXPECT_EQ(valueOf("f()"), "x = f()\n");
  EXPECT_EQ(valueOf("t[..., n]"), "x = t[..., n]\n");
}

TEST(Parser, Lines) {
  EXPECT_EQ(parseText("multicast"), "multicast\n");
  EXPECT_EQ(parseText("keep input, output"), "keep input, output\n");
  EXPECT_EQ(parseText("at PE.x parallel (p, r) = 3"), "at PE.x <parallel tuple(p, r) = 3>\n");
  EXPECT_EQ(parseText("evaluate a on b, c with d as e { expect latency < 5ms }"),
            "evaluate a <on b, c> <with d> <as e> {\n  expect (latency < 5ms)\n");
  EXPECT_EQ(parseText("op f(x[N]: weight, s = 1) -> y[N]"), "op f(x[N]: weight, s = 1) -> y[N]\n");
  EXPECT_EQ(parseText("emit chakra \"a/\" from b"), "emit chakra \"a/\" <from b>\n");
  EXPECT_EQ(parseText("sweep a in [1, 2], b in 1..8 step 2x"),
            "sweep (a in list[1, 2]), (b in (1..8 step 2x))\n");
}

TEST(Parser, Equations) {
  EXPECT_EQ(parseText("x = 8 * a over n { topology ring }"),
            "x = (8 * a) <over n> {\n  topology ring\n");
  EXPECT_EQ(parseText("x += 1"), "x += 1\n");
  EXPECT_EQ(parseText("O[n, m + 1] += A[n]"), "O[n, (m + 1)] += A[n]\n");
  EXPECT_EQ(parseText("m[i]  max= s[i, j]"), "m[i] max= s[i, j]\n");
  EXPECT_EQ(parseText("m[i] absmax= s[i, j]"), "m[i] absmax= s[i, j]\n");
  EXPECT_EQ(parseText("m max= s[i]"), "m max= s[i]\n");
  EXPECT_EQ(parseText("for max = 8"), "for max = 8\n");
  EXPECT_EQ(parseText("stages [1, 2]"), "stages list[1, 2]\n");
}

TEST(Parser, ContextualWordsAreNames) {
  EXPECT_EQ(parseText("step = as + step"), "step = (as + step)\n");
  EXPECT_EQ(parseText("memory for { on 3 }"), "memory for {\n  on 3\n");
}

TEST(Parser, Choices) {
  EXPECT_EQ(parseText("if a { b } else if c { d } else { e }"),
            "if a {\n  b\nelse {\n  if c {\n    d\n  else {\n    e\n");
}

TEST(Parser, Imports) {
  EXPECT_EQ(parseText("import std.ops.{a, b as c,}"), "import std.ops {a} {b as c}\n");
  EXPECT_EQ(parseText("import std.ops.{\n  a,\n  b\n}"), "import std.ops {a} {b}\n");
  EXPECT_EQ(parseText("import std.a as b"), "import std.a as b\n");
  EXPECT_EQ(parseText("import \"a.perf\" as b"), "import \"a.perf\" as b\n");
  EXPECT_EQ(parseText("import onnx \"m.onnx\" as net"), "import onnx \"m.onnx\" as net\n");
}

TEST(Parser, NewlinesThatDoNotCount) {
  EXPECT_EQ(parseText("x = 1 +\n  2 // c\n"), "x = (1 + 2)\n");
  EXPECT_EQ(parseText("keep a,\n\n  b"), "keep a, b\n");
  EXPECT_EQ(parseText("x = f(1\n  , 2)"), "x = f(1, 2)\n");
  EXPECT_EQ(parseText("a {\n\n\n  b;; c\n  ;\n}"), "a {\n  b\n  c\n");
  EXPECT_EQ(parseText(";;a;b\n;"), "a\nb\n");
  EXPECT_EQ(parseText("x = a + // why\n // more\n b"), "x = (a + b)\n");
}

TEST(Parser, TextForms) {
  EXPECT_EQ(parseText("\xEF\xBB\xBF"
                      "a 1\r\nb\t2\r\n"),
            "a 1\nb 2\n");
  EXPECT_EQ(parseText(""), "");
  EXPECT_EQ(parseText("// only a comment"), "");
  EXPECT_EQ(parseText("report \"ümläut {x}\""), "report \"ümläut {x}\"\n");
}

TEST(Parser, Docs) {
  Parsed parsed("// apart\n\n// one\r\n// two\nop f {\n  a // trailing\n  // of b\n  b; c\n}\n");
  const ast::Item *op = parsed.tree->body->items[0];
  EXPECT_EQ(op->doc, "// one\r\n// two");
  ASSERT_EQ(op->block->items.size(), 3u);
  EXPECT_EQ(op->block->items[0]->doc, "");
  EXPECT_EQ(op->block->items[1]->doc, "// of b");
  EXPECT_EQ(op->block->items[2]->doc, "");
}

TEST(Parser, DocOfTheFirstLine) {
  Parsed parsed("\xEF\xBB\xBF// one\na");
  EXPECT_EQ(parsed.tree->body->items[0]->doc, "// one");
}

TEST(Parser, Ranges) {
  Parsed parsed("hardware a from b {\n  clock 1GHz +- 8%\n}\nx[i] += y\n");
  const ast::Item *hardware = parsed.tree->body->items[0];
  EXPECT_EQ(parsed.sources.text(hardware->range), "hardware a from b {\n  clock 1GHz +- 8%\n}");
  EXPECT_EQ(parsed.sources.text(hardware->wordRange), "hardware");
  EXPECT_EQ(parsed.sources.text(hardware->clauses[0].wordRange), "from");
  EXPECT_EQ(parsed.sources.text(hardware->block->range), "{\n  clock 1GHz +- 8%\n}");
  const ast::Expr *clock = hardware->block->items[0]->args[0].value;
  EXPECT_EQ(parsed.sources.text(clock->range), "1GHz +- 8%");
  EXPECT_EQ(parsed.sources.text(clock->opRange), "+-");
  const ast::Item *equation = parsed.tree->body->items[1];
  EXPECT_EQ(parsed.sources.text(equation->target->range), "x[i]");
  EXPECT_EQ(parsed.sources.text(equation->assignRange), "+=");
}

TEST(Parser, SamplesHaveNoErrors) {
  std::vector<std::string> paths = samplePaths();
  ASSERT_EQ(paths.size(), 18u);
  for (const std::string &path : paths) {
    Parsed parsed(readFile(path));
    EXPECT_FALSE(parsed.diagnostics.hasErrors()) << path;
    EXPECT_GE(parsed.tree->body->items.size(), 3u) << path;
  }
}
