// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Token.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace perfc::syntax;

/// The texts of the tokens, in quotes where nothing else shows their ends.
static std::string tokensOf(llvm::StringRef text) {
  Lexer lexer(text);
  std::vector<std::string> tokens;
  for (Token token; (token = lexer.next()).kind != TokenKind::End;)
    tokens.push_back(text.slice(token.begin, token.end).str());
  return llvm::join(tokens, "|");
}

static TokenKind kindOf(llvm::StringRef text) { return Lexer(text).next().kind; }

TEST(Lexer, QuantityIsOneToken) {
  EXPECT_EQ(tokensOf("25GB/s/chip 0.1/cm2 8% 2x 1/cycle 1.5e-3J 4.0TB/s"),
            "25GB/s/chip|0.1/cm2|8%|2x|1/cycle|1.5e-3J|4.0TB/s");
  EXPECT_EQ(kindOf("25GB/s/chip"), TokenKind::Number);
}

TEST(Lexer, OperatorsWithSpacesDivide) {
  EXPECT_EQ(tokensOf("L / 128"), "L|/|128");
  EXPECT_EQ(tokensOf("L/128"), "L|/|128");
  EXPECT_EQ(tokensOf("a%b"), "a|%|b");
  EXPECT_EQ(tokensOf("64b / 2"), "64b|/|2");
  EXPECT_EQ(tokensOf("128/L"), "128/L") << "a unit, by design: its name is checked later";
}

TEST(Lexer, RangeIsNotAFraction) {
  EXPECT_EQ(tokensOf("1..28"), "1|..|28");
  EXPECT_EQ(tokensOf("64KiB..1MiB"), "64KiB|..|1MiB");
  EXPECT_EQ(tokensOf("1.5..2"), "1.5|..|2");
  EXPECT_EQ(tokensOf("[...]"), "[|...|]");
}

TEST(Lexer, ExponentNeedsDigits) {
  EXPECT_EQ(tokensOf("1e9 1e+3 2e 3eV 2e+x"), "1e9|1e+3|2e|3eV|2e|+|x");
}

TEST(Lexer, ReservedWordsAreWholeWords) {
  EXPECT_EQ(kindOf("in"), TokenKind::In);
  EXPECT_EQ(kindOf("inner"), TokenKind::Word);
  EXPECT_EQ(kindOf("step_time"), TokenKind::Word);
  EXPECT_EQ(kindOf("step"), TokenKind::Step);
}

TEST(Lexer, StringsAndComments) {
  EXPECT_EQ(tokensOf(R"("a\"b" // c)"), R"("a\"b"|// c)");
  EXPECT_EQ(kindOf("\"abc\n\""), TokenKind::OpenString);
  EXPECT_EQ(kindOf("\"abc\\"), TokenKind::OpenString);
  EXPECT_EQ(tokensOf("8B//x"), "8B|//x");
}

TEST(Lexer, SpacesAndMarksAreSkipped) {
  EXPECT_EQ(tokensOf("\xEF\xBB\xBF"
                     "a\tb\r\n"),
            "a|b|\n");
  EXPECT_EQ(kindOf(llvm::StringRef("\0", 1)), TokenKind::Stray);
  EXPECT_EQ(kindOf("\xC2\xB1"), TokenKind::Stray);
}

TEST(Lexer, LinesAndCommentsEndWhereTheyDo) {
  EXPECT_EQ(tokensOf("a\n \r\n\t\n b"), "a|\n \r\n\t\n|b");
  EXPECT_EQ(tokensOf("a\n  "), "a|\n");
  EXPECT_EQ(tokensOf("// a\n//"), "// a|\n|//");
  EXPECT_EQ(kindOf("//"), TokenKind::Comment);
  EXPECT_EQ(kindOf("/ /"), TokenKind::Slash);
}

TEST(Lexer, DigitsAloneAreANumber) {
  EXPECT_EQ(tokensOf("[128,4]x(12 8.5)"), "[|128|,|4|]|x|(|12|8.5|)");
  EXPECT_EQ(tokensOf("12//a"), "12|//a");
  EXPECT_EQ(tokensOf("12.x 12_a 12%3"), "12|.|x|12_a|12%|3");
  EXPECT_EQ(kindOf("7"), TokenKind::Number);
}

TEST(Lexer, BytesAreTokens) {
  llvm::StringRef bytes = ",:;()[]{}";
  const TokenKind kinds[] = {TokenKind::Comma,    TokenKind::Colon,  TokenKind::Semi,
                             TokenKind::LParen,   TokenKind::RParen, TokenKind::LBracket,
                             TokenKind::RBracket, TokenKind::LBrace, TokenKind::RBrace};
  for (size_t i = 0; i < bytes.size(); ++i)
    EXPECT_EQ(kindOf(bytes.substr(i, 1)), kinds[i]) << bytes.substr(i, 1).str();
}

TEST(Lexer, EndStaysTheEnd) {
  Lexer lexer("a");
  lexer.next();
  EXPECT_EQ(lexer.next().kind, TokenKind::End);
  EXPECT_EQ(lexer.next().kind, TokenKind::End);
}
