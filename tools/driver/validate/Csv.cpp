// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Csv.h"

using namespace perfc;
using namespace perfc::driver;

static std::vector<std::string> splitLine(llvm::StringRef line) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      cells.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else
      cells.back() += c;
  }
  return cells;
}

llvm::Optional<CsvTable> CsvTable::load(Session &session, llvm::StringRef path,
                                        llvm::StringRef kind,
                                        llvm::ArrayRef<llvm::StringRef> columns) {
  FileId file = session.load(path);
  if (!file)
    return llvm::None;
  CsvTable table;
  table.kind = kind.str();
  auto fail = [&](SourceRange where, std::string reason) {
    session.diagnostics.report(where, diag::BadTable, path, kind, reason);
    return llvm::None;
  };
  llvm::StringRef text = session.sources.text(file), rest = text;
  size_t width = 0;
  while (!rest.empty()) {
    auto [line, after] = rest.split('\n');
    auto begin = static_cast<uint32_t>(line.data() - text.data());
    rest = after;
    line = line.rtrim('\r');
    SourceRange range{file, begin, begin + static_cast<uint32_t>(line.size())};
    if (line.trim().empty())
      continue;
    std::vector<std::string> cells = splitLine(line);
    if (width == 0) {
      width = cells.size();
      for (size_t i = 0; i < width; ++i)
        table.positions.try_emplace(llvm::StringRef(cells[i]).trim(), i);
      for (llvm::StringRef column : columns)
        if (!table.hasColumn(column))
          return fail(range, fmt::format("it has no column `{}`", column));
    } else if (cells.size() != width) {
      return fail(range, fmt::format("a row has {} cells, not {}", cells.size(), width));
    } else {
      table.lines.push_back({std::move(cells), range});
    }
  }
  if (width == 0)
    return fail({}, "it is empty");
  return table;
}

llvm::StringRef CsvTable::cell(const Row &row, llvm::StringRef column) const {
  auto found = positions.find(column);
  return found == positions.end() ? "" : llvm::StringRef(row.cells[found->second]).trim();
}

llvm::Optional<Number> CsvTable::number(const Row &row, llvm::StringRef column) const {
  llvm::StringRef text = cell(row, column);
  int64_t whole = 0;
  double real = 0;
  if (!text.getAsInteger(10, whole))
    return Number(whole);
  if (!text.empty() && !text.getAsDouble(real))
    return Number::fromReal(real);
  return llvm::None;
}

llvm::Optional<int64_t> CsvTable::count(Session &session, const Row &row, llvm::StringRef column,
                                        int64_t least) const {
  int64_t value = 0;
  if (!cell(row, column).getAsInteger(10, value) && value >= least)
    return value;
  session.diagnostics.report(row.range, diag::BadTable, session.sources.path(row.range.file), kind,
                             fmt::format("`{}` is no count of at least {}", column, least));
  return llvm::None;
}
