// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of comma-separated values with a line of titles (RFC 4180): cells may be quoted, quotes
// inside are doubled. Each cell knows its place, so that what is wrong with it can be shown.
#ifndef PERFC_IR_COMMON_LOCATEDCSV_H
#define PERFC_IR_COMMON_LOCATEDCSV_H

#include "ir/common/Diagnostics.h"
#include "llvm/ADT/Optional.h"

namespace perfc {

struct CsvCell {
  std::string text; ///< without quotes and without blanks around it
  SourceRange place;
};

struct CsvRow {
  std::vector<CsvCell> cells;
  SourceRange place; ///< the whole line
};

class LocatedCsv {
public:
  /// Splits the text of `file`. The first line that is not blank has the titles; blank lines are
  /// left out. Nothing when a quote is not closed (reported).
  static llvm::Optional<LocatedCsv> read(const SourceManager &sources, FileId file,
                                         DiagnosticEngine &diagnostics);

  const std::vector<CsvCell> &titles() const { return header.cells; }
  const CsvRow &titleRow() const { return header; }
  const std::vector<CsvRow> &rows() const { return lines; }
  llvm::Optional<size_t> column(llvm::StringRef title) const;

  /// The cell of `row` under `title`; null when there is none.
  const CsvCell *find(const CsvRow &row, llvm::StringRef title) const;

private:
  CsvRow header;
  std::vector<CsvRow> lines;
};

/// A cell as a whole number in [least, most], or as a real number; nothing when it is none
/// (reported at its place, with the words of `what`).
llvm::Optional<int64_t> wholeNumber(const CsvCell &cell, int64_t least, int64_t most,
                                    llvm::StringRef what, DiagnosticEngine &diagnostics);
llvm::Optional<double> realNumber(const CsvCell &cell, llvm::StringRef what,
                                  DiagnosticEngine &diagnostics);

} // namespace perfc

#endif // PERFC_IR_COMMON_LOCATEDCSV_H
