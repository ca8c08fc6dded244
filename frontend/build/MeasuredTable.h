// Part of perfc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of measurements: CSV with a line of titles, or JSON, a list of objects or an object with
// such a list. Each row is a record.
#ifndef PERFC_FRONTEND_BUILD_MEASUREDTABLE_H
#define PERFC_FRONTEND_BUILD_MEASUREDTABLE_H

#include "frontend/build/KeptGraph.h"
#include "frontend/sema/Evaluator.h"
#include <map>

namespace perfc {

struct MeasuredRow {
  /// The cells by the names of their columns; `number`, from 1, where no column has that name. A
  /// number without a unit is one, everything else a string. Values of JSON are what they are, null
  /// is "".
  Value record;
  SourceRange place;
  std::string mistake; ///< why there are not as many cells as columns; "" when there are
};

struct MeasuredTable {
  std::string path;         ///< as written
  llvm::StringRef lineName; ///< what each line is called in the block
  std::vector<MeasuredRow> lines;
  /// Of a table with a column for each device, `device in "*_ms"`: what stands for the star in the
  /// titles, and the names of these columns. Each line is then a row for each of them.
  struct Column {
    std::string title, name;
  };
  std::vector<Column> columns;
  llvm::StringRef columnName; ///< in the block; "" where each line is one row
  /// Rows of a second table, `layers in "layers.csv" by model`: lists of those that have one value
  /// of that column, and what the lists are called in the block; "" for none.
  llvm::StringRef partsName;
  std::map<std::string, Value> parts;
  std::string partsColumn;

  size_t rowCount() const { return lines.size() * (columnName.empty() ? 1 : columns.size()); }
  const MeasuredRow &lineOf(size_t row) const {
    return lines[columnName.empty() ? row : row / columns.size()];
  }
  /// The rows of the second table for a line of this one.
  Value partsOf(const MeasuredRow &line) const;
  /// What the row has of its own: `column`, what its title says, and `cell`.
  Value cellOf(size_t row) const;
};

/// A table that is built again and again.
struct KeptTable {
  MeasuredTable table;
  /// Of each row, by the line `split` that has dealt it: the group that it is in.
  std::vector<std::map<const ast::Item *, std::string>> groups;
  /// Of statements of rows, by the numbers of both, where they are kept.
  std::map<std::pair<size_t, size_t>, KeptGraph> graphs;
};

/// The table that `validate row in "runs.csv"` names, with one row at least; nothing after a
/// report. A folder stands for the file in it that the parameter which names the table has by
/// default.
llvm::Optional<MeasuredTable> readTable(Evaluator &evaluator, const ast::Item &statement,
                                        const Scope &scope);

} // namespace perfc

#endif // PERFC_FRONTEND_BUILD_MEASUREDTABLE_H
