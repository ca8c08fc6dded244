// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/driver/validate/Csv.h"

#include "ir/common/diagnostics/Files.h"

using namespace perfc;
using namespace perfc::driver;

llvm::Optional<CsvTable> CsvTable::load(Session &session, llvm::StringRef path,
                                        llvm::StringRef kind,
                                        llvm::ArrayRef<llvm::StringRef> columns) {
  FileId file = session.load(path);
  if (!file)
    return llvm::None;
  CsvTable table;
  table.kind = kind.str();
  auto fail = [&](SourceRange where, const std::string &reason) {
    session.diagnostics.report(where, diag::BadTable, path, kind, reason);
    return llvm::None;
  };
  llvm::Optional<LocatedCsv> csv = LocatedCsv::read(session.sources, file, session.diagnostics);
  if (!csv)
    return llvm::None;
  const CsvRow &titles = csv->titleRow();
  if (titles.cells.empty())
    return fail({file, 0, 0}, "it is empty");
  for (size_t i = 0; i < titles.cells.size(); ++i)
    table.positions.try_emplace(titles.cells[i].text, i);
  for (llvm::StringRef column : columns)
    if (!table.hasColumn(column))
      return fail(titles.place, fmt::format("it has no column `{}`", column));
  for (const CsvRow &row : csv->rows())
    if (row.cells.size() != titles.cells.size())
      return fail(row.place,
                  fmt::format("a row has {} cells, not {}", row.cells.size(), titles.cells.size()));
  table.lines = csv->rows();
  return table;
}

llvm::StringRef CsvTable::cell(const Row &row, llvm::StringRef column) const {
  auto found = positions.find(column);
  return found == positions.end() ? "" : llvm::StringRef(row.cells[found->second].text);
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
  session.diagnostics.report(row.place, diag::BadTable, session.sources.path(row.place.file), kind,
                             fmt::format("`{}` is no count of at least {}", column, least));
  return llvm::None;
}
