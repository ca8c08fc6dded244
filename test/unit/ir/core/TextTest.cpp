// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TestOps.h"

#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::ir;

/// Text that is printed as it is written.
class Canonical : public testing::TestWithParam<const char *> {};

TEST_P(Canonical, RoundTrips) {
  ParsedText parsed(GetParam());
  ASSERT_TRUE(parsed.module) << parsed.errors() << parsed.diagnostics.all()[0].message;
  EXPECT_EQ(toString(*parsed.module), GetParam());
}

INSTANTIATE_TEST_SUITE_P(
    Text, Canonical,
    testing::Values("", "t.any\n", "t.any @x\n", "t.any @\"a b\"\n", "t.any (flag)\n",
                    "t.any (a = 3, b = -9223372036854775808)\n",
                    "t.any (a = 9223372036854775807)\n", "t.any (a = 0.5, b = 7|3)\n",
                    "t.any (a = 1600000000B/s, b = 0.000000000006J/B)\n",
                    "t.any (a = ~0.33333333333333331s)\n", "t.any (a = ~1.0000000000000001e-09s)\n",
                    "t.any (a = ~100B +- -2.5@2b +- 5@1f3a)\n", "t.any (a = 3/s, b = 5s*J)\n",
                    "t.any (a = true, b = false)\n",
                    "t.any (a = \"q\\\"\\\\\\n\\t\\x01\xC3\xA9\")\n",
                    "t.any (a = @x, b = @\"x y\")\n", "t.any (a = p, b = -p + 3)\n",
                    "t.any (a = 2*p + r - 3, b = -7*long_name - 1)\n", "t.any (a = [], b = {})\n",
                    "t.any (a = [1, [2, unit], {x = 3, flag, \"odd key\" = y}])\n",
                    "t.any (a = 1*true, b = 1*unit + 2)\n", "%x = t.make : tensor<1x64xfp16>\n",
                    "%x, %0 = t.make : none, tensor<int8>\n",
                    "%x = t.make : none\nt.use %x, %x\n%y = t.make : none\n",
                    "%x = t.make : none\n%y = t.nest %x : none { |%z: none|\n}\n",
                    "t.nest {\n  t.nest {\n    t.leaf (count = 1)\n  }\n}\n"));

TEST(Text, PrintsInOneForm) {
  ParsedText parsed(
      "// a comment\nt.any(b=3 - 2*p,a=1kB , flag) t.nest{}%5=t.make:none //\n t.use %5");
  ASSERT_TRUE(parsed.module) << parsed.errors();
  EXPECT_EQ(toString(*parsed.module),
            "t.any (a = 1000B, b = -2*p + 3, flag)\nt.nest\n%0 = t.make : none\nt.use %0\n");
}

TEST(Text, NamesAreUniqueWhereTheyAreVisible) {
  Module module;
  Builder builder(testOps());
  for (int i = 0; i < 3; ++i) {
    Value &outer = builder.create(module.body(), "t.make", {})->addResult(Type(), "x");
    Operation *nest = builder.create(module.body(), "t.nest", {});
    builder.create(nest->body(), "t.make", {})->addResult(Type(), "x");
    builder.create(nest->body(), "t.make", {})->addResult(Type());
    builder.create(nest->body(), "t.use", {})->addOperand(outer);
  }
  std::string text = toString(module);
  ParsedText parsed(text);
  ASSERT_TRUE(parsed.module) << parsed.errors() << "\n" << text;
  EXPECT_EQ(toString(*parsed.module), text);
  EXPECT_TRUE(llvm::StringRef(text).startswith("%x = t.make : none\nt.nest {\n"
                                               "  %x_1 = t.make : none\n"
                                               "  %0 = t.make : none\n  t.use %x\n}\n"))
      << text;
}

TEST(Text, LocationsRoundTrip) {
  SourceManager sources;
  DiagnosticEngine diagnostics(sources);
  FileId source = sources.add("dir/f.perf", "one\ntwo three\n");
  std::string text =
      "t.nest {\n  t.leaf (count = 1) loc(\"dir/f.perf\":2:5-2:10, \"dir/f.perf\":1:1-1:4)\n} "
      "loc(\"dir/f.perf\":1:1-2:4)\n";
  FileId file = sources.add("t.ir", text);
  auto module = parseModule(file, testOps(), diagnostics);
  ASSERT_TRUE(module);
  const Operation &leaf = module->body().front().body().front();
  EXPECT_EQ(sources.text(leaf.range()), "three");
  EXPECT_EQ(leaf.range().file, source);
  EXPECT_EQ(toString(*module, {&sources}), text);
}

TEST(Text, WithoutLocationAnOperationIsWhereItStands) {
  ParsedText parsed("t.any\n  t.any (a = 1) loc(\"gone.perf\":1:1-1:2)");
  ASSERT_TRUE(parsed.module);
  EXPECT_EQ(parsed.sources.text(parsed.module->body().back().range()), "t.any (a = 1)");
}

struct Wrong {
  const char *text;
  const char *errors;
};
class Malformed : public testing::TestWithParam<Wrong> {};

TEST_P(Malformed, IsReported) {
  ParsedText parsed(GetParam().text);
  EXPECT_FALSE(parsed.module);
  EXPECT_EQ(parsed.errors(), GetParam().errors);
}

INSTANTIATE_TEST_SUITE_P(
    Text, Malformed,
    testing::Values(Wrong{"t.anny", "701@1"}, Wrong{"any", "701@1"},
                    Wrong{"t.any (c = 1)", "710@1"}, Wrong{"t.any (a = 1, a = 2)", "705@1"},
                    Wrong{"t.use %x", "702@1"},
                    Wrong{"%x = t.make : none %x = t.make : none", "703@1"},
                    Wrong{"%x = t.make", "704@1"}, Wrong{"t.make : none", "704@1"},
                    Wrong{"t.any (a = 1zz)", "706@1"}, Wrong{"t.any (a = p q)", "706@1"},
                    Wrong{"t.any (a = 99999999999999999999)", "706@1"},
                    Wrong{"%x = t.make : tensor<1xfp7>", "707@1"}, Wrong{"t.any {}", "708@1"},
                    Wrong{"t.any loc(\"a\":0:1-1:1)", "709@1"}, Wrong{"t.any (a = \"x", "3@1"},
                    Wrong{"t.any (a = \"\\q\")", "4@1"}, Wrong{"t.nest {\n", "700@2"},
                    Wrong{"}\nt.any\n}", "700@1 700@3"}, Wrong{"t.any (a = \x01)", "700@1"},
                    Wrong{"t.any (a = [1 2])", "700@1"}));

TEST(Text, GoesOnAfterErrors) {
  ParsedText parsed(
      "t.bad {\n  t.leaf (count = 1)\n}\nt.nest {\n  t.worse\n  t.leaf (\n    x = 1)\n}\nt.any (");
  EXPECT_EQ(parsed.errors(), "701@1 701@5 710@7 700@9");
}

TEST(Text, NestingIsLimited) {
  std::string lists = "t.any (a = " + std::string(100000, '[');
  EXPECT_EQ(ParsedText(lists).errors(), "8@1");
  std::string regions;
  for (int i = 0; i < 100000; ++i)
    regions += "t.nest { ";
  EXPECT_EQ(ParsedText(regions).errors(), "8@1");
}

TEST(Text, EndlessErrorsEnd) {
  std::string text;
  for (int i = 0; i < 10000; ++i)
    text += "!\n";
  EXPECT_LT(ParsedText(text).diagnostics.errorCount(), 300u);
}
