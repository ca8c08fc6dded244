// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that no one would write must end in a message, soon and in little memory: texts are so long
// that what takes more than linear time does not end before the runner gives up.
#include "SyntaxText.h"
#include <ctime>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

/// Parses to the one code.
static void expectCode(std::string text, unsigned code) {
  Parsed parsed(std::move(text));
  ASSERT_EQ(parsed.diagnostics.all().size(), 1u);
  EXPECT_EQ(parsed.diagnostics.all()[0].kind->code, code);
}

TEST(Robustness, DeepNesting) {
  expectCode("x = " + repeat("(", 10000) + "1" + repeat(")", 10000), 8);
  expectCode(repeat("a {\n", 10000) + repeat("}\n", 10000), 8);
  expectCode("x = " + repeat("f[", 10000), 8);
  expectCode("x = " + repeat("if a then b else ", 10000) + "c", 8);
  expectCode(repeat("if a { b } else ", 10000) + "{ c }", 8);
}

TEST(Robustness, NestingUpToTheLimitIsFine) {
  EXPECT_FALSE(Parsed("x = " + repeat("(", 256) + "1" + repeat(")", 256)).diagnostics.hasErrors());
  EXPECT_FALSE(Parsed(repeat("a {\n", 256) + repeat("}\n", 256)).diagnostics.hasErrors());
}

TEST(Robustness, LongChains) {
  expectCode("x = " + repeat("-", 100000) + "1", 9);
  expectCode("x = " + repeat("not ", 100000) + "a", 9);
  expectCode("x = " + repeat("1 + ", 100000) + "1", 9);
  expectCode("x = " + repeat("2 ^ ", 100000) + "1", 9);
  expectCode("x = a" + repeat(".b", 100000), 9);
  expectCode("x = a" + repeat("(1)", 100000), 9);
}

TEST(Robustness, LongLists) {
  Parsed parsed("x = [1" + repeat(", 2", 100000) + "]");
  EXPECT_FALSE(parsed.diagnostics.hasErrors());
  EXPECT_EQ(parsed.tree->body->items[0]->value->args.size(), 100001u);
}

/// Four times the text takes four times the processor's time, not sixteen times.
TEST(Robustness, LongLinesTakeLinearTime) {
  auto timeOf = [](size_t count) {
    std::clock_t begin = std::clock();
    Parsed items(repeat("a;", count));
    EXPECT_EQ(items.tree->body->items.size(), count);
    EXPECT_EQ(formatText(repeat("a;", count)), repeat("a\n", count));
    EXPECT_NE(formatText("x = [1" + repeat(", 2", count) + "]"), "error");
    return std::clock() - begin;
  };
  timeOf(1000); // what is set up once
  EXPECT_LT(timeOf(200000), 10 * timeOf(50000));
}

TEST(Robustness, EndlessItem) { expectCode(repeat("a ", 2000000), 10); }

TEST(Robustness, Garbage) {
  std::string bytes, letters;
  uint32_t state = 1;
  for (size_t i = 0; i < 10000000; ++i) {
    state = state * 1664525 + 1013904223;
    bytes += static_cast<char>(state >> 24);
    letters += static_cast<char>(' ' + (state >> 16) % 95);
  }
  expectCode(bytes, 1);
  EXPECT_EQ(errorsOf(letters).size(), 21u);
  expectCode(repeat("@", 10000000), 2);
}

TEST(Robustness, EmptyLines) {
  EXPECT_EQ(parseText(repeat("\n", 1000000) + "a" + repeat("\r\n", 1000000)), "a\n");
}

TEST(Robustness, EveryPrefixOfASampleEndsWithoutACrash) {
  std::string text = readFile(samplePaths()[16]);
  for (size_t i = 0; i < text.size(); i += 7) {
    Parsed parsed(text.substr(0, i));
    EXPECT_LE(parsed.diagnostics.all().size(), 21u);
  }
}

TEST(Robustness, EveryMissingByteEndsWithoutACrash) {
  std::string text = readFile(samplePaths()[1]);
  for (size_t i = 0; i < text.size(); i += 3) {
    Parsed parsed(text.substr(0, i) + text.substr(i + 1));
    EXPECT_LE(parsed.diagnostics.all().size(), 21u);
  }
}
