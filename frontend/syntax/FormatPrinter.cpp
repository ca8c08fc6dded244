// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/syntax/FormatLines.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace perfc;
using namespace perfc::syntax;

namespace {

/// Keeps what the author lined up: tokens of neighbouring lines that start in one column of the
/// source, at least one of them after two spaces or more, start in one column of the result. A
/// single space too many may be there by chance: it counts where all lines have a token in that
/// column, and beside tokens that do the same.
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
  unsigned spacesOf(Place place) const { return lines[place.line].tokens[place.token].spaces; }
  bool areAlike(Place a, Place b) const;
  void alignMeant(llvm::ArrayRef<Place> chain, size_t lineCount);
  unsigned columnFor(llvm::ArrayRef<Place> chain) const;
  void align(llvm::ArrayRef<Place> chain);
  unsigned naturalColumn(Place place) const;

  std::vector<FormatLine> &lines;
  std::vector<bool> isLeftOut;
};

} // namespace

bool Aligner::isEligible(size_t i) const {
  const FormatLine &line = lines[i];
  return !isLeftOut[i] && (line.tokens.empty() ? line.isContinued : line.isOneLine);
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

/// True for tokens of one kind; a name or a number behind the word of an item needs the same word.
bool Aligner::areAlike(Place a, Place b) const {
  const std::vector<FormatToken> &left = lines[a.line].tokens, &right = lines[b.line].tokens;
  TokenKind kind = left[a.token].kind;
  bool isValue = (a.token == 1 || b.token == 1) && (isName(kind) || kind == TokenKind::Number);
  return kind == right[b.token].kind &&
         (!isValue || (a.token == b.token && left[0].text == right[0].text));
}

/// `lineCount` lines are neighbours. What is aligned must look meant in the result, too, or it
/// would not stay when that is formatted.
void Aligner::alignMeant(llvm::ArrayRef<Place> chain, size_t lineCount) {
  auto isPadded = [&](Place place) { return spacesOf(place) > 1; };
  if (std::none_of(chain.begin(), chain.end(), isPadded))
    return;
  unsigned column = columnFor(chain);
  auto isClear = [&](auto spaces) {
    auto have = [&](unsigned more) {
      return std::count_if(chain.begin(), chain.end(),
                           [&](Place place) { return spaces(place) > more; });
    };
    return chain.size() == lineCount || have(1) > 1 || have(2) > 0;
  };
  if (isClear([&](Place place) { return spacesOf(place); }) &&
      isClear([&](Place place) { return column - naturalColumn(place) + 1; }))
    return align(chain);
  while (!chain.empty()) {
    size_t count = 1;
    while (count < chain.size() && areAlike(chain[count - 1], chain[count]))
      ++count;
    if (std::any_of(chain.begin(), chain.begin() + count, isPadded))
      align(chain.take_front(count));
    chain = chain.drop_front(count);
  }
}

/// The first column in which all can start.
unsigned Aligner::columnFor(llvm::ArrayRef<Place> chain) const {
  unsigned column = 0;
  for (Place place : chain)
    column = std::max(column, naturalColumn(place));
  return column;
}

void Aligner::align(llvm::ArrayRef<Place> chain) {
  if (chain.size() < 2)
    return;
  unsigned column = columnFor(chain);
  for (Place place : chain)
    lines[place.line].tokens[place.token].gap = column - naturalColumn(place) + 1;
}

void Aligner::alignColumn(unsigned column, size_t begin, size_t end) {
  std::vector<Place> chain;
  size_t lineCount = std::count_if(lines.begin() + begin, lines.begin() + end,
                                   [](const FormatLine &line) { return !line.tokens.empty(); });
  for (size_t i = begin; i < end; ++i) {
    if (lines[i].tokens.empty())
      continue;
    size_t token = tokenAt(i, column);
    if (token < lines[i].tokens.size()) {
      chain.push_back({i, token});
      continue;
    }
    alignMeant(chain, lineCount);
    chain.clear();
  }
  alignMeant(chain, lineCount);
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
    isLeftOut[i] = lines[i].endColumn() > maxColumns;
  for (size_t begin = 0, end; begin < lines.size(); begin = end) {
    end = begin + 1;
    while (end < lines.size() && areNeighbours(end))
      ++end;
    alignRun(begin, end);
    bool isAgain = false;
    for (size_t i = begin; i < end; ++i)
      if (!isLeftOut[i] && lines[i].endColumn() > maxColumns) {
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
  auto trails = [&](size_t i) {
    return !lines[i].comment.empty() && (!lines[i].tokens.empty() || lines[i].isContinued);
  };
  for (size_t begin = 0, end; begin < lines.size(); begin = end) {
    end = begin + 1;
    const FormatLine &first = lines[begin];
    if (!trails(begin)) {
      columns[begin] = 2 * first.indent;
      continue;
    }
    while (end < lines.size() && trails(end) && !lines[end].isBlankBefore &&
           lines[end].commentColumn == first.commentColumn)
      ++end;
    unsigned column = first.commentColumn <= farthest ? first.commentColumn : 0;
    for (size_t i = begin; i < end; ++i)
      if (!lines[i].tokens.empty())
        column = std::max(column, lines[i].endColumn() + 2);
    std::fill(columns.begin() + begin, columns.begin() + end, column);
  }
  return columns;
}

namespace {
/// Breaks one line where it is still too long, after commas and operators.
class LineBreaker {
public:
  explicit LineBreaker(FormatLine &line) : line(line) {}
  void run();

private:
  void measureGroups();
  size_t chooseBreak(size_t begin, unsigned column) const;

  FormatLine &line;
  std::vector<unsigned> groups; ///< per token: the width of the brackets around the place after it
};
} // namespace

void LineBreaker::measureGroups() {
  std::vector<std::pair<size_t, unsigned>> open; // token, column
  std::vector<size_t> owner(line.tokens.size());
  unsigned column = 0;
  groups.assign(line.tokens.size(), 0);
  for (size_t i = 0; i < line.tokens.size(); ++i) {
    const FormatToken &token = line.tokens[i];
    column += token.gap + displayWidth(token.text);
    if (isOpening(token.kind)) {
      open.push_back({i, column});
    } else if (isClosing(token.kind) && !open.empty()) {
      groups[open.back().first] = column - open.back().second;
      open.pop_back();
    }
    owner[i] = open.empty() ? line.tokens.size() : open.back().first;
  }
  std::vector<unsigned> widths = groups;
  for (size_t i = 0; i < line.tokens.size(); ++i)
    groups[i] = owner[i] == line.tokens.size() ? ~0u : widths[owner[i]];
}

/// Where the line that starts with token `begin` in `column` ends: after the token returned. Of the
/// places in its second half the one in the widest brackets, and of these the last.
size_t LineBreaker::chooseBreak(size_t begin, unsigned column) const {
  size_t best = line.tokens.size();
  unsigned start = column;
  bool isBestLate = false;
  for (size_t i = begin; i + 1 < line.tokens.size(); ++i) {
    column += (i == begin ? 0 : line.tokens[i].gap) + displayWidth(line.tokens[i].text);
    if ((column > maxColumns && best < line.tokens.size()) ||
        (i > begin && line.tokens[i].isBreakBefore))
      break;
    if (!mayBreakAfter(line.tokens, i))
      continue;
    bool isLate = column > (start + maxColumns) / 2;
    if (best == line.tokens.size() || (isLate && !isBestLate) ||
        (isLate == isBestLate && groups[i] >= groups[best])) {
      best = i;
      isBestLate = isLate;
    }
  }
  return best;
}

void LineBreaker::run() {
  if (line.width() <= maxColumns)
    return;
  measureGroups();
  size_t begin = 0;
  unsigned indent = 2 * line.indent, column = indent;
  for (size_t i = 0; i < line.tokens.size(); ++i) {
    if (i > begin && line.tokens[i].isBreakBefore) {
      begin = i;
      column = indent + continuationIndent;
    }
    column += (i == begin ? 0 : line.tokens[i].gap) + displayWidth(line.tokens[i].text);
    if (column <= maxColumns)
      continue;
    size_t last = chooseBreak(begin, begin == 0 ? indent : indent + continuationIndent);
    if (last >= line.tokens.size() || line.tokens[last + 1].isBreakBefore)
      continue;
    line.tokens[last + 1].isBreakBefore = true;
    i = last; // goes on with the token that now starts a line
  }
}

static void printTokens(const FormatLine &line, std::string &out) {
  out.append(2 * line.indent, ' ');
  std::string next = "\n" + std::string(2 * line.indent + continuationIndent, ' ');
  for (size_t i = 0; i < line.tokens.size(); ++i) {
    const FormatToken &token = line.tokens[i];
    if (token.isBreakBefore)
      out += next;
    else
      out.append(token.gap, ' ');
    out += token.text.str();
    for (size_t k = 0; k < token.comments.size(); ++k)
      out += (k == 0 ? "  " : next) + token.comments[k].str();
  }
}

std::string syntax::printLines(std::vector<FormatLine> &lines) {
  Aligner(lines).run();
  for (FormatLine &line : lines)
    LineBreaker(line).run();
  std::vector<unsigned> columns = commentColumns(lines);
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    const FormatLine &line = lines[i];
    if (line.isBlankBefore && !out.empty())
      out += '\n';
    if (!line.tokens.empty())
      printTokens(line, out);
    if (!line.comment.empty()) {
      unsigned column = line.tokens.empty() ? 0 : line.endColumn();
      out.append(columns[i] - column, ' ');
      out += line.comment.str();
    }
    out += '\n';
  }
  return out;
}
