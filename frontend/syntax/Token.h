// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of `.perf` as plain values, and the lexer that makes them. The lexer never fails:
// bytes without a meaning come out as Stray, a string that its line does not close as OpenString.
#ifndef PERFC_FRONTEND_SYNTAX_TOKEN_H
#define PERFC_FRONTEND_SYNTAX_TOKEN_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <memory>

namespace perfc::syntax {

/// The token types of grammar/PerfLexer.g4, in its order.
enum class TokenKind : uint8_t {
  End,
  Import,
  If,
  Then,
  Else,
  And,
  Or,
  Not,
  In,
  As,
  Step,
  Word,
  Number,
  String,
  OpenString,
  Assign,
  PlusAssign,
  Arrow,
  PlusMinus,
  Ellipsis,
  DotDot,
  Equal,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  Plus,
  Minus,
  Star,
  Slash,
  Percent,
  Caret,
  Dot,
  Comma,
  Colon,
  Semi,
  LParen,
  RParen,
  LBracket,
  RBracket,
  LBrace,
  RBrace,
  Newline,
  Comment,
  Space,
  Stray,
};

/// Bytes [begin, end) of the file.
struct Token {
  TokenKind kind = TokenKind::End;
  uint32_t begin = 0;
  uint32_t end = 0;
};

inline bool isName(TokenKind kind) {
  return kind == TokenKind::Word || kind == TokenKind::As || kind == TokenKind::Step;
}

/// `import if then else and or not in`.
inline bool isReserved(TokenKind kind) {
  return kind >= TokenKind::Import && kind <= TokenKind::In;
}

inline bool isOpening(TokenKind kind) {
  return kind == TokenKind::LParen || kind == TokenKind::LBracket || kind == TokenKind::LBrace;
}

inline bool isClosing(TokenKind kind) {
  return kind == TokenKind::RParen || kind == TokenKind::RBracket || kind == TokenKind::RBrace;
}

/// An operator with an operand on both sides, assignment signs included.
inline bool isBinary(TokenKind kind) {
  switch (kind) {
  case TokenKind::Assign:
  case TokenKind::PlusAssign:
  case TokenKind::Arrow:
  case TokenKind::And:
  case TokenKind::Or:
  case TokenKind::In:
    return true;
  default:
    return kind != TokenKind::Ellipsis && kind >= TokenKind::PlusMinus && kind <= TokenKind::Caret;
  }
}

/// After such a token a value is complete: what follows is an operator, a clause or the end.
inline bool endsValue(TokenKind kind) {
  return isName(kind) || kind == TokenKind::Number || kind == TokenKind::String ||
         kind == TokenKind::Ellipsis || kind == TokenKind::RParen || kind == TokenKind::RBracket;
}

/// Reads the tokens of a text one by one, spaces left out, comments and newlines included.
class Lexer {
public:
  /// Begins at byte `begin` of `text`, which must outlive the lexer. A byte order mark at the begin
  /// of a text is skipped.
  explicit Lexer(llvm::StringRef text, uint32_t begin = 0);
  ~Lexer();
  /// The next token; End again and again at the end of the text.
  Token next();

private:
  struct Machine;
  std::unique_ptr<Machine> machine;
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_TOKEN_H
