// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/FormatLines.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace perfc;
using namespace perfc::syntax;

namespace {

/// Keeps what the author lined up: tokens of neighbouring lines that start in one column of the
/// source, at least one of them after two spaces or more, start in one column of the result.
class Aligner {
public:
  explicit Aligner(std::vector<FormatLine> &lines) : lines(lines) {}
  void run();

private:
  /// A token by its place: line and index in the line.
  struct Place {
    size_t line, token;
  };

  bool isEligible(size_t i) const;
  bool areNeighbours(size_t i) const;
  size_t tokenAt(size_t line, unsigned column) const;
  void alignRun(size_t begin, size_t end);
  void alignColumn(unsigned column, size_t begin, size_t end);
  void align(llvm::ArrayRef<Place> chain);
  unsigned naturalColumn(Place place) const;

  std::vector<FormatLine> &lines;
  std::vector<bool> isLeftOut;
};

} // namespace

bool Aligner::isEligible(size_t i) const {
  const FormatLine &line = lines[i];
  return line.isOneLine && !line.tokens.empty() && !isLeftOut[i];
}

/// True when lines i - 1 and i may share columns.
bool Aligner::areNeighbours(size_t i) const {
  return isEligible(i - 1) && isEligible(i) && lines[i - 1].indent == lines[i].indent &&
         !lines[i].isBlankBefore;
}

/// The token of the line that starts in `column` of the source after a space, or the line's size.
size_t Aligner::tokenAt(size_t line, unsigned column) const {
  const std::vector<FormatToken> &tokens = lines[line].tokens;
  auto found = std::lower_bound(
      tokens.begin(), tokens.end(), column,
      [](const FormatToken &token, unsigned column) { return token.column < column; });
  bool isHit = found != tokens.end() && found != tokens.begin() && found->column == column &&
               found->spaces > 0 && found->gap > 0;
  return isHit ? found - tokens.begin() : tokens.size();
}

unsigned Aligner::naturalColumn(Place place) const {
  const FormatLine &line = lines[place.line];
  unsigned column = 2 * line.indent;
  for (size_t i = 0; i < place.token; ++i)
    column += line.tokens[i].gap + displayWidth(line.tokens[i].text);
  return column + 1;
}

void Aligner::align(llvm::ArrayRef<Place> chain) {
  bool isMeant = chain.size() > 1 && std::any_of(chain.begin(), chain.end(), [&](Place place) {
                   return lines[place.line].tokens[place.token].spaces > 1;
                 });
  if (!isMeant)
    return;
  unsigned column = 0;
  for (Place place : chain)
    column = std::max(column, naturalColumn(place));
  for (Place place : chain)
    lines[place.line].tokens[place.token].gap = column - naturalColumn(place) + 1;
}

void Aligner::alignColumn(unsigned column, size_t begin, size_t end) {
  std::vector<Place> chain;
  for (size_t i = begin; i < end; ++i) {
    size_t token = tokenAt(i, column);
    if (token < lines[i].tokens.size()) {
      chain.push_back({i, token});
      continue;
    }
    align(chain);
    chain.clear();
  }
  align(chain);
}

/// Aligns the neighbouring lines [begin, end). A line that becomes too long is left out, and the
/// rest is aligned again without it.
void Aligner::alignRun(size_t begin, size_t end) {
  std::vector<unsigned> columns;
  for (size_t i = begin; i < end; ++i) {
    setGaps(lines[i].tokens);
    for (const FormatToken &token : lines[i].tokens)
      if (token.spaces > 1)
        columns.push_back(token.column);
  }
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  for (unsigned column : columns)
    alignColumn(column, begin, end);
}

void Aligner::run() {
  isLeftOut.assign(lines.size(), false);
  for (size_t i = 0; i < lines.size(); ++i)
    isLeftOut[i] = lines[i].width() > maxColumns;
  for (size_t begin = 0, end; begin < lines.size(); begin = end) {
    end = begin + 1;
    while (end < lines.size() && areNeighbours(end))
      ++end;
    alignRun(begin, end);
    bool isAgain = false;
    for (size_t i = begin; i < end; ++i)
      if (!isLeftOut[i] && lines[i].width() > maxColumns) {
        isLeftOut[i] = true;
        isAgain = true;
      }
    if (isAgain)
      end = begin;
  }
}

/// A trailing comment keeps its column when the code leaves two spaces before it; comments of
/// neighbouring lines that share a column keep sharing it.
static std::vector<unsigned> commentColumns(const std::vector<FormatLine> &lines) {
  constexpr unsigned farthest = 80;
  std::vector<unsigned> columns(lines.size(), 0);
  for (size_t begin = 0, end; begin < lines.size(); begin = end) {
    end = begin + 1;
    const FormatLine &first = lines[begin];
    if (first.tokens.empty() || first.comment.empty())
      continue;
    while (end < lines.size() && !lines[end].tokens.empty() && !lines[end].comment.empty() &&
           lines[end].commentColumn == first.commentColumn && !lines[end].isBlankBefore)
      ++end;
    unsigned column = first.commentColumn <= farthest ? first.commentColumn : 0;
    for (size_t i = begin; i < end; ++i)
      column = std::max(column, lines[i].width() + 2);
    std::fill(columns.begin() + begin, columns.begin() + end, column);
  }
  return columns;
}

namespace {
/// Prints one line, broken after commas and operators where it is too long or has comments inside.
class LinePrinter {
public:
  LinePrinter(const FormatLine &line, std::string &out) : line(line), out(out) {}
  void run();

private:
  size_t chooseBreak(size_t begin, unsigned column) const;
  bool mayBreakAfter(size_t i) const;

  const FormatLine &line;
  std::string &out;
  std::vector<unsigned> depths; ///< brackets around the place after each token
};
} // namespace

bool LinePrinter::mayBreakAfter(size_t i) const {
  TokenKind kind = line.tokens[i].kind;
  bool isOperator = isBinary(kind) && kind != TokenKind::Caret && kind != TokenKind::DotDot &&
                    kind != TokenKind::Assign && kind != TokenKind::PlusAssign &&
                    kind != TokenKind::Arrow && kind != TokenKind::In;
  bool isTight = i + 1 < line.tokens.size() && line.tokens[i + 1].gap == 0;
  bool isOpen = (kind == TokenKind::LParen || kind == TokenKind::LBracket) &&
                i + 1 < line.tokens.size() && !isClosing(line.tokens[i + 1].kind);
  return kind == TokenKind::Comma || (isOperator && !isTight) || isOpen;
}

/// Where the line that starts with token `begin` in `column` ends: after the token returned. Of the
/// places in its second half the one with the fewest brackets around it, and of these the last.
size_t LinePrinter::chooseBreak(size_t begin, unsigned column) const {
  size_t best = line.tokens.size();
  unsigned start = column;
  bool isBestLate = false;
  for (size_t i = begin; i + 1 < line.tokens.size(); ++i) {
    if (!line.tokens[i].comments.empty())
      break;
    column += (i == begin ? 0 : line.tokens[i].gap) + displayWidth(line.tokens[i].text);
    if (column > maxColumns && best < line.tokens.size())
      break;
    if (!mayBreakAfter(i))
      continue;
    bool isLate = column > (start + maxColumns) / 2;
    if (best == line.tokens.size() || (isLate && !isBestLate) ||
        (isLate == isBestLate && depths[i] <= depths[best])) {
      best = i;
      isBestLate = isLate;
    }
  }
  return best;
}

void LinePrinter::run() {
  unsigned depth = 0;
  for (const FormatToken &token : line.tokens) {
    depth += isOpening(token.kind) ? 1 : isClosing(token.kind) && depth > 0 ? -1 : 0;
    depths.push_back(depth);
  }
  unsigned rest = line.width(), indent = 2 * line.indent;
  size_t begin = 0;
  out.append(indent, ' ');
  while (begin < line.tokens.size()) {
    size_t last = rest > maxColumns ? chooseBreak(begin, indent) : line.tokens.size();
    size_t i = begin;
    unsigned column = indent;
    for (; i < line.tokens.size(); ++i) {
      const FormatToken &token = line.tokens[i];
      out.append(i == begin ? 0 : token.gap, ' ');
      out += token.text.str();
      column += (i == begin ? 0 : token.gap) + displayWidth(token.text);
      if (i == last || !token.comments.empty())
        break;
    }
    if (i >= line.tokens.size())
      return;
    indent = 2 * line.indent + 4;
    for (llvm::StringRef comment : line.tokens[i].comments)
      out += "  " + comment.str() + "\n" + std::string(indent - 2, ' ');
    if (line.tokens[i].comments.empty())
      out += "\n" + std::string(indent, ' ');
    else
      out.append(2, ' ');
    begin = i + 1;
    rest = indent + (rest - column) - (begin < line.tokens.size() ? line.tokens[begin].gap : 0);
  }
}

std::string syntax::printLines(std::vector<FormatLine> &lines) {
  Aligner(lines).run();
  std::vector<unsigned> columns = commentColumns(lines);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    const FormatLine &line = lines[i];
    if (line.isBlankBefore && !out.empty())
      out += '\n';
    size_t start = out.size();
    LinePrinter(line, out).run();
    if (!line.comment.empty()) {
      size_t from = out.rfind('\n');
      from = from == std::string::npos || from + 1 < start ? start : from + 1;
      unsigned width = displayWidth(llvm::StringRef(out).drop_front(from));
      if (!line.tokens.empty())
        out.append(columns[i] > width + 2 ? columns[i] - width : 2, ' ');
      out += line.comment.str();
    }
    while (out.size() > start && out.back() == ' ')
      out.pop_back();
    out += '\n';
  }
  return out;
}
