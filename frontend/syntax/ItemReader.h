// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The filter between lexer and parser. It drops comments and the newlines that do not count
// (inside ( ) and [ ], after an operator, a comma or `{`, before `}`), matches the brackets,
// refuses deep nesting, and hands out one top-level item at a time, so that the parser sees
// balanced tokens only. A line whose text or brackets are wrong is reported here and left out.
#ifndef PERFC_FRONTEND_SYNTAX_ITEMREADER_H
#define PERFC_FRONTEND_SYNTAX_ITEMREADER_H

#include "frontend/syntax/SyntaxErrors.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace perfc::syntax {

/// Tokens of one item at most; keeps the memory of a hostile file in bounds.
inline constexpr size_t maxItemTokens = 1 << 20;

class ItemReader {
public:
  /// Reads what stands in `part` of the file.
  ItemReader(SyntaxErrors &errors, SourceRange part)
      : errors(errors), lexer(errors.text().take_front(part.end), part.begin) {}

  /// Fills `item` with the tokens of the next top-level item, without its line end; false at the
  /// end of the file or when the file is given up.
  bool next(std::vector<Token> &item);
  /// Where reading stands.
  uint32_t offset() { return peek(position).begin; }

private:
  /// An open bracket, or (the first) the file itself.
  struct Level {
    Token open;
    size_t index = 0;       ///< of `open` in `buffer`
    size_t lineStart = 0;   ///< of a body: where its current line begins in the item
    bool isDamaged = false; ///< of a body: its current line has an error already
    unsigned choices = 0;   ///< `if`s of the current line, which nest
  };

  Token peek(size_t index);
  Token readToken();
  bool isInParens() const {
    return levels.back().open.kind != TokenKind::LBrace && levels.size() > 1;
  }
  Level &body();
  unsigned depth() const;

  void skipComment(Token slash);
  bool scan(std::vector<Token> &item);
  bool endOfLine(std::vector<Token> &item, Token token);
  bool startsItem(const std::vector<Token> &item);
  void newline(std::vector<Token> &item, Token token, bool &ended);
  void open(std::vector<Token> &item, Token token);
  void close(std::vector<Token> &item, Token token);
  void checkDepth(Token token);
  bool isNew(Token token) { return reported.insert(token.begin).second; }
  void closeSwallowed(Token string);
  void unclosedParen(std::vector<Token> &item);
  void unclosedBrace(std::vector<Token> &item);
  uint32_t indentOf(Token token) const;
  bool isFirstOfLine(Token token) const;

  SyntaxErrors &errors;
  Lexer lexer;
  std::vector<Token> buffer; ///< tokens read and not yet given away
  size_t position = 0;       ///< in `buffer`: the next token to look at
  llvm::SmallVector<Level, 16> levels;
  llvm::SmallSet<uint32_t, 16> reported; ///< where errors were found: text may be read twice
  Token misplaced; ///< the first `}` of the item whose indent is not that of its block
};

} // namespace perfc::syntax

#endif // PERFC_FRONTEND_SYNTAX_ITEMREADER_H
