// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/Table.h"

#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <numeric>

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

/// At most `width` characters; "…" stands for what is left out in the middle, so that names that
/// differ by a number at their end stay different.
static std::string shortened(llvm::StringRef text, unsigned width) {
  size_t size = displayWidth(text);
  if (size <= width)
    return text.str();
  size_t tail = (width - 1) / 2, head = width - 1 - tail;
  return text.take_front(bytesOf(text, head)).str() + "…" +
         text.drop_front(bytesOf(text, size - tail)).str();
}

std::vector<unsigned> Table::widths(unsigned limit) const {
  std::vector<unsigned> result(columns.size(), 0);
  for (const Row &row : rows)
    for (size_t i = 0; i < row.cells.size(); ++i)
      result[i] = std::max<unsigned>(result[i], displayWidth(row.cells[i]));
  unsigned total = indent;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (result[i] || columns[i].width)
      result[i] = std::max<unsigned>(
          {result[i], columns[i].width, static_cast<unsigned>(displayWidth(columns[i].title))});
    total += result[i] ? result[i] + (total == indent ? 0 : gap) : 0;
  }
  while (total > limit) {
    // The widest text gives one character.
    size_t widest = columns.size();
    for (size_t i = 0; i < columns.size(); ++i)
      if (columns[i].align == Align::Left && result[i] > std::max(leastText, columns[i].width) &&
          (widest == columns.size() || result[i] > result[widest]))
        widest = i;
    if (widest == columns.size())
      break;
    --result[widest];
    --total;
  }
  return result;
}

void Table::printRow(llvm::raw_ostream &os, llvm::ArrayRef<std::string> cells,
                     llvm::ArrayRef<unsigned> widths) const {
  std::string line(indent, ' ');
  for (size_t i = 0; i < columns.size(); ++i) {
    if (!widths[i])
      continue;
    if (line.size() > indent)
      line.append(gap, ' ');
    std::string cell = columns[i].align == Align::Left ? shortened(cells[i], widths[i]) : cells[i];
    size_t used = displayWidth(cell);
    std::string padding(used < widths[i] ? widths[i] - used : 0, ' ');
    line += columns[i].align == Align::Left ? cell + padding : padding + cell;
  }
  os << llvm::StringRef(line).rtrim() << '\n';
}

void Table::print(llvm::raw_ostream &os, unsigned width, bool bold, bool titles) const {
  std::vector<unsigned> sizes = widths(width);
  if (titles) {
    std::vector<std::string> names;
    for (const TableColumn &column : columns)
      names.push_back(column.title);
    if (bold)
      os << "\033[1m";
    printRow(os, names, sizes);
    if (bold)
      os << "\033[0m";
  }
  for (const Row &row : rows) {
    if (!row.isRule) {
      printRow(os, row.cells, sizes);
      continue;
    }
    unsigned total = 0;
    for (unsigned size : sizes)
      total += size ? size + (total ? gap : 0) : 0;
    os.indent(indent) << std::string(total, '-') << '\n';
  }
}
