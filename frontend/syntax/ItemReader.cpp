// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/ItemReader.h"

#include "frontend/syntax/Parser.h"
#include "ir/common/diagnostics/Syntax.h"

using namespace perfc;
using namespace perfc::syntax;

Token ItemReader::readToken() {
  Token token = lexer.next();
  while (token.kind == TokenKind::Comment)
    token = lexer.next();
  return token;
}

/// Token `index` of the buffer. A run of stray bytes is one token, so it is read to its end; so are
/// newlines with comments between them.
Token ItemReader::peek(size_t index) {
  auto isRun = [](TokenKind kind) {
    return kind == TokenKind::Newline || kind == TokenKind::Stray;
  };
  while (buffer.size() <= index || (buffer.size() == index + 1 && isRun(buffer.back().kind))) {
    Token token = readToken();
    Token *last = buffer.empty() ? nullptr : &buffer.back();
    if (last && last->kind == TokenKind::End)
      return *last;
    if (last && last->kind == token.kind && isRun(token.kind))
      last->end = token.end;
    else
      buffer.push_back(token);
  }
  return buffer[index];
}

/// The level of the innermost body: parentheses have no lines of their own.
ItemReader::Level &ItemReader::body() {
  for (size_t i = levels.size(); i-- > 1;)
    if (levels[i].open.kind == TokenKind::LBrace)
      return levels[i];
  return levels.front();
}

unsigned ItemReader::depth() const {
  unsigned depth = levels.size() - 1;
  for (const Level &level : levels)
    depth += level.choices;
  return depth;
}

void ItemReader::checkDepth(Token token) {
  if (depth() <= maxNesting)
    return;
  errors.report(token, diag::NestingTooDeep, maxNesting);
  errors.giveUp();
}

bool ItemReader::isFirstOfLine(Token token) const {
  llvm::StringRef before = errors.text().take_front(token.begin).rtrim(" \t\r\f");
  return before.empty() || before.back() == '\n';
}

/// The column, from 0, at which the line of `token` starts.
uint32_t ItemReader::indentOf(Token token) const {
  llvm::StringRef text = errors.text();
  size_t start = text.rfind('\n', token.begin);
  start = start == llvm::StringRef::npos ? 0 : start + 1;
  return text.drop_front(start).find_first_not_of(" \t\r\f");
}

/// Reports the parenthesis that stays open and goes on where its item probably ends: at a brace, or
/// before a line that is indented no deeper.
void ItemReader::unclosedParen(std::vector<Token> &item) {
  Level paren = levels.pop_back_val();
  while (isInParens())
    paren = levels.pop_back_val();
  Level &line = body();
  if (!line.isDamaged && isNew(paren.open))
    errors.report(paren.open, diag::UnclosedBracket, errors.text(paren.open));
  line.isDamaged = true;
  item.resize(line.lineStart);
  uint32_t indent = indentOf(paren.open);
  for (position = paren.index + 1;; ++position) {
    TokenKind kind = peek(position).kind;
    if (kind == TokenKind::End || kind == TokenKind::Semi || kind == TokenKind::LBrace ||
        kind == TokenKind::RBrace)
      return;
    if (kind == TokenKind::Newline && indentOf(peek(position + 1)) <= indent)
      return;
  }
}

/// Reports the outermost open `{`. The next item probably starts where a line is indented no
/// deeper than the line of the `{`; reading goes on there, else at the end.
void ItemReader::unclosedBrace(std::vector<Token> &item) {
  while (levels.size() > 2)
    levels.pop_back();
  Level brace = levels.pop_back_val();
  Diagnostic &diagnostic = errors.report(brace.open, diag::UnclosedBracket, "{");
  if (misplaced.kind == TokenKind::RBrace)
    diagnostic.note(errors.range(misplaced), "this `}` closes a block that is indented otherwise");
  item.resize(levels.back().lineStart);
  levels.back().isDamaged = true;
  uint32_t indent = indentOf(brace.open);
  for (position = brace.index + 1; peek(position).kind != TokenKind::End; ++position) {
    Token token = peek(position);
    if (token.kind != TokenKind::Newline && token.kind != TokenKind::RBrace &&
        isFirstOfLine(token) && indentOf(token) <= indent) {
      --position; // the newline before it ends the damaged item
      return;
    }
  }
}

/// Ends a line of the innermost body; true when that is the top-level item.
bool ItemReader::endOfLine(std::vector<Token> &item, Token token) {
  Level &line = levels.back();
  if (line.isDamaged)
    item.resize(line.lineStart);
  line.isDamaged = false;
  line.choices = 0;
  if (levels.size() == 1)
    return !item.empty();
  bool isRepeated = item.size() == line.lineStart;
  if (!isRepeated && token.kind != TokenKind::RBrace)
    item.push_back(token);
  line.lineStart = item.size();
  return false;
}

/// After these a line goes on.
static bool continuesLine(TokenKind kind) {
  return isBinary(kind) || kind == TokenKind::Comma || kind == TokenKind::Colon ||
         kind == TokenKind::Not;
}

/// True when, inside parentheses, a new item starts where an operator or a comma is due: with a
/// name in a line that is indented no deeper than that of the parenthesis.
bool ItemReader::startsItem(const std::vector<Token> &item) {
  Token following = peek(position);
  bool isStart = following.kind == TokenKind::Word || following.kind == TokenKind::Import;
  return isStart && endsValue(item.back().kind) &&
         indentOf(following) <= indentOf(levels.back().open);
}

void ItemReader::newline(std::vector<Token> &item, Token token, bool &ended) {
  if (isInParens() && startsItem(item)) {
    unclosedParen(item);
    return;
  }
  Level &line = levels.back();
  bool isEmpty = item.size() == line.lineStart;
  if (isInParens() || (!line.isDamaged && !isEmpty && continuesLine(item.back().kind)))
    return;
  Token following = peek(position);
  if (following.kind == TokenKind::LBrace && (line.isDamaged || !isEmpty)) {
    if (!line.isDamaged && isNew(following))
      errors.report(following, diag::BraceOnNextLine);
    return;
  }
  if (following.kind == TokenKind::Else && !isEmpty && item.back().kind == TokenKind::RBrace) {
    if (isNew(following))
      errors.report(following, diag::ElseOnNextLine);
    return;
  }
  if (following.kind != TokenKind::RBrace || levels.size() == 1)
    ended = endOfLine(item, token);
}

void ItemReader::open(std::vector<Token> &item, Token token) {
  if (token.kind == TokenKind::LBrace && isInParens()) {
    unclosedParen(item);
    return;
  }
  item.push_back(token);
  levels.push_back({token, position - 1, item.size(), false, 0});
  checkDepth(token);
}

static TokenKind partnerOf(TokenKind closing) {
  return closing == TokenKind::RParen     ? TokenKind::LParen
         : closing == TokenKind::RBracket ? TokenKind::LBracket
                                          : TokenKind::LBrace;
}

void ItemReader::close(std::vector<Token> &item, Token token) {
  if (token.kind == TokenKind::RBrace && isInParens()) {
    unclosedParen(item); // which goes back, and finds the brace again
    return;
  }
  Level &top = levels.back();
  if (levels.size() > 1 && top.open.kind == partnerOf(token.kind)) {
    if (token.kind == TokenKind::RBrace) {
      if (misplaced.kind == TokenKind::End && isFirstOfLine(token) &&
          indentOf(token) != indentOf(top.open))
        misplaced = token;
      endOfLine(item, token);
    }
    levels.pop_back();
    item.push_back(token);
    return;
  }
  Level &line = body();
  if (!line.isDamaged && isNew(token)) {
    if (isInParens())
      errors.report(token, diag::MismatchedBracket, errors.text(token), errors.text(top.open))
          .note(errors.range(top.open), "opened here");
    else
      errors.report(token, diag::UnmatchedBracket, errors.text(token));
  }
  line.isDamaged = true;
  if (isInParens())
    levels.pop_back();
}

/// A string that is not closed has swallowed the brackets that close on its line.
void ItemReader::closeSwallowed(Token string) {
  for (char c : errors.text(string)) {
    TokenKind open = c == ')'   ? TokenKind::LParen
                     : c == ']' ? TokenKind::LBracket
                     : c == '}' ? TokenKind::LBrace
                                : TokenKind::End;
    if (levels.size() > 1 && levels.back().open.kind == open)
      levels.pop_back();
  }
}

/// Reports a comment of other languages and goes on behind it, or behind its line.
void ItemReader::skipComment(Token slash) {
  Token start{TokenKind::Stray, slash.begin, slash.begin + 2};
  if (isNew(start))
    errors.report(start, diag::StrayCharacter, "`/*`")
        .help("a comment begins with `//` and ends with its line");
  llvm::StringRef text = errors.text();
  size_t end = text.find("*/", start.end);
  end = end == llvm::StringRef::npos ? text.find('\n', start.end) : end + 2;
  while (peek(position).kind != TokenKind::End && peek(position).begin < end)
    ++position;
}

/// Looks at one token; returns false when it ended the item.
bool ItemReader::scan(std::vector<Token> &item) {
  Token token = peek(position++);
  bool ended = false;
  switch (token.kind) {
  case TokenKind::Newline:
    newline(item, token, ended);
    return !ended;
  case TokenKind::Semi:
    if (isInParens()) {
      unclosedParen(item);
      return true;
    }
    return !endOfLine(item, token);
  case TokenKind::LParen:
  case TokenKind::LBracket:
  case TokenKind::LBrace:
    open(item, token);
    return true;
  case TokenKind::RParen:
  case TokenKind::RBracket:
  case TokenKind::RBrace:
    close(item, token);
    return true;
  case TokenKind::Slash:
    if (peek(position).kind == TokenKind::Star && peek(position).begin == token.end)
      skipComment(token);
    else
      item.push_back(token);
    return true;
  case TokenKind::Stray:
    if (!body().isDamaged && isNew(token))
      reportStray(errors, token);
    body().isDamaged = true;
    return true;
  case TokenKind::OpenString:
    if (!body().isDamaged && isNew(token))
      errors.report(token, diag::UnterminatedString).help("close it with `\"`");
    closeSwallowed(token);
    body().isDamaged = true;
    return true;
  case TokenKind::End:
    --position;
    if (isInParens()) {
      unclosedParen(item);
      return true;
    }
    if (levels.size() > 1) {
      unclosedBrace(item);
      return true;
    }
    endOfLine(item, token);
    return false;
  case TokenKind::If:
    ++levels.back().choices;
    checkDepth(token);
    [[fallthrough]];
  default:
    item.push_back(token);
    return true;
  }
}

bool ItemReader::next(std::vector<Token> &item) {
  item.clear();
  buffer.erase(buffer.begin(), buffer.begin() + position);
  position = 0;
  levels.assign(1, {});
  misplaced = {};
  while (!errors.isFull() && scan(item))
    if (item.size() > maxItemTokens) {
      errors.report(item.front(), diag::ItemTooLong, maxItemTokens);
      errors.giveUp();
    }
  return !errors.isFull() && !item.empty();
}
