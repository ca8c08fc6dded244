// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/Token.h"

#include "antlr4-runtime.h"
#include "grammar/PerfLexer.h"
#include "llvm/ADT/StringExtras.h"
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

static bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }
static bool isWordByte(char c) { return llvm::isAlnum(c) || c == '_'; }

/// The token that is the byte `c`, where no other begins with it; else End.
static TokenKind kindOfByte(char c) {
  switch (c) {
  case ',':
    return TokenKind::Comma;
  case ':':
    return TokenKind::Colon;
  case ';':
    return TokenKind::Semi;
  case '(':
    return TokenKind::LParen;
  case ')':
    return TokenKind::RParen;
  case '[':
    return TokenKind::LBracket;
  case ']':
    return TokenKind::RBracket;
  case '{':
    return TokenKind::LBrace;
  case '}':
    return TokenKind::RBrace;
  default:
    return TokenKind::End;
  }
}

/// The token that `text` begins with and its size, where it is a word, the end of a line, a
/// comment, a number of digits alone, or a byte with which no longer token begins; else End and 0.
static std::pair<TokenKind, size_t> evident(llvm::StringRef text) {
  if (text.empty())
    return {TokenKind::End, 0};
  if (llvm::isDigit(text.front())) {
    size_t size = text.take_while([](char c) { return llvm::isDigit(c); }).size();
    char next = size < text.size() ? text[size] : ' ';
    bool goesOn = isWordByte(next) || next == '.' || next == '%' || next == '/';
    return goesOn ? std::pair(TokenKind::End, size_t(0)) : std::pair(TokenKind::Number, size);
  }
  if (isWordByte(text.front())) {
    llvm::StringRef word = text.take_while(isWordByte);
    return {kindOf(word), word.size()};
  }
  if (text.startswith("//"))
    return {TokenKind::Comment, std::min(text.find('\n'), text.size())};
  if (text.front() == '\n') { // with the empty lines below it
    size_t size = 1;
    for (size_t at = 1; at < text.size() && (text[at] == '\n' || isSpace(text[at])); ++at)
      size = text[at] == '\n' ? at + 1 : size;
    return {TokenKind::Newline, size};
  }
  TokenKind kind = kindOfByte(text.front());
  return {kind, kind == TokenKind::End ? 0 : 1};
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
    while (position < text.size() && isSpace(text[position]))
      ++position;
  }

  /// The token here where its first bytes say how it goes on, as most do; else End. ANTLR takes a
  /// hundred instructions for each byte.
  Token takeEvident() {
    llvm::StringRef rest = text.drop_front(std::min(position, text.size()));
    auto [kind, size] = evident(rest);
    Token token = {kind, static_cast<uint32_t>(position), static_cast<uint32_t>(position + size)};
    position += size;
    return token;
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
  if (Token token = machine->stream.takeEvident(); token.kind != TokenKind::End)
    return token;
  machine->lexer.nextToken();
  return machine->lexer.last;
}
