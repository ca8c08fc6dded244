// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/FormatLines.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace perfc;
using namespace perfc::syntax;

unsigned syntax::displayWidth(llvm::StringRef text) {
  return llvm::count_if(text, [](char c) { return (c & 0xC0) != 0x80; });
}

unsigned FormatLine::endColumn() const {
  unsigned column = 2 * indent;
  for (const FormatToken &token : tokens)
    column = (token.isBreakBefore ? 2 * indent + continuationIndent : column + token.gap) +
             displayWidth(token.text);
  return column;
}

unsigned FormatLine::width() const {
  unsigned column = 2 * indent, width = 0;
  for (const FormatToken &token : tokens) {
    column = (token.isBreakBefore ? 2 * indent + continuationIndent : column + token.gap) +
             displayWidth(token.text);
    width = std::max(width, column);
  }
  return width;
}

namespace {

/// Reads the tokens of a text and cuts them into lines.
class LineSplitter {
public:
  explicit LineSplitter(llvm::StringRef text) : text(text) {}
  std::vector<FormatLine> run();

private:
  /// An open bracket; the braces of an import count as parentheses.
  enum class Bracket { Paren, OneLine, Block };

  void read();
  void matchBraces();
  TokenKind kind(size_t i) const { return i < raw.size() ? raw[i].kind : TokenKind::End; }
  bool isFirstOnLine(size_t i) const { return i == 0 || kind(i - 1) == TokenKind::Newline; }
  bool isUnfinished() const;
  FormatToken token(size_t i) const;

  void add(size_t i);
  void endLine();
  void newline(size_t i);
  void comment(size_t i);
  void semicolon(size_t i);
  void openBrace(size_t i);
  void closeBrace(size_t i);

  llvm::StringRef text;
  std::vector<Token> raw;        ///< with newlines and comments
  std::vector<unsigned> columns; ///< of each token in the source
  std::vector<bool> isBlock;     ///< of raw[i], a brace: its block has lines of its own
  std::vector<Bracket> brackets;
  FormatLine line;
  unsigned indent = 0;
  bool isBlank = false;     ///< an empty line was seen
  bool isAfterBrace = true; ///< at the begin of a block, or of the file
  std::vector<FormatLine> lines;
};

} // namespace

void LineSplitter::read() {
  Lexer lexer(text);
  uint32_t place = 0;
  unsigned column = 0;
  for (Token token; (token = lexer.next()).kind != TokenKind::End;) {
    column += displayWidth(text.slice(place, token.begin));
    raw.push_back(token);
    columns.push_back(column);
    place = token.begin;
    if (token.kind == TokenKind::Newline) {
      place = token.end;
      column = 0;
    }
  }
}

/// A block is spread over lines when its braces are.
void LineSplitter::matchBraces() {
  isBlock.assign(raw.size(), false);
  std::vector<std::pair<size_t, unsigned>> open; // brace, newlines before it
  unsigned newlines = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (kind(i) == TokenKind::Newline)
      ++newlines;
    if (kind(i) == TokenKind::LBrace)
      open.push_back({i, newlines});
    if (kind(i) != TokenKind::RBrace || open.empty())
      continue;
    auto [begin, before] = open.back();
    open.pop_back();
    bool isEmpty = std::all_of(raw.begin() + begin + 1, raw.begin() + i, [](Token token) {
      return token.kind == TokenKind::Newline || token.kind == TokenKind::Semi;
    });
    isBlock[begin] = isBlock[i] = newlines > before && !isEmpty;
  }
}

FormatToken LineSplitter::token(size_t i) const {
  Token plain = raw[i];
  FormatToken token;
  token.kind = plain.kind;
  token.text = text.slice(plain.begin, plain.end);
  token.column = columns[i];
  bool isAfterBreak = i == 0 || kind(i - 1) == TokenKind::Newline;
  token.spaces = isAfterBreak ? 1 : plain.begin - raw[i - 1].end;
  return token;
}

/// True inside parentheses and after an operator or a comma, where newlines do not count.
bool LineSplitter::isUnfinished() const {
  if (!brackets.empty() && brackets.back() != Bracket::Block)
    return true;
  if (line.tokens.empty())
    return false;
  TokenKind last = line.tokens.back().kind;
  return isBinary(last) || last == TokenKind::Comma || last == TokenKind::Colon ||
         last == TokenKind::Not;
}

void LineSplitter::add(size_t i) {
  if (line.tokens.empty()) {
    line.isBlankBefore = isBlank;
    isBlank = isAfterBrace = false;
  } else if (kind(i - 1) == TokenKind::Newline) {
    line.isOneLine = false;
  }
  line.tokens.push_back(token(i));
  line.tokens.back().isBreakBefore = line.tokens.size() > 1 && kind(i - 1) == TokenKind::Newline;
}

void LineSplitter::endLine() {
  if (line.tokens.empty() && line.comment.empty())
    return;
  line.indent = indent;
  lines.push_back(std::move(line));
  line = FormatLine();
}

void LineSplitter::newline(size_t i) {
  if (isUnfinished())
    return;
  isBlank = !isAfterBrace && text.slice(raw[i].begin, raw[i].end).count('\n') > 1;
  endLine();
}

void LineSplitter::comment(size_t i) {
  FormatToken comment = token(i);
  if (isUnfinished() && !line.tokens.empty()) {
    line.tokens.back().comments.push_back(comment.text.rtrim());
    return;
  }
  if (line.tokens.empty()) {
    const FormatLine *above = lines.empty() ? nullptr : &lines.back();
    bool isBelowComment = above && !above->comment.empty() && !isBlank &&
                          (!above->tokens.empty() || above->isContinued);
    line.isContinued = isBelowComment && above->commentColumn == comment.column;
    line.isBlankBefore = isBlank;
    isBlank = isAfterBrace = false;
  }
  line.comment = comment.text.rtrim();
  line.commentColumn = comment.column;
}

/// A `;` stays between two items of one line.
void LineSplitter::semicolon(size_t i) {
  TokenKind next = kind(i + 1);
  bool isBetween = !line.tokens.empty() && line.tokens.back().kind != TokenKind::LBrace &&
                   line.tokens.back().kind != TokenKind::Semi && next != TokenKind::Newline &&
                   next != TokenKind::Comment && next != TokenKind::RBrace &&
                   next != TokenKind::Semi && next != TokenKind::End;
  if (isBetween)
    add(i);
}

void LineSplitter::openBrace(size_t i) {
  bool isImport = i > 0 && kind(i - 1) == TokenKind::Dot;
  add(i);
  brackets.push_back(isImport ? Bracket::Paren : isBlock[i] ? Bracket::Block : Bracket::OneLine);
  if (brackets.back() != Bracket::Block)
    return;
  if (kind(i + 1) == TokenKind::Comment)
    comment(i + 1);
  endLine();
  isAfterBrace = true;
  ++indent;
}

void LineSplitter::closeBrace(size_t i) {
  if (!brackets.empty() && brackets.back() == Bracket::Block) {
    endLine();
    isBlank = false;
    --indent;
  }
  if (!brackets.empty())
    brackets.pop_back();
  add(i);
}

std::vector<FormatLine> LineSplitter::run() {
  read();
  matchBraces();
  for (size_t i = 0; i < raw.size(); ++i) {
    switch (kind(i)) {
    case TokenKind::Newline:
      newline(i);
      break;
    case TokenKind::Comment: {
      bool isTaken = i > 0 && kind(i - 1) == TokenKind::LBrace && isBlock[i - 1];
      if (!isTaken)
        comment(i);
      break;
    }
    case TokenKind::Semi:
      semicolon(i);
      break;
    case TokenKind::LBrace:
      openBrace(i);
      break;
    case TokenKind::RBrace:
      closeBrace(i);
      break;
    case TokenKind::LParen:
    case TokenKind::LBracket:
      add(i);
      brackets.push_back(Bracket::Paren);
      break;
    case TokenKind::RParen:
    case TokenKind::RBracket:
      add(i);
      if (!brackets.empty())
        brackets.pop_back();
      break;
    default:
      add(i);
    }
  }
  endLine();
  return std::move(lines);
}

/// The first token at depth 0 of the kind, from `from` on.
static size_t findOutside(const FormatLine &line, TokenKind kind, size_t from) {
  unsigned depth = 0;
  for (size_t i = from; i < line.tokens.size(); ++i) {
    TokenKind at = line.tokens[i].kind;
    if (depth == 0 && at == kind)
      return i;
    if (isOpening(at))
      ++depth;
    else if (isClosing(at) && depth > 0)
      --depth;
  }
  return line.tokens.size();
}

static void fit(FormatLine line, std::vector<FormatLine> &result);

/// Gives the tokens [begin, end) of `line` a line of their own.
static void fitPart(const FormatLine &line, size_t begin, size_t end, unsigned indent,
                    std::vector<FormatLine> &result) {
  FormatLine part;
  part.indent = indent;
  part.isOneLine = begin == 0 && line.isOneLine; // its columns still mean something
  part.tokens.assign(line.tokens.begin() + begin, line.tokens.begin() + end);
  part.isBlankBefore = begin == 0 && line.isBlankBefore;
  if (end == line.tokens.size()) {
    part.comment = line.comment;
    part.commentColumn = line.commentColumn;
  }
  if (!part.tokens.empty())
    fit(std::move(part), result);
}

/// Gives each item of the tokens [begin, end) a line of its own.
static void fitItems(const FormatLine &line, size_t begin, size_t end, unsigned indent,
                     std::vector<FormatLine> &result) {
  while (begin < end) {
    size_t semi = std::min(findOutside(line, TokenKind::Semi, begin), end);
    fitPart(line, begin, semi, indent, result);
    begin = semi + 1;
  }
}

/// Appends `line`; when it is too long, one item per line, then one line per item of its block.
static void fit(FormatLine line, std::vector<FormatLine> &result) {
  setGaps(line.tokens);
  size_t count = line.tokens.size();
  size_t open = findOutside(line, TokenKind::LBrace, 0);
  bool isImport = open > 0 && open < count && line.tokens[open - 1].kind == TokenKind::Dot;
  bool isTooLong = line.width() > maxColumns;
  if (isTooLong && findOutside(line, TokenKind::Semi, 0) < count) {
    fitItems(line, 0, count, line.indent, result);
    return;
  }
  bool isEmpty = open + 1 < count && line.tokens[open + 1].kind == TokenKind::RBrace;
  if (!isTooLong || isImport || isEmpty || open + 1 >= count) {
    result.push_back(std::move(line));
    return;
  }
  size_t close = findOutside(line, TokenKind::RBrace, open + 1);
  fitPart(line, 0, open + 1, line.indent, result);
  fitItems(line, open + 1, close, line.indent + 1, result);
  fitPart(line, close, count, line.indent, result);
}

std::vector<FormatLine> syntax::splitLines(llvm::StringRef text) {
  std::vector<FormatLine> result;
  for (FormatLine &line : LineSplitter(text).run())
    fit(std::move(line), result);
  return result;
}
