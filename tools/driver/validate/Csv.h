// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of reference figures as CSV: cells by the name of their column, as figures.
#ifndef PERFC_TOOLS_DRIVER_VALIDATE_CSV_H
#define PERFC_TOOLS_DRIVER_VALIDATE_CSV_H

#include "ir/common/LocatedCsv.h"
#include "tools/driver/validate/Kind.h"

namespace perfc::driver {

class CsvTable {
public:
  using Row = CsvRow;

  /// Loads `path`; nothing when it cannot be read, lacks one of `columns`, or has a row of another
  /// length than its header (reported as no table of `kind`).
  static llvm::Optional<CsvTable> load(Session &session, llvm::StringRef path, llvm::StringRef kind,
                                       llvm::ArrayRef<llvm::StringRef> columns);

  llvm::ArrayRef<Row> rows() const { return lines; }
  bool hasColumn(llvm::StringRef column) const { return positions.count(column) != 0; }
  /// The cell, "" when there is no such column.
  llvm::StringRef cell(const Row &row, llvm::StringRef column) const;
  /// The cell as a figure; nothing when it is empty or no number.
  llvm::Optional<Number> number(const Row &row, llvm::StringRef column) const;
  /// The cell as a count of at least `least`; nothing when it is none (reported).
  llvm::Optional<int64_t> count(Session &session, const Row &row, llvm::StringRef column,
                                int64_t least) const;

private:
  std::string kind;
  llvm::StringMap<size_t> positions;
  std::vector<Row> lines;
};

} // namespace perfc::driver

#endif // PERFC_TOOLS_DRIVER_VALIDATE_CSV_H
