// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tokens of one item as ANTLR's token stream. For .cpp files that include ANTLR only.
#ifndef PERFC_FRONTEND_SYNTAX_TOKENLIST_H
#define PERFC_FRONTEND_SYNTAX_TOKENLIST_H

#include "antlr4-runtime.h"
#include "frontend/syntax/Token.h"
#include "llvm/ADT/ArrayRef.h"

namespace perfc::syntax {

/// A token as ANTLR wants to see it; it has no text of its own.
class ListToken final : public antlr4::Token {
public:
  ListToken(syntax::Token plain, size_t index) : plain(plain), index(index) {}

  std::string getText() const override { return {}; }
  size_t getType() const override {
    return plain.kind == TokenKind::End ? antlr4::Token::EOF : size_t(plain.kind);
  }
  size_t getLine() const override { return 0; }
  size_t getCharPositionInLine() const override { return plain.begin; }
  size_t getChannel() const override { return DEFAULT_CHANNEL; }
  size_t getTokenIndex() const override { return index; }
  size_t getStartIndex() const override { return plain.begin; }
  size_t getStopIndex() const override { return plain.end; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  antlr4::CharStream *getInputStream() const override { return nullptr; }
  std::string toString() const override { return {}; }

  syntax::Token plain;
  size_t index;
};

/// The plain token behind a token of a TokenList.
inline syntax::Token plainToken(const antlr4::Token *token) {
  return static_cast<const ListToken *>(token)->plain;
}

class TokenList final : public antlr4::TokenStream {
public:
  /// Replaces the tokens; End tokens follow the last.
  void assign(llvm::ArrayRef<syntax::Token> plain) {
    tokens.clear();
    tokens.reserve(plain.size() + 1);
    for (const syntax::Token &token : plain)
      tokens.emplace_back(token, tokens.size());
    uint32_t end = plain.empty() ? 0 : plain.back().end;
    tokens.emplace_back(syntax::Token{TokenKind::End, end, end}, tokens.size());
    position = 0;
    if (tokens.capacity() > kept && tokens.size() < kept)
      tokens.shrink_to_fit();
  }

  antlr4::Token *LT(ssize_t distance) override {
    if (distance < 0 && size_t(-distance) > position)
      return nullptr;
    size_t at = position + distance - (distance > 0 ? 1 : 0);
    return &tokens[std::min(at, tokens.size() - 1)];
  }
  size_t LA(ssize_t distance) override { return LT(distance)->getType(); }
  antlr4::Token *get(size_t index) const override {
    return const_cast<ListToken *>(&tokens[index]);
  }
  void consume() override {
    if (position + 1 < tokens.size())
      ++position;
  }
  ssize_t mark() override { return -1; }
  void release(ssize_t) override {}
  size_t index() override { return position; }
  void seek(size_t target) override { position = target; }
  size_t size() override { return tokens.size(); }
  std::string getSourceName() const override { return {}; }
  antlr4::TokenSource *getTokenSource() const override { return nullptr; }
  std::string getText(const antlr4::misc::Interval &) override { return {}; }
  std::string getText() override { return {}; }
  std::string getText(antlr4::RuleContext *) override { return {}; }
  std::string getText(antlr4::Token *, antlr4::Token *) override { return {}; }

private:
  static constexpr size_t kept = 1 << 14;
  std::vector<ListToken> tokens;
  size_t position = 0;
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_TOKENLIST_H
