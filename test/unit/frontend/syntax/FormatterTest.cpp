// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyntaxText.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

/// Formats, and checks that formatting again changes nothing and that the tree is the same.
static std::string format(const std::string &text) {
  std::string once = formatText(text);
  EXPECT_EQ(formatText(once), once);
  EXPECT_EQ(parseText(once), parseText(text));
  return once;
}

TEST(Formatter, SamplesStayAsTheyAre) {
  for (const std::string &path : samplePaths())
    EXPECT_EQ(format(readFile(path)), readFile(path)) << path;
}

TEST(Formatter, ErrorsGiveNothing) { EXPECT_EQ(formatText("x = +"), "error"); }

TEST(Formatter, Spaces) {
  EXPECT_EQ(format("x=a+b/c-d%e"), "x = a + b / c - d % e\n");
  EXPECT_EQ(format("x  =  ( a )^ 2"), "x = (a)^2\n");
  EXPECT_EQ(format("x=-a * -b"), "x = -a * -b\n");
  EXPECT_EQ(format("x = 2*p+1* q"), "x = 2*p + 1 * q\n");
  EXPECT_EQ(format("x = 2*\n// c\np"), "x = 2 *  // c\n    p\n");
  EXPECT_EQ(format("for p = 1 .. n-2  step 2x"), "for p = 1..n - 2 step 2x\n");
  EXPECT_EQ(format("x = f ( a,b=1 , ) [ i ] . c"), "x = f(a, b = 1,)[i].c\n");
  EXPECT_EQ(format("op f(x[N] :weight)->y[N]"), "op f(x[N]: weight) -> y[N]\n");
  EXPECT_EQ(format("x = (not a)and not(b)"), "x = (not a) and not (b)\n");
  EXPECT_EQ(format("clock 1GHz+-8%"), "clock 1GHz +- 8%\n");
}

TEST(Formatter, HeadsAndClauses) {
  EXPECT_EQ(format("energy (if a then b else c) *d"), "energy (if a then b else c) * d\n");
  EXPECT_EQ(format("at PE.x parallel(p,r)=3"), "at PE.x parallel (p, r) = 3\n");
  EXPECT_EQ(format("stages [1,2]"), "stages [1, 2]\n");
  EXPECT_EQ(format("O [n]+=A [n]"), "O[n] += A[n]\n");
  EXPECT_EQ(format("m[i] max =s[i]"), "m[i] max= s[i]\n");
  EXPECT_EQ(format("m max= s[i]"), "m max= s[i]\n");
  EXPECT_EQ(format("import std.ops . { a,b }"), "import std.ops.{a, b}\n");
  EXPECT_EQ(format("emit chakra\"x/\" from b"), "emit chakra \"x/\" from b\n");
}

TEST(Formatter, Blocks) {
  EXPECT_EQ(format("a{b;c}"), "a { b; c }\n");
  EXPECT_EQ(format("a{\n\n\nb;c;\n\n\n\nd\n\n}"), "a {\n  b; c\n\n  d\n}\n");
  EXPECT_EQ(format("a {\n}"), "a {}\n");
  EXPECT_EQ(format("a { b\n}"), "a {\n  b\n}\n");
  EXPECT_EQ(format("if a{\nb\n}else if c{\nd\n}else{e}"),
            "if a {\n  b\n} else if c {\n  d\n} else { e }\n");
  EXPECT_EQ(format("\n\na\n\n\n\nb"), "a\n\nb\n");
}

TEST(Formatter, Comments) {
  EXPECT_EQ(format("a// x\n"), "a  // x\n");
  EXPECT_EQ(format("a          // x  \r\n"), "a          // x\n");
  EXPECT_EQ(format("a {\n// x\nb\n // y\n}\n// z"), "a {\n  // x\n  b\n  // y\n}\n// z\n");
  EXPECT_EQ(format("a { // x\nb\n} // y"), "a {  // x\n  b\n}  // y\n");
  EXPECT_EQ(format("x = f(a, // one\n b) // two"), "x = f(a,  // one\n    b)  // two\n");
  EXPECT_EQ(format("x = f(a,\n // one\n // two\n b)"), "x = f(a,  // one\n    // two\n    b)\n");
  EXPECT_EQ(format("a 1        // x\n           // more\nb"),
            "a 1        // x\n           // more\nb\n");
}

TEST(Formatter, CommentsThatShareAColumn) {
  EXPECT_EQ(format("aa=1   // x\nb=2    // y"), "aa = 1  // x\nb = 2   // y\n");
}

TEST(Formatter, KeepsWhatIsLinedUp) {
  EXPECT_EQ(format("clock  1GHz\ndtype  int8"), "clock 1GHz\ndtype int8\n");
  EXPECT_EQ(format("a    1\nbcd  2"), "a   1\nbcd 2\n");
  EXPECT_EQ(format("a   1\nbcd  2"), "a 1\nbcd 2\n") << "not lined up";
  EXPECT_EQ(format("a   1\n\nbcd 2"), "a 1\n\nbcd 2\n") << "not neighbours";
  EXPECT_EQ(format("at A   for p=1\nat BCD for q=2"), "at A   for p = 1\nat BCD for q = 2\n");
  EXPECT_EQ(format("n  = a\nwq = b\nx = c"), "n  = a\nwq = b\nx = c\n");
}

TEST(Formatter, LongLinesOpenUp) {
  std::string item = "word " + repeat("a", 45);
  EXPECT_EQ(format("x { " + item + "; " + item + "; b { c } }"),
            "x {\n  " + item + "\n  " + item + "\n  b { c }\n}\n");
  EXPECT_EQ(format(item + "; " + item + "; " + item), item + "\n" + item + "\n" + item + "\n");
}

TEST(Formatter, LongLinesBreakAfterACommaOrAnOperator) {
  std::string name = repeat("a", 33);
  EXPECT_EQ(format("x = f(" + name + ", " + name + ", " + name + ", b)"),
            "x = f(" + name + ", " + name + ", " + name + ",\n    b)\n");
  EXPECT_EQ(format("x = " + name + " + " + name + " + " + name + "[i, j] + b"),
            "x = " + name + " + " + name + " +\n    " + name + "[i, j] + b\n");
  std::string word = repeat("b", 120);
  EXPECT_EQ(format("x = " + word), "x = " + word + "\n") << "nowhere to break";
}

TEST(Formatter, KeepsTheAuthorsBreaks) {
  EXPECT_EQ(format("x = f(a,\n b,\n c\n)"), "x = f(a,\n    b,\n    c)\n");
  EXPECT_EQ(format("x =\n a +\n b"), "x = a +\n    b\n");
}
