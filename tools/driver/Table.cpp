// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Table.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

using namespace perfc;
using namespace perfc::driver;

static constexpr unsigned indent = 2;
static constexpr unsigned gap = 2;
static constexpr unsigned leastText = 8;

size_t driver::displayWidth(llvm::StringRef text) {
  return llvm::count_if(text,
                        [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// Bytes of the first `count` characters of `text`.
static size_t bytesOf(llvm::StringRef text, size_t count) {
  size_t end = 0;
  for (; count && end < text.size(); --count) {
    ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
  }
  return end;
}

/// `text` in at most `width` characters, "…" in place of what stands behind the first `head`.
static std::string cutBehind(llvm::StringRef text, unsigned width, size_t head) {
  size_t size = displayWidth(text);
  if (size <= width)
    return text.str();
  size_t tail = width - 1 - head;
  return text.take_front(bytesOf(text, head)).str() + "…" +
         text.drop_front(bytesOf(text, size - tail)).str();
}

/// All texts in at most `width` characters, cut at the same place: the middle, else where those
/// that differ stay different. Nothing where there is no such place.
static llvm::Optional<std::vector<std::string>> cutAlike(llvm::ArrayRef<llvm::StringRef> texts,
                                                         unsigned width) {
  std::set<llvm::StringRef> all(texts.begin(), texts.end());
  size_t middle = (width - 1) / 2;
  for (unsigned i = 0; i < width; ++i) {
    // From the middle to the front, then from there to the end.
    size_t head = width - 1 - middle;
    head = i <= head ? head - i : i;
    std::set<std::string> cut;
    for (llvm::StringRef text : all)
      cut.insert(cutBehind(text, width, head));
    if (cut.size() < all.size())
      continue;
    std::vector<std::string> result;
    for (llvm::StringRef text : texts)
      result.push_back(cutBehind(text, width, head));
    return result;
  }
  return llvm::None;
}

std::vector<std::string> driver::wrapped(llvm::StringRef text, unsigned width) {
  std::vector<std::string> lines;
  while (displayWidth(text) > width) {
    llvm::StringRef most = text.take_front(bytesOf(text, width));
    // A space may stand right behind the line.
    size_t space = text.take_front(most.size() + 1).rfind(' ');
    if (space != llvm::StringRef::npos && space > 0) {
      lines.push_back(text.take_front(space).rtrim().str());
      text = text.drop_front(space).ltrim();
      continue;
    }
    size_t sign = most.find_last_of("_,;:/.(=-");
    size_t end = sign == llvm::StringRef::npos || sign == 0 ? most.size() : sign + 1;
    lines.push_back(text.take_front(end).str());
    text = text.drop_front(end);
  }
  lines.push_back(text.str());
  return lines;
}

/// The texts of a column as they are printed, by row.
std::vector<Table::Lines> Table::fitted(size_t column, unsigned width) const {
  std::vector<llvm::StringRef> texts;
  for (const Row &row : rows)
    texts.push_back(row.isRule ? llvm::StringRef() : row.cells[column]);
  std::vector<Lines> result;
  if (columns[column].align == Align::Left && !columns[column].wraps && width > 0)
    if (auto cut = cutAlike(texts, width)) {
      for (std::string &text : *cut)
        result.push_back({std::move(text)});
      return result;
    }
  for (llvm::StringRef text : texts)
    result.push_back(columns[column].align == Align::Left ? wrapped(text, std::max(width, 1u))
                                                          : Lines{text.str()});
  return result;
}

/// What each column takes as it is; 0 for those that are not shown.
std::vector<unsigned> Table::wholeWidths() const {
  std::vector<unsigned> result(columns.size(), 0);
  for (const Row &row : rows)
    for (size_t i = 0; i < row.cells.size(); ++i)
      result[i] = std::max<unsigned>(result[i], displayWidth(row.cells[i]));
  for (size_t i = 0; i < columns.size(); ++i) {
    if (result[i] || columns[i].width)
      result[i] = std::max<unsigned>(
          {result[i], columns[i].width, static_cast<unsigned>(displayWidth(columns[i].title))});
    if (columns[i].isLeftOut)
      result[i] = 0;
  }
  return result;
}

/// Takes from the widest texts until a line has at most `limit` characters; false where they cannot
/// give so much.
bool Table::shrink(std::vector<unsigned> &widths, unsigned limit) const {
  unsigned total = indent;
  for (unsigned width : widths)
    total += width ? width + (total == indent ? 0 : gap) : 0;
  while (total > limit) {
    // The widest text gives one character.
    size_t widest = columns.size();
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].align == Align::Left && widths[i] > std::max(leastText, columns[i].width) &&
          (widest == columns.size() || widths[i] > widths[widest]))
        widest = i;
    if (widest == columns.size())
      return false;
    --widths[widest];
    --total;
  }
  return true;
}

/// Leaves out columns until the others fit, from the last one on; their titles.
std::vector<std::string> Table::leaveOut(unsigned limit) {
  std::vector<std::string> titles;
  for (size_t i = columns.size(); i-- > 1;) {
    std::vector<unsigned> sizes = wholeWidths();
    bool isShown = sizes[i] > 0 && !columns[i].stays;
    if (shrink(sizes, limit))
      break;
    if (isShown)
      titles.insert(titles.begin(), columns[i].title);
    columns[i].isLeftOut |= isShown;
  }
  return titles;
}

void Table::printLine(llvm::raw_ostream &os, llvm::ArrayRef<unsigned> widths,
                      llvm::function_ref<llvm::StringRef(size_t)> cellOf) const {
  std::string line(indent, ' ');
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!widths[i])
      continue;
    if (line.size() > indent)
      line.append(gap, ' ');
    llvm::StringRef cell = cellOf(i);
    size_t used = displayWidth(cell), padding = used < widths[i] ? widths[i] - used : 0;
    bool isLeft = columns[i].align == Align::Left;
    line.append(isLeft ? 0 : padding, ' ').append(cell.data(), cell.size());
    line.append(isLeft ? padding : 0, ' ');
  }
  os << llvm::StringRef(line).rtrim() << '\n';
}

void Table::printRow(llvm::raw_ostream &os, llvm::ArrayRef<Lines> cells,
                     llvm::ArrayRef<unsigned> widths) const {
  size_t height = 1;
  for (const Lines &cell : cells)
    height = std::max(height, cell.size());
  for (size_t number = 0; number < height; ++number)
    printLine(os, widths, [&](size_t i) {
      return number < cells[i].size() ? llvm::StringRef(cells[i][number]) : llvm::StringRef();
    });
}

void Table::print(llvm::raw_ostream &os, unsigned width, bool bold, bool titles) {
  if (titles)
    if (std::vector<std::string> names = leaveOut(width); !names.empty())
      os << fmt::format("  too narrow for the columns {}: `-v`, a file or a pipe has them\n",
                        fmt::join(names, ", "));
  std::vector<unsigned> whole = wholeWidths(), sizes = whole;
  shrink(sizes, width);
  bool isWhole = sizes == whole;         // no cell is cut or wrapped
  std::vector<std::vector<Lines>> texts; // by column
  for (size_t i = 0; i < columns.size() && !isWhole; ++i)
    texts.push_back(sizes[i] ? fitted(i, sizes[i]) : std::vector<Lines>(rows.size()));
  if (titles) {
    std::vector<Lines> names;
    for (const TableColumn &column : columns)
      names.push_back({column.title});
    if (bold)
      os << "\033[1m";
    printRow(os, names, sizes);
    if (bold)
      os << "\033[0m";
  }
  for (size_t row = 0; row < rows.size(); ++row) {
    if (!rows[row].isRule && isWhole) {
      printLine(os, sizes, [&](size_t i) { return llvm::StringRef(rows[row].cells[i]); });
      continue;
    }
    if (!rows[row].isRule) {
      std::vector<Lines> cells;
      for (const std::vector<Lines> &column : texts)
        cells.push_back(column[row]);
      printRow(os, cells, sizes);
      continue;
    }
    unsigned total = 0;
    for (unsigned size : sizes)
      total += size ? size + (total ? gap : 0) : 0;
    os.indent(indent) << std::string(total, '-') << '\n';
  }
}

void driver::printTitle(llvm::raw_ostream &os, llvm::StringRef text, llvm::StringRef details,
                        bool bold) {
  os << (bold ? "\033[1m" : "") << text << (bold ? "\033[0m" : "");
  if (!details.empty())
    os << "  [" << details << ']';
  os << '\n';
}
