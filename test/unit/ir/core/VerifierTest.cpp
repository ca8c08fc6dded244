// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestOps.h"

#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::ir;

struct Case {
  const char *text;
  const char *errors;
};
class Verify : public testing::TestWithParam<Case> {};

TEST_P(Verify, Reports) {
  ParsedText parsed(GetParam().text); // which looks at values already
  bool valid = parsed.module && parsed.verifies();
  EXPECT_EQ(valid, parsed.diagnostics.all().empty());
  EXPECT_EQ(parsed.errors(), GetParam().errors);
}

INSTANTIATE_TEST_SUITE_P(
    Ir, Verify,
    testing::Values(
        Case{"t.nest @n {\n  t.leaf (count = 1, time = 5ms, kind = \"two\", of = @n)\n}", ""},
        Case{"t.nest {\n  t.leaf\n}", "711@2"},
        Case{"t.nest {\n  t.leaf (count = \"1\")\n}", "712@2"},
        Case{"t.nest {\n  t.leaf (count = 1, list = [1])\n}", "712@2"},
        Case{"t.nest {\n  t.leaf (count = 1, time = 5B)\n}", "713@2"},
        Case{"t.nest {\n  t.leaf (count = 0)\n}", "714@2"},
        Case{"t.nest {\n  t.leaf (count = 1, time = -5s)\n}", "714@2"},
        Case{"t.nest {\n  t.leaf (count = 1, kind = \"three\")\n}", "715@2"},
        Case{"%x = t.make : none\n%y = t.nest %x, %x : none", "716@2"}, Case{"t.make", "716@1"},
        Case{"t.leaf (count = 1)", "717@1"}, Case{"t.nest {\n  t.any\n}", "717@2"},
        Case{"t.make @a", "719@1 716@1"},
        Case{"t.nest {\n  t.leaf (count = 1, of = @n)\n}", "721@2"},
        Case{"t.any @n\nt.nest {\n  t.leaf (count = 1, of = @n)\n}", "722@3"},
        Case{"t.any (a = [{x = @gone}])", "721@1"}, Case{"t.any @a\nt.any @a", "723@2"}));

TEST(VerifyBuilt, ValuesComeBeforeTheirUses) {
  ParsedText parsed("%x = t.make : none\nt.use %x\n");
  parsed.module->body().back().moveBefore(parsed.module->body().front());
  EXPECT_FALSE(parsed.verifies());
  EXPECT_EQ(parsed.errors(), "724@2");
}

TEST(VerifyBuilt, ValuesOfInnerRegionsStayThere) {
  ParsedText parsed("t.nest {\n  %x = t.make : none\n}\n");
  Region &top = parsed.module->body();
  Builder(testOps()).create(top, "t.use", {})->addOperand(top.front().body().front().result());
  EXPECT_FALSE(parsed.verifies());
}

TEST(VerifyBuilt, ValuesThatDoNotFit) {
  for (auto [name, value, code] :
       {std::make_tuple("count", Attribute("1"), "712@2"),
        std::make_tuple("list", Attribute(AttrList{1}), "712@2"),
        std::make_tuple("time", Attribute(Quantity(Rational(5), BaseUnit::Byte)), "713@2"),
        std::make_tuple("count", Attribute(0), "714@2"),
        std::make_tuple("time", Attribute(Quantity(Rational(-5), BaseUnit::Second)), "714@2"),
        std::make_tuple("kind", Attribute("three"), "715@2")}) {
    ParsedText parsed("t.nest {\n  t.leaf (count = 1)\n}");
    parsed.module->body().front().body().front().setAttr(name, value);
    EXPECT_FALSE(parsed.verifies());
    EXPECT_EQ(parsed.errors(), code);
  }
}

TEST(VerifyBuilt, UndeclaredAttributesAndArguments) {
  ParsedText parsed("t.any\n");
  parsed.module->body().front().setAttr("flog", 1);
  EXPECT_FALSE(parsed.verifies());
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].remarks[0].message, "did you mean `flag`?");
}
