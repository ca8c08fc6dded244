// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SyntaxText.h"
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

namespace {
/// A text with one mistake and the one message that answers it.
struct Mistake {
  const char *name;
  std::string text;
  const char *error;
};
} // namespace

static const Mistake mistakes[] = {
    {"InvalidUtf8", "let x = \"\xC3(\"", "1:10 1 the text is not valid UTF-8 here (byte 0xC3)"},
    {"Stray", "a\nb 3 $@ + 1\n", "2:5 2 `$@` has no meaning here"},
    {"StrayLookalike", "clock 1GHz ± 8%", "1:12 2 `±` has no meaning here"},
    {"NulByte", std::string("a \0 b", 5), "1:3 2 a NUL byte has no meaning here"},
    {"OpenString", "emit csv \"abc\n", "1:10 3 the string is not closed on its line"},
    {"OpenStringInCall", "x = f(\"abc)\ny = 3", "1:7 3 the string is not closed on its line"},
    {"Escape", "emit csv \"a\\qb\"", "1:12 4 unknown escape `\\q` in a string"},
    {"OpenParen", "x = (1 + 2\ny = 3\n", "1:5 5 `(` is never closed"},
    {"OpenParenMissingComma", "x = f(1,\n  2\n  a)\n", "3:3 13 expected `,` or `)`, found `a`"},
    {"QuotesOfOtherLanguages", "x = 'abc'", "1:5 2 `'` has no meaning here"},
    {"SpacedUnitWithSlash", "bandwidth 8 B/cycle",
     "1:11 17 a unit stands directly after its number"},
    {"OpenParenOverLines", "x = f(1,\n  2\ny = 3\n", "1:6 5 `(` is never closed"},
    {"OpenParenBeforeBlock", "evaluate f(x on c {\n  expect a > 1\n}\n",
     "1:11 5 `(` is never closed"},
    {"OpenBrace", "hardware a {\n  clock 1GHz\n\nhardware b { dtype int8 }\n",
     "1:12 5 `{` is never closed"},
    {"UnmatchedParen", "x = 1 + 2)", "1:10 6 `)` closes nothing"},
    {"UnmatchedBrace", "a { b }\n}\nc", "2:1 6 `}` closes nothing"},
    {"Mismatched", "x = [1, 2)\ny = 1", "1:10 7 `)` does not close `[`"},
    {"TooDeep", "x = " + std::string(10000, '('), "1:261 8 nested more than 256 deep"},
    {"MissingOperand", "x = 1 *\n\ny = 2 }", "3:7 6 `}` closes nothing"},
    {"MissingValue", "x = {", "1:5 5 `{` is never closed"},
    {"TwoOperators", "x = 1 +* 3", "1:8 13 expected an expression, found `*`"},
    {"MissingName", "import std.a as", "1:16 12 expected a name after `as`"},
    {"MissingElse", "x = if a then b\ny = 1", "1:16 12 expected `else` after `b`"},
    {"Equals", "if a = 3 { b }", "1:6 13 expected `{`, found `=`"},
    {"Reserved", "let in = 3", "1:5 14 `in` is a reserved word and cannot be a name"},
    {"ReservedMember", "x = a.if", "1:7 14 `if` is a reserved word and cannot be a name"},
    {"ValueAfterName", "parallel tensor 8", "1:17 15 a value cannot follow `tensor` directly"},
    {"ValueAfterValue", "x = f(2 3)", "1:9 15 a value cannot follow `2` directly"},
    {"MissingComma", "keep input output", "1:12 16 the clause `output` has no value"},
    {"MissingCommaInList", "x = f(a b)", "1:9 13 expected `,` or `)`, found `b`"},
    {"MissingCommaBeforePair", "parallel a = 8 b = 4",
     "1:16 13 expected `,` between two values, found `b`"},
    {"SpacedUnit", "capacity 224 word", "1:10 17 a unit stands directly after its number"},
    {"SpacedUnitInBlock", "memory A { capacity 4 KiB }",
     "1:21 17 a unit stands directly after its number"},
    {"Percent", "x = 8%n", "1:5 18 `8%` is a number in percent, so no name can follow it directly"},
    {"LineStartsWithOperator", "x = a\n  + b\n", "2:3 19 a line cannot start with `+`"},
    {"LineStartsWithComma", "a {\n  keep b\n  , c\n}", "3:3 19 a line cannot start with `,`"},
    {"LineStartsWithClause", "evaluate a\n  on b",
     "2:3 20 a line cannot start with the clause `on`"},
    {"BraceOnNextLine", "hardware a\n{\n  clock 1GHz\n}",
     "2:1 21 `{` must stand on the line of its item"},
    {"ElseOnNextLine", "if a { b }\nelse { c }",
     "2:1 22 `else` must stand on the line of the `}` before it"},
    {"BlockAlone", "a\n\n\n; { b }", "4:3 23 a block needs a word before it"},
    {"CalledHead", "link(0, 4)",
     "1:1 24 `link` cannot be called: the head of a line is a word, not a call"},
    {"CalledFunction", "f(x) = x + 1",
     "1:1 24 `f` cannot be called: the head of a line is a word, not a call"},
    {"EquationValues", "O[n] = a, b", "1:11 25 an equation has one value, but a comma follows it"},
    {"NotInside", "x = a == not b", "1:10 26 `not` needs parentheses inside a larger expression"},
    {"ChainedRange", "x = 1..2..3", "1:9 27 `..` cannot follow `..` without parentheses"},
    {"ChainedUncertain", "x = a +- b +- c", "1:12 27 `+-` cannot follow `+-` without parentheses"},
    {"StepAlone", "x = 4 step 3", "1:7 28 `step` needs a range `a..b` before it"},
    {"ImportPath", "import std.{a, b}.c",
     "1:19 29 nothing can follow the names in braces of an import path"},
    {"CommaBeforeClause", "search x on y, with z",
     "1:14 30 a comma cannot stand before the clause `with`"},
    {"ConditionalInside", "x = 1 + if a then b else c",
     "1:9 26 `if` needs parentheses inside a larger expression"},
    {"ReducePlus", "m[i] max += 3", "1:10 13 expected `=`, found `+=`"},
};

class OneMistake : public testing::TestWithParam<Mistake> {};

TEST_P(OneMistake, IsOneMessage) {
  EXPECT_EQ(errorsOf(GetParam().text), std::vector<std::string>{GetParam().error});
}

INSTANTIATE_TEST_SUITE_P(Syntax, OneMistake, testing::ValuesIn(mistakes),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(SyntaxErrors, OneBadLineDoesNotHideTheNext) {
  EXPECT_EQ(
      errorsOf("memory A {\n  capacity 4 KiB\n  clock\n  keep a b; x = 1 +\n}\nlet y = 8%n\n"),
      (std::vector<std::string>{
          "2:12 17 a unit stands directly after its number",
          "4:10 16 the clause `b` has no value",
          "4:20 12 expected an expression after `+`",
          "6:9 18 `8%` is a number in percent, so no name can follow it directly",
      }));
}

TEST(SyntaxErrors, OnlyTheBadLineIsLeftOut) {
  Parsed parsed("memory A {\n  capacity 4 KiB\n  clock 1GHz\n}\nlet y = (\nlet z = 1\n");
  EXPECT_EQ(treeText(parsed), "memory A {\n  clock 1GHz\nlet z = 1\n");
  EXPECT_EQ(parsed.diagnostics.errorCount(), 2u);
}

TEST(SyntaxErrors, HelpNamesTheFix) {
  Parsed parsed("capacity 224 word\nlink(0, 4)\nparallel tensor 8\n");
  ASSERT_EQ(parsed.diagnostics.all().size(), 3u);
  EXPECT_EQ(parsed.diagnostics.all()[0].remarks[0].message, "write `224word`");
  EXPECT_EQ(parsed.diagnostics.all()[1].remarks[0].message, "write `link 0, 4`");
  EXPECT_EQ(parsed.diagnostics.all()[2].remarks[0].message,
            "give it to the name with `=`: `tensor = 8`; parts of an attribute stand in a block: "
            "`{ tensor 8 }`");
}

TEST(SyntaxErrors, MisplacedBraceIsPointedAt) {
  Parsed parsed("hardware a {\n  memory b {\n    clock 1GHz\n}\nop c\n");
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  const Diagnostic &diagnostic = parsed.diagnostics.all()[0];
  EXPECT_EQ(parsed.sources.lineColumn(parsed.file, diagnostic.remarks[0].range.begin).line, 4u);
}

TEST(SyntaxErrors, TextReadTwiceIsReportedOnce) {
  EXPECT_EQ(
      errorsOf("a {\nop f(x[N) -> y\nlet s = '\n"),
      (std::vector<std::string>{"2:9 7 `)` does not close `[`", "3:9 2 `'` has no meaning here",
                                "1:3 5 `{` is never closed"}));
}

TEST(SyntaxErrors, StopAfterTwenty) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "x = 1 +* 2\n";
  std::vector<std::string> errors = errorsOf(text);
  ASSERT_EQ(errors.size(), 21u);
  EXPECT_EQ(errors[20].substr(errors[20].find(' ')),
            " 11 too many syntax errors; the rest of the file is not read");
}
