// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Text that no one would write must end in a message, soon and in little memory.
#include "SyntaxText.h"
#include <chrono>
#include <gtest/gtest.h>

using namespace perfc;
using namespace perfc::test;

/// Parses, within a generous time for a slow or instrumented build, to the one code.
static void expectCode(std::string text, unsigned code) {
  auto begin = std::chrono::steady_clock::now();
  Parsed parsed(std::move(text));
  auto seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LT(seconds, 20.0);
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

TEST(Robustness, LongLinesTakeLinearTime) {
  auto begin = std::chrono::steady_clock::now();
  Parsed items(repeat("a;", 200000));
  EXPECT_EQ(items.tree->body->items.size(), 200000u);
  EXPECT_EQ(formatText(repeat("a;", 200000)), repeat("a\n", 200000));
  EXPECT_NE(formatText("x = [1" + repeat(", 2", 200000) + "]"), "error");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
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
  auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(errorsOf(letters).size(), 21u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
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
