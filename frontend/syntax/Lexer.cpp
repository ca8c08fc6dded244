// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Token.h"

#include "antlr4-runtime.h"
#include "grammar/PerfLexer.h"
#include "llvm/ADT/StringSwitch.h"
#include <array>

using namespace perfc::syntax;
using perfc::grammar::PerfLexer;

// TokenKind follows the grammar; these catch a token added to one of them only.
static_assert(PerfLexer::IMPORT == size_t(TokenKind::Import));
static_assert(PerfLexer::WORD == size_t(TokenKind::Word));
static_assert(PerfLexer::OPEN_STRING == size_t(TokenKind::OpenString));
static_assert(PerfLexer::DOT_DOT == size_t(TokenKind::DotDot));
static_assert(PerfLexer::GREATER == size_t(TokenKind::Greater));
static_assert(PerfLexer::CARET == size_t(TokenKind::Caret));
static_assert(PerfLexer::SEMI == size_t(TokenKind::Semi));
static_assert(PerfLexer::R_BRACE == size_t(TokenKind::RBrace));
static_assert(PerfLexer::STRAY == size_t(TokenKind::Stray));

/// What each byte looks like to ANTLR, which makes its tables as it meets characters: those that
/// the grammar does not tell apart look the same. These are digits, letters but for those of
/// exponents, and bytes that are not ASCII, which only strings and comments may hold (DEL).
static constexpr auto byteClasses = [] {
  std::array<unsigned char, 256> classes = {};
  for (unsigned byte = 0; byte < classes.size(); ++byte) {
    bool isLetter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
    bool isDigit = byte >= '0' && byte <= '9', isOfExponent = byte == 'e' || byte == 'E';
    classes[byte] = byte >= 0x80   ? 0x7F
                    : isOfExponent ? 'e'
                    : isLetter     ? '_'
                    : isDigit      ? '0'
                                   : byte;
  }
  return classes;
}();

/// A word as it stands in the grammar: reserved, or with a place there.
static TokenKind kindOf(llvm::StringRef word) {
  return llvm::StringSwitch<TokenKind>(word)
      .Case("import", TokenKind::Import)
      .Case("if", TokenKind::If)
      .Case("then", TokenKind::Then)
      .Case("else", TokenKind::Else)
      .Case("and", TokenKind::And)
      .Case("or", TokenKind::Or)
      .Case("not", TokenKind::Not)
      .Case("in", TokenKind::In)
      .Case("as", TokenKind::As)
      .Case("step", TokenKind::Step)
      .Default(TokenKind::Word);
}

namespace {

/// The bytes of a text as ANTLR's characters.
class ByteStream final : public antlr4::CharStream {
public:
  explicit ByteStream(llvm::StringRef text) : text(text) {}

  void consume() override { ++position; }
  size_t LA(ssize_t distance) override {
    size_t at = position + distance - (distance > 0 ? 1 : 0);
    return at < text.size() ? byteClasses[static_cast<unsigned char>(text[at])]
                            : antlr4::IntStream::EOF;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position; }
  void seek(size_t target) override { position = target; }
  size_t size() override { return text.size(); }
  std::string getSourceName() const override { return {}; }
  std::string getText(const antlr4::misc::Interval &interval) override {
    return text.slice(interval.a, interval.b + 1).str();
  }
  std::string toString() const override { return text.str(); }

  /// Passes over what the grammar skips, half of all tokens.
  void skipSpaces() {
    position = std::min(text.find_first_not_of(" \t\r\f", position), text.size());
  }

  const llvm::StringRef text;

private:
  size_t position = 0;
};

/// The generated lexer, without an allocation per token.
class PlainLexer final : public PerfLexer {
public:
  using PerfLexer::PerfLexer;

  antlr4::Token *emit() override {
    if (type == antlr4::Token::EOF)
      return emitEOF();
    last = {static_cast<TokenKind>(type), static_cast<uint32_t>(tokenStartCharIndex),
            static_cast<uint32_t>(getCharIndex())};
    return nullptr;
  }
  antlr4::Token *emitEOF() override {
    last = {TokenKind::End, static_cast<uint32_t>(_input->size()),
            static_cast<uint32_t>(_input->size())};
    return nullptr;
  }

  Token last;
};

} // namespace

struct Lexer::Machine {
  Machine(llvm::StringRef text, uint32_t begin) : stream(text), lexer(&stream) {
    stream.seek(begin == 0 && text.startswith("\xEF\xBB\xBF") ? 3 : begin);
    lexer.removeErrorListeners();
  }

  ByteStream stream;
  PlainLexer lexer;
};

Lexer::Lexer(llvm::StringRef text, uint32_t begin)
    : machine(std::make_unique<Machine>(text, begin)) {}
Lexer::~Lexer() = default;

Token Lexer::next() {
  machine->stream.skipSpaces();
  machine->lexer.nextToken();
  Token token = machine->lexer.last;
  if (token.kind == TokenKind::Word)
    token.kind = kindOf(machine->stream.text.slice(token.begin, token.end));
  return token;
}
