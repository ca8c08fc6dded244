// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ir/common/LocatedCsv.h"

#include "ir/common/diagnostics/ScaleSim.h"

#include <cmath>

using namespace perfc;

namespace {

/// Splits a text into rows, one cell after the other.
class CsvReader {
public:
  CsvReader(llvm::StringRef text, FileId file, DiagnosticEngine &diagnostics, size_t begin)
      : text(text), file(file), diagnostics(diagnostics), at(begin) {}

  /// The next row; nothing at the end or after a report.
  llvm::Optional<CsvRow> next();
  bool failed = false;

private:
  bool atEnd() const { return at >= text.size(); }
  bool atLineEnd() const { return atEnd() || text[at] == '\n' || text[at] == '\r'; }
  SourceRange from(size_t begin) const {
    return {file, static_cast<uint32_t>(begin), static_cast<uint32_t>(at)};
  }
  bool cell(CsvRow &row);
  bool quoted(CsvRow &row, size_t begin);

  llvm::StringRef text;
  FileId file;
  DiagnosticEngine &diagnostics;
  size_t at;
};

} // namespace

bool CsvReader::quoted(CsvRow &row, size_t begin) {
  std::string value;
  for (++at; !atEnd(); ++at) {
    if (text[at] != '"') {
      value += text[at];
      continue;
    }
    if (at + 1 < text.size() && text[at + 1] == '"') {
      value += text[at++];
      continue;
    }
    ++at;
    row.cells.push_back({std::move(value), from(begin)});
    while (!atLineEnd() && text[at] != ',')
      ++at;
    return true;
  }
  at = begin + 1;
  diagnostics.report(from(begin), diag::BadCsv, "a quote is not closed");
  failed = true;
  return false;
}

bool CsvReader::cell(CsvRow &row) {
  while (!atLineEnd() && (text[at] == ' ' || text[at] == '\t'))
    ++at;
  size_t begin = at;
  if (!atEnd() && text[at] == '"')
    return quoted(row, begin);
  while (!atLineEnd() && text[at] != ',')
    ++at;
  llvm::StringRef value = text.slice(begin, at).rtrim(" \t");
  SourceRange place{file, static_cast<uint32_t>(begin),
                    static_cast<uint32_t>(begin + value.size())};
  row.cells.push_back({value.str(), place});
  return true;
}

llvm::Optional<CsvRow> CsvReader::next() {
  while (!atEnd() && (text[at] == '\n' || text[at] == '\r'))
    ++at;
  if (atEnd() || failed)
    return llvm::None;
  CsvRow row;
  size_t begin = at;
  do {
    if (!row.cells.empty())
      ++at; // the comma
    if (!cell(row))
      return llvm::None;
  } while (!atLineEnd());
  row.place = from(begin);
  return row;
}

static bool isBlank(const CsvRow &row) {
  return row.cells.size() == 1 && row.cells.front().text.empty();
}

llvm::Optional<LocatedCsv> LocatedCsv::read(const SourceManager &sources, FileId file,
                                            DiagnosticEngine &diagnostics) {
  llvm::StringRef text = sources.text(file);
  size_t byteOrderMark = text.startswith("\xEF\xBB\xBF") ? 3 : 0;
  CsvReader reader(text, file, diagnostics, byteOrderMark);
  LocatedCsv table;
  table.header.place = {file, 0, 0}; // where nothing is written
  bool first = true;
  while (llvm::Optional<CsvRow> row = reader.next()) {
    if (isBlank(*row))
      continue;
    (first ? table.header : table.lines.emplace_back()) = std::move(*row);
    first = false;
  }
  if (reader.failed)
    return llvm::None;
  return table;
}

llvm::Optional<size_t> LocatedCsv::column(llvm::StringRef title) const {
  for (size_t i = 0; i < header.cells.size(); ++i)
    if (header.cells[i].text == title)
      return i;
  return llvm::None;
}

const CsvCell *LocatedCsv::find(const CsvRow &row, llvm::StringRef title) const {
  llvm::Optional<size_t> at = column(title);
  return at && *at < row.cells.size() ? &row.cells[*at] : nullptr;
}

llvm::Optional<int64_t> perfc::wholeNumber(const CsvCell &cell, int64_t least, int64_t most,
                                           llvm::StringRef what, DiagnosticEngine &diagnostics) {
  int64_t value = 0;
  if (!llvm::StringRef(cell.text).getAsInteger(10, value) && value >= least && value <= most)
    return value;
  diagnostics.report(
      cell.place, diag::BadCsv,
      fmt::format("{} is a whole number from {} to {}, not `{}`", what, least, most, cell.text));
  return llvm::None;
}

llvm::Optional<double> perfc::realNumber(const CsvCell &cell, llvm::StringRef what,
                                         DiagnosticEngine &diagnostics) {
  double value = 0;
  if (!llvm::StringRef(cell.text).getAsDouble(value) && std::isfinite(value))
    return value;
  diagnostics.report(cell.place, diag::BadCsv,
                     fmt::format("{} is a number, not `{}`", what, cell.text));
  return llvm::None;
}
